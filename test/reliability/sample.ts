/**
 * A few of many cases: other ones each day, the same all day long, so that every case is run sooner or later and a
 * failure can be repeated. `LOOPWRIGHT_TEST_DAY` chooses another day.
 */
export function sampleOfToday<T>(cases: readonly T[], size: number): readonly T[] {
  const today = Math.floor(Date.now() / 86_400_000);
  const day = Number(process.env['LOOPWRIGHT_TEST_DAY'] ?? today);
  const drawn = cases.map((each, index) => ({ each, draw: scramble(day * 65_537 + index) }));
  return drawn
    .toSorted((a, b) => a.draw - b.draw)
    .slice(0, size)
    .map(({ each }) => each);
}

/** Neighbouring numbers become far ones. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
