/**
 * A few of many cases: other ones each day, the same all day long, so that every case is run within weeks and a failure
 * can be repeated. `LOOPWRIGHT_TEST_DAY` chooses another day.
 */
export function sampleOfToday<T>(cases: readonly T[], size: number): readonly T[] {
  const today = Math.floor(Date.now() / 86_400_000);
  const day = Number(process.env['LOOPWRIGHT_TEST_DAY'] ?? today);
  const stride = Math.ceil(cases.length / size);
  return cases.filter((_, index) => index % stride === day % stride).slice(0, size);
}
