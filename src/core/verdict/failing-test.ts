import { headChars } from '../text/code-points.ts';
import { fileReferences } from './file-references.ts';
import type { TestRun } from './test-output/test-run.ts';

/** What a runner said about one failing test. */
export type FailingTest = {
  readonly name: string;
  /** Its first error, bounded; what the output shows behind its name where the runner's error has no text. */
  readonly message: string;
  /** Where it failed, `path:line`; null when the output does not say. */
  readonly place: string | null;
};

const keptTests = 20;
const keptChars = 1000;

/** The failing tests of a run with what its output says about each, and what kept suites from loading. */
export function describeFailures(
  { failures, errors }: Pick<TestRun, 'failures' | 'errors'>,
  output: string,
): readonly FailingTest[] {
  const told = new Map<string, number>();
  const tests = failures.slice(0, keptTests).map(({ name, message }) => {
    // Tests of the same name and error are told one after the other.
    const key = `${name}\n${message}`;
    const at = placeOfReport(output, name, message, told.get(key) ?? 0);
    if (at !== -1) told.set(key, endOfLine(output, at));
    const text = message === '' ? shownBehind(output, at) : message;
    return { name, message: headChars(text, keptChars), place: placeOf(output, at, message) };
  });
  const others = errors
    .filter((error) => !failures.some(({ name }) => error.startsWith(`${name}:`)))
    .slice(0, keptTests - tests.length)
    .map((error) => ({
      name: 'outside of the tests',
      message: headChars(error, keptChars),
      place: fileReferences(error, 1)[0] ?? null,
    }));
  return [...tests, ...others];
}

/** Where the output tells of the failure: its message behind the name, else the line that says the test failed. */
function placeOfReport(output: string, name: string, message: string, from: number): number {
  const short = name.slice(endOfGroups(name));
  const named = Math.max(from, output.indexOf(short, from));
  const first = message.split('\n').find((line) => line.trim() !== '');
  if (first !== undefined) return output.indexOf(first.trim(), named);
  return failedLine(output, short, from);
}

/** Where the test's own name begins behind those of its groups. */
function endOfGroups(name: string): number {
  const ends = [' > ', ' › ', '::'].map((sign) => {
    const at = name.lastIndexOf(sign);
    return at === -1 ? 0 : at + sign.length;
  });
  return Math.max(...ends);
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

const maxMentions = 50;

function failedLine(output: string, name: string, from: number): number {
  let at = output.indexOf(name, from);
  for (let seen = 0; at !== -1 && seen < maxMentions; seen++) {
    const start = output.lastIndexOf('\n', at) + 1;
    if (/not ok|fail|error|[✗✖×✘]/i.test(output.slice(start, at))) return start;
    at = output.indexOf(name, at + 1);
  }
  return -1;
}

const shownChars = 500;

function shownBehind(output: string, at: number): string {
  if (at === -1) return '';
  const lines = output.slice(at, at + shownChars).split('\n');
  const next = lines.findIndex((line, i) => i > 0 && /^ *(?:not )?ok\b/.test(line));
  return lines
    .slice(0, next === -1 ? lines.length : next)
    .join('\n')
    .trimEnd();
}

const charsBehind = 1500;
const charsBefore = 600;

/** Runners write the place into the message, below it (a stack), or above it (a traceback). */
function placeOf(output: string, at: number, message: string): string | null {
  const own = fileReferences(message, 1)[0];
  if (own !== undefined || at === -1) return own ?? null;
  const behind = fileReferences(output.slice(at, at + charsBehind), 1)[0];
  return (
    behind ?? fileReferences(output.slice(Math.max(0, at - charsBefore), at), 20).at(-1) ?? null
  );
}
