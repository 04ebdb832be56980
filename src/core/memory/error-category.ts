import type { Check } from '../verdict/report.ts';

/** Words of a failing check's output that tell its kind; the first row that matches wins. */
const signs: readonly (readonly [category: string, words: readonly string[]])[] = [
  ['type_error', ['error ts', 'typeerror', 'type error', 'incompatible type', 'mismatched types']],
  [
    'dependency_error',
    [
      'cannot find module',
      'modulenotfounderror',
      'importerror',
      'could not resolve',
      'unresolved import',
      'no matching distribution',
      'command not found',
      'cannot find package',
    ],
  ],
  ['missing_file', ['enoent', 'no such file', 'filenotfounderror', 'file not found']],
  [
    'build_error',
    [
      'syntaxerror',
      'syntax error',
      'could not compile',
      'compilation failed',
      'build failed',
      'parse error',
      'linker',
    ],
  ],
  ['test_failure', ['assertionerror', 'assertion failed', 'assert', 'expected', 'not ok']],
];

/** What kind of failure a check shows, in the words of failure reports; `unknown` when nothing tells. */
export function guessCategory(check: Check): string {
  if (check.exitCode === null && check.reason?.includes('time') === true) return 'timeout';
  if (check.exitCode === 126 || check.exitCode === 127) return 'dependency_error';
  if (check.failingTests.length > 0 || (check.tests?.failed ?? 0) > 0) return 'test_failure';
  const output = check.output.toLowerCase();
  return signs.find(([, words]) => words.some((word) => output.includes(word)))?.[0] ?? 'unknown';
}
