import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeCall } from '../../../../src/core/agent/native/describe-call.ts';
import { createHeadAndTail } from '../../../../src/core/agent/native/head-and-tail.ts';
import { replaceText } from '../../../../src/core/agent/native/replace-text.ts';
import { toolNames } from '../../../../src/core/agent/native/tool.ts';

describe('replacing text', () => {
  test('is the same as replacing by hand, whatever the texts', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '$', '&'), maxLength: 30 });
    fc.assert(
      fc.property(
        piece,
        piece.filter((find) => find !== ''),
        piece,
        (text, find, replace) => {
          const count = text.split(find).length - 1;
          const all = replaceText(text, find, replace, true);
          if (count === 0) expect(all.kind).toBe('missing');
          else
            expect(all).toMatchObject({
              kind: 'replaced',
              count,
              text: text.split(find).join(replace),
            });
          const one = replaceText(text, find, replace, false);
          expect(one.kind).toBe(count === 0 ? 'missing' : count === 1 ? 'replaced' : 'ambiguous');
        },
      ),
    );
  });

  test('shows at most five places, and a long one cut', () => {
    const many = replaceText('x\n'.repeat(9), 'x', 'y', true);
    expect(many).toMatchObject({ diff: expect.stringContaining('… and 4 more places') });
    const long = replaceText('start', 'start', 'line\n'.repeat(500), false);
    expect(long).toMatchObject({ diff: expect.stringContaining('more lines') });
  });
});

test('the beginning and the end of a text are kept, however it is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ maxLength: 40 }), { maxLength: 40 }), (chunks) => {
      const kept = createHeadAndTail(100);
      for (const chunk of chunks) kept.push(chunk);
      const whole = chunks.join('');
      expect(kept.seen()).toBe(whole.length);
      if (whole.length <= 100) expect(kept.text()).toBe(whole.toWellFormed());
      else {
        const missing = whole.length - 100;
        const shown = `${whole.slice(0, 50)}\n… [${missing} characters left out] …\n${whole.slice(-50)}`;
        expect(kept.text()).toBe(shown.toWellFormed());
      }
    }),
  );
});

test.each([
  ['read', { path: 'src/a.ts' }, { kind: 'reading', text: 'src/a.ts' }],
  ['list', {}, { kind: 'reading', text: '.' }],
  ['grep', { pattern: 'x+', path: 'src' }, { kind: 'reading', text: 'x+ in src' }],
  ['glob', { pattern: '*.ts' }, { kind: 'reading', text: '*.ts' }],
  ['explore', { question: 'where?' }, { kind: 'reading', text: 'to find out: where?' }],
  ['edit', { path: 'a' }, { kind: 'editing', text: 'a' }],
  ['bash', { command: 'npm test\necho' }, { kind: 'running', text: 'npm test…' }],
  ['bash', { command: 7 }, { kind: 'running', text: '' }],
  ['bash', null, { kind: 'running', text: '' }],
  ['complete_task', { summary: 'Done.' }, { kind: 'finished', text: 'Done.' }],
  ['query', { of: 'all' }, { kind: 'reading', text: 'what is known about all' }],
  ['share', { to: 'all', text: 'hi' }, { kind: 'saying', text: 'to all: hi' }],
  ['launch', {}, { kind: 'running', text: 'unknown tool launch' }],
])('%s %j is told in one line', (name, input, activity) => {
  expect(describeCall(name, input)).toEqual(activity);
});

test('no tool of the agent is told as an unknown one', () => {
  const told = toolNames.map((name) => describeCall(name, {}).text);
  expect(told.filter((text) => text.includes('unknown'))).toEqual([]);
});
