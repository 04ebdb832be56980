/** Minutes since midnight where this machine is. */
export function minuteOfDay(): number {
  const now = new Date();
  return now.getHours() * 60 + now.getMinutes();
}
