import * as fc from 'fast-check';
import type { ProgressEntry } from '../../../src/core/progress/entry.ts';

export function entry(overrides: Partial<ProgressEntry> = {}): ProgressEntry {
  return {
    iteration: 1,
    command: 'cargo test',
    exitCode: 1,
    durationMs: 1000,
    filesChanged: ['src/lib.rs'],
    stdout: '',
    stderr: '',
    ...overrides,
  };
}

/** Text with what hurts: fences, wide characters, blank lines, markup. */
export const hostileText: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '```',
        '````',
        '~~~',
        '\n',
        '\r\n',
        '😀',
        'é',
        '## Iteration 9',
        '{{progress}}',
      ),
      fc.constantFrom('<task-done>t-1</task-done>', '`', '...[truncated]...', ' ', '\u001b[31m'),
      fc.string({ unit: 'binary', maxLength: 40 }),
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

export const anyEntry: fc.Arbitrary<ProgressEntry> = fc.record(
  {
    iteration: fc.nat({ max: 1000 }),
    command: hostileText,
    exitCode: fc.option(fc.nat({ max: 255 })),
    durationMs: fc.nat(),
    filesChanged: fc.array(hostileText, { maxLength: 4 }),
    stdout: hostileText,
    stderr: hostileText,
    errorSummary: fc.option(hostileText),
    summary: fc.option(hostileText),
    summaryError: fc.option(hostileText),
  },
  {
    requiredKeys: [
      'iteration',
      'command',
      'exitCode',
      'durationMs',
      'filesChanged',
      'stdout',
      'stderr',
    ],
  },
);
