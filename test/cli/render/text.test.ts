import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newLines } from '../../../src/cli/command/logs.ts';
import { readableLines } from '../../../src/cli/render/agent-output.ts';
import { formatCost, formatDuration, formatTests } from '../../../src/cli/render/format.ts';
import { createPaint } from '../../../src/cli/render/paint.ts';
import { checkLines } from '../../../src/cli/render/story-checks.ts';
import { oneLine } from '../../../src/cli/render/story-line.ts';
import { renderTable } from '../../../src/cli/render/table.ts';
import { cutToWidth, textWidth } from '../../../src/cli/render/width.ts';
import { wrap, wrapCommand } from '../../../src/cli/render/wrap.ts';
import { judgeCheck } from '../../../src/core/verdict/check.ts';
import { firstError } from '../../../src/core/verdict/error-line.ts';
import { createLevel, createReport } from '../../../src/core/verdict/report.ts';
import { recorded } from '../../core/verdict/test-output/recorded.ts';

describe('text for a terminal', () => {
  it('is never wider than it may be after a cut, whatever the script', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 40 }),
        (text, columns) => {
          expect(textWidth(cutToWidth(text, columns))).toBeLessThanOrEqual(columns);
        },
      ),
    );
  });

  it('is left alone when it fits, and marked when it is cut', () => {
    expect(cutToWidth('日本語', 6)).toBe('日本語');
    expect(cutToWidth('日本語', 5)).toBe('日本…');
    expect(cutToWidth('plain', 4)).toBe('pla…');
  });

  it('is one harmless line, however hostile it was', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const line = oneLine(`\u001B[2J${text}\r\n\u0007`);
        // eslint-disable-next-line no-control-regex
        expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F\u202E]/);
      }),
    );
  });

  it('wraps words behind a hanging indent', () => {
    expect(wrap('one two three four', 12, '- ', '  ')).toBe('- one two\n  three four');
  });

  it('breaks a command between words and never inside quotes', () => {
    expect(wrapCommand('run "one two three" --flag x', 22, '  ')).toBe(
      '  run \\\n      "one two three" \\\n      --flag x',
    );
  });

  it('lines up columns and lets the flexible one give way', () => {
    const columns = [
      { heading: 'ID' },
      { heading: 'N', align: 'right' as const },
      { heading: 'TEXT', flexible: true },
    ];
    const rows = [
      ['a', '1', 'a rather long text'],
      ['bbb', '22', { text: 'short', style: 'red' as const }],
    ];
    expect(renderTable(columns, rows, 20, createPaint(false))).toBe(
      'ID    N  TEXT\na     1  a rather l…\nbbb  22  short\n',
    );
  });
});

describe('values for people', () => {
  it.each([
    [0, '0ms'],
    [999, '999ms'],
    [1234, '1.2s'],
    [59_960, '1m 00s'],
    [3_599_000, '59m 59s'],
    [4 * 3_600_000, '4h 00m'],
  ])('writes %i ms as %s', (ms, text) => expect(formatDuration(ms)).toBe(text));

  it('shows small costs with a digit more', () => {
    expect([formatCost(0), formatCost(0.004), formatCost(1.2)]).toEqual([
      '$0.00',
      '$0.004',
      '$1.20',
    ]);
  });

  it('counts tests without those that were skipped', () => {
    expect(formatTests({ total: 14, passed: 12, failed: 0, skipped: 2 })).toBe(
      '12 tests pass, 2 skipped',
    );
    expect(formatTests({ total: 14, passed: 11, failed: 2, skipped: 1 })).toBe(
      '11 of 13 tests pass, 1 skipped',
    );
  });

  it('counts packages where a runner does not name their tests', () => {
    const packages = { total: 2, passed: 2, failed: 0, skipped: 0, packages: 2 };
    expect(formatTests(packages)).toBe('2 packages pass');
    expect(formatTests({ ...packages, passed: 1, total: 4, failed: 3, packages: 1 })).toBe(
      '1 of 4 tests and packages pass',
    );
  });

  it('finds the line of a check that says what is wrong', () => {
    expect(firstError('> test\n\nAssertionError: 1 is not 2\n  at x\n')).toBe(
      'AssertionError: 1 is not 2',
    );
    expect(firstError('ℹ fail 2\nTypeError: x\n')).toBe('TypeError: x');
    expect(firstError('one\ntwo\n')).toBe('two');
    expect(firstError('\n')).toBe(null);
  });

  it.each([
    ['node-test/tap-late-failure', 'Expected values to be strictly equal: 7 !== 1'],
    ['go/v-fail', 'a_test.go:4: got 1, want 2'],
    [
      'pytest/exitfirst',
      "AssertionError: assert {'a': 1} == {'a': 2} Differing items: {'a': 1} != {'a': 2} Use -v to get more diff",
    ],
  ])('shows of %s the error of the first failing test', (name, error) => {
    const check = judgeCheck({
      name: 'validation',
      command: 'npm test',
      successExitCode: 0,
      end: { kind: 'exited', code: 1 },
      stdout: recorded(name),
      stderr: '',
      durationMs: 5,
      parseTests: true,
      evidence: null,
    });
    const lines = checkLines(createReport({ L1: createLevel([check]) }, 'tree', 5));
    expect(lines.at(-1)?.text).toBe(error);
  });

  it('reads the text out of JSON that an agent printed', () => {
    const lines = [
      'plain',
      '{"kind":"editing","text":"a.ts"}',
      '{"type":"usage","tokens":3}',
      '{not json}',
    ];
    expect(readableLines(lines)).toEqual(['plain', 'editing a.ts', '{not json}']);
  });

  it('tells of a growing output only the whole lines that are new, also when its beginning is cut off', () => {
    expect(newLines('', 'a\nb\nhal')).toEqual(['a', 'b']);
    expect(newLines('a\nb\nhal', 'a\nb\nhalf\n')).toEqual(['half']);
    const lines = Array.from({ length: 1002 }, (_, index) => `line ${index}\n`);
    const before = lines.slice(0, 1000).join('');
    expect(newLines(before, lines.slice(500).join(''))).toEqual(['line 1000', 'line 1001']);
    expect(newLines('a\nb\nc\n', 'a\nb\nc\n')).toEqual([]);
  });
});
