import { describe, expect, it } from 'vitest';
import {
  judgeFixture,
  type Fixture,
  type FixtureRun,
} from '../../../src/core/verdict/black-box.ts';

function judged(expectations: Fixture['expect'], run: Partial<FixtureRun> = {}) {
  const fixture = { name: 'f', command: 'cmd', timeout: 1000, expect: expectations };
  return judgeFixture(fixture, {
    end: { kind: 'exited', code: 0 },
    stdout: '{"b": [1, 2], "a": "x"}\n',
    stderr: '',
    isCut: false,
    durationMs: 5,
    evidence: 'L2-f.stdout.log',
    expectedText: null,
    matches: (pattern, text) => new RegExp(pattern).test(text),
    schemaProblems: () => [],
    ...run,
  });
}

const difference = (stdout: string, expectedText: string) =>
  judged({ equals_file: 'f' }, { stdout, expectedText }).reason;

describe('the six assertions', () => {
  it.each<[Fixture['expect'], Partial<FixtureRun>, string | null]>([
    [{ exit_code: 3 }, { end: { kind: 'exited', code: 3 } }, null],
    [{ exit_code: 3 }, {}, 'exit code 0, expected 3'],
    [{ contains: '"a"' }, {}, null],
    [{ contains: 'nowhere' }, {}, 'stdout does not contain "nowhere"'],
    [{ matches_regex: '^\\{' }, {}, null],
    [{ matches_regex: '^x' }, {}, 'stdout does not match ^x'],
    [{ matches_regex: 'x' }, { matches: () => null }, 'stdout takes too long to match x'],
    [{ equals_file: 'f.txt' }, { stdout: 'a\n', expectedText: 'a\n' }, null],
    [
      { equals_file: 'f.txt' },
      { stdout: 'a', expectedText: 'b' },
      'stdout differs from f.txt at line 1: "a" instead of "b"',
    ],
    [{ equals_file: 'f.txt' }, {}, 'f.txt does not exist on the base'],
    [{ json_equals: { a: 'x', b: [1, 2] } }, {}, null],
    [{ json_equals: { a: 'x', b: [2, 1] } }, {}, 'stdout is not the JSON {"a":"x","b":[2,1]}'],
    [{ json_equals: 1 }, { stdout: 'no' }, 'stdout is not JSON'],
    [{ json_schema: 's.json' }, {}, null],
    [{ json_schema: 's.json' }, { schemaProblems: () => ['a: wrong'] }, 'a: wrong'],
  ])('%o', (expectations, run, reason) => {
    expect(judged(expectations, run)).toMatchObject({ passed: reason === null, reason });
  });

  it('must all hold, and all that do not are named', () => {
    expect(judged({ contains: 'q', matches_regex: '^q' }).reason).toBe(
      'stdout does not contain "q"; stdout does not match ^q',
    );
  });

  it('never hold for a command that did not end by itself or could not be run', () => {
    const end = { kind: 'timed-out', afterMs: 60_000 } as const;
    expect(judged({ contains: 'a' }, { end }).reason).toBe('timed out after 60 s');
    expect(judged({ contains: 'a' }, { end: { kind: 'exited', code: 127 } }).passed).toBe(false);
    expect(judged({ contains: 'a' }, { end: { kind: 'exited', code: 1 } }).passed).toBe(true);
  });

  it('name the first line that differs from a file', () => {
    expect(difference('a\nb\n', 'a\nc\n')).toBe(
      'stdout differs from f at line 2: "b" instead of "c"',
    );
    expect(difference('a\n', 'a')).toBe('stdout differs from f at line 2: "" instead of its end');
    expect(difference('a', 'a\n')).toBe('stdout differs from f at line 2: its end instead of ""');
  });

  it('do not take cut output for the whole', () => {
    expect(judged({ equals_file: 'f' }, { isCut: true, expectedText: 'a' }).passed).toBe(false);
  });
});
