/** Milliseconds that only ever grow. Not by `performance`, which loads a good deal of Node when it is first touched. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1000 + nanoseconds / 1e6;
}
