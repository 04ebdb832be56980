/** The counts with which node:test ends its report. */
export type NodeSummary = {
  readonly firstLine: number;
  readonly tests: number;
  readonly suites: number;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
};

const keys = ['tests', 'suites', 'pass', 'fail', 'cancelled', 'skipped', 'todo', 'duration_ms'];

/**
 * Reads the closing block of node:test, whose lines are `<prefix> <key> <number>`. Returns it with its last line;
 * null for every other line. The lines must follow each other in order: a test that prints one of them means nothing.
 */
export function createSummaryReader(
  prefix: string,
): (line: string, number: number) => NodeSummary | null {
  const start = `${prefix} `;
  let counts = new Map<string, number>();
  let previous = -1;
  let nextKey = 0;
  return (line, number) => {
    if (!line.startsWith(start)) return null;
    const [key = '', value = '', ...rest] = line.slice(start.length).split(' ', 3);
    const index = keys.indexOf(key);
    if (index === -1 || rest.length > 0 || !/^\d+(\.\d+)?$/.test(value)) return null;
    if (index === 0) {
      counts = new Map();
      nextKey = 0;
    } else if (number !== previous + 1 || !isExpected(index, nextKey)) {
      nextKey = keys.length + 1;
      return null;
    }
    counts.set(key, Number(value));
    previous = number;
    nextKey = index + 1;
    return index === keys.length - 1 ? toSummary(counts, number) : null;
  };
}

/** Old releases print no suites. */
function isExpected(index: number, nextKey: number): boolean {
  return index === nextKey || (nextKey === 1 && index === 2);
}

function toSummary(counts: ReadonlyMap<string, number>, lastLine: number): NodeSummary {
  const of = (key: string) => counts.get(key) ?? 0;
  return {
    firstLine: lastLine - counts.size + 1,
    tests: of('tests'),
    suites: of('suites'),
    passed: of('pass'),
    failed: of('fail') + of('cancelled'),
    skipped: of('skipped') + of('todo'),
  };
}
