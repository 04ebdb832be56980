import { execFileSync } from 'node:child_process';

/**
 * A few of many cases: other ones for every commit, the same for everybody who tests it, so that every case is run sooner
 * or later and a failure can be repeated. `LOOPWRIGHT_TEST_SAMPLE` chooses another number.
 */
export function sampleOf<T>(cases: readonly T[], size: number, among = 0): readonly T[] {
  const first = number() * 65_537 + among * 257;
  const drawn = cases.map((each, index) => ({ each, draw: scramble(first + index) }));
  return drawn
    .toSorted((a, b) => a.draw - b.draw)
    .slice(0, size)
    .map(({ each }) => each);
}

/** As above, with as many of each group. */
export function sampleOfEach<T>(
  cases: readonly T[],
  groupOf: (each: T) => string,
  size: number,
): readonly T[] {
  const groups = Map.groupBy(cases, groupOf);
  return [...groups.values()].flatMap((group, among) => sampleOf(group, size, among));
}

/** What chooses: it belongs to the names of the tests, so that a report says which sample it is of. */
export const sampleName = `sample ${number()}`;

function number(): number {
  const asked = process.env['LOOPWRIGHT_TEST_SAMPLE'];
  return asked === undefined ? numberOfCommit() : Number(asked);
}

function numberOfCommit(): number {
  try {
    const cwd = import.meta.dirname;
    const tree = execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd, encoding: 'utf8' });
    return Number.parseInt(tree.slice(0, 6), 16);
  } catch {
    // The sources without their history.
    return 0;
  }
}

/** Neighbouring numbers become far ones. */
function scramble(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x45d9f3b);
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x45d9f3b);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
