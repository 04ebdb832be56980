import { describe, expect, it } from 'vitest';
import { judgeCheck, type CheckRun } from '../../../src/core/verdict/check.ts';
import { plainCounts } from '../../../src/core/verdict/report.ts';
import { shows } from '../../support/shows.ts';

const run: CheckRun = {
  name: 'validation',
  command: 'npm test',
  successExitCode: 0,
  end: { kind: 'exited', code: 0 },
  stdout: '',
  stderr: '',
  durationMs: 5,
  parseTests: true,
  evidence: null,
};

const tap = (body: string) => `TAP version 13\n${body}`;

describe('the verdict on one check', () => {
  it.each<[string, Partial<CheckRun>, boolean | null, string | null]>([
    ['the expected exit code passes', {}, true, null],
    [
      'another exit code fails',
      { end: { kind: 'exited', code: 1 } },
      false,
      'exit code 1, expected 0',
    ],
    [
      'an expected non-zero code passes',
      { end: { kind: 'exited', code: 3 }, successExitCode: 3 },
      true,
      null,
    ],
    [
      'a missing program fails',
      { end: { kind: 'exited', code: 127 } },
      false,
      'command not found: npm test',
    ],
    [
      'a timeout fails',
      { end: { kind: 'timed-out', afterMs: 5000 } },
      false,
      'timed out after 5 s',
    ],
    [
      'a signal fails',
      { end: { kind: 'signalled', signal: 'SIGSEGV' } },
      false,
      'ended by SIGSEGV',
    ],
    [
      'failing tests lower a good exit code',
      { stdout: tap('1..2\nok 1 - a\nnot ok 2 - b\n') },
      false,
      'exit code is right, but 1 tests failed',
    ],
    ['a runner without tests proves nothing', { stdout: tap('1..0\n') }, null, 'tap ran no tests'],
    [
      'counts are ignored when asked',
      { stdout: tap('1..1\nnot ok 1 - b\n'), parseTests: false },
      true,
      null,
    ],
  ])('%s', (_name, change, passed, reason) => {
    shows('002.config-exit-code', '002.validation-exit-code-alone');
    expect(judgeCheck({ ...run, ...change })).toMatchObject({ passed, reason });
  });

  it('keeps counts, names of failing tests and a signature', () => {
    const stdout = tap('1..3\nok 1 - a\nnot ok 2 - b\nok 3 - c # SKIP later\n');
    const check = judgeCheck({ ...run, stdout, end: { kind: 'exited', code: 1 } });
    expect(check.tests).toEqual({ total: 3, passed: 1, failed: 1, skipped: 1 });
    expect(check.failingTests).toEqual(['b']);
    expect(check.signature).not.toBeNull();
  });
});

const report = (at: number, error: string) =>
  `  ${at}) parser\n       reads:\n     Error: ${error}\n      at Context.<anonymous> (test/parser.test.js:${at * 10}:5)\n`;

describe('a runner that finds no test and fails', () => {
  it.each([
    ['pytest', 'collected 0 items\n\n============ no tests ran in 0.01s ============\n'],
    ['vitest', ' RUN  v3.0.0 /x\n\nNo test files found, exiting with code 1\n'],
    ['unittest', `${'-'.repeat(70)}\nRan 0 tests in 0.000s\n\nNO TESTS RAN\n`],
  ])('says so: %s', (_name, stdout) => {
    const check = judgeCheck({ ...run, stdout, end: { kind: 'exited', code: 5 } });
    expect(check).toMatchObject({ passed: false, noTests: true });
  });

  it('is not one whose files cannot be loaded, or that fails for another reason', () => {
    const failed = { ...run, end: { kind: 'exited', code: 2 } } as const;
    const stdout =
      "==== test session starts ====\ncollected 0 items / 1 error\n\n==== ERRORS ====\n____ ERROR collecting a.py ____\nE   ModuleNotFoundError: No module named 'x'\n==== 1 error in 0.1s ====\n";
    expect(judgeCheck({ ...failed, stdout }).noTests).toBeUndefined();
    expect(judgeCheck({ ...failed, stdout: 'no tests ran, they say' }).noTests).toBeUndefined();
  });
});

describe('failing tests of the same name', () => {
  it('have a line, an error and a place each', () => {
    const check = judgeCheck({
      ...run,
      end: { kind: 'exited', code: 1 },
      stdout: `\n\n  parser\n    1) reads\n    2) reads\n    3) reads\n\n\n  0 passing (4ms)\n  3 failing\n\n${[
        report(1, 'boom'),
        report(2, 'boom'),
        report(3, 'bang'),
      ].join('\n')}\n`,
    });
    expect(check.failingTests).toEqual(['parser > reads', 'parser > reads', 'parser > reads']);
    expect(check.failures?.map(({ message, place }) => [message, place])).toEqual([
      ['Error: boom', 'test/parser.test.js:10'],
      ['Error: boom', 'test/parser.test.js:20'],
      ['Error: bang', 'test/parser.test.js:30'],
    ]);
  });
});

describe('plain go test', () => {
  it('says packages, and machine interfaces show its counts alone', () => {
    const check = judgeCheck({ ...run, stdout: 'ok  \tx/a\t0.1s\nok  \tx/b\t0.1s\n' });
    expect(check.tests).toEqual({ total: 2, passed: 2, failed: 0, skipped: 0, packages: 2 });
    expect(plainCounts(check.tests ?? counts)).toEqual({ ...counts, total: 2, passed: 2 });
  });
});

const counts = { total: 0, passed: 0, failed: 0, skipped: 0 };
