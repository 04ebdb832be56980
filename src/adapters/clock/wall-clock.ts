/** UTC milliseconds, to compare with the times that a file system gives. May jump when the system's time is corrected. */
export function wallClockMs(): number {
  return Date.now();
}
