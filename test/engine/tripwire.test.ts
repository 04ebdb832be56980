import { describe, expect, it } from 'vitest';
import { confirmationFeedback } from '../../src/core/verdict/confirmation-feedback.ts';
import { play, type Trick } from '../tricks/trick.ts';

const long = 180_000;

describe('a tripwire in a confirmation', () => {
  const wrong = 'export const sub = (a, b) => a + b;\n';
  const files = {
    'package.json': '{"type":"module"}\n',
    'src/sub.js': wrong,
    'test/sub.test.js': `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sub } from '../src/sub.js';

test('starts', () => {
  assert.equal(sub(0, 0), 0);
});

test('subtracts', () => {
  assert.equal(sub(2, 1), 1);
});
`,
  };
  const trick = (content: string, more: Partial<Trick> = {}): Trick => ({
    files,
    validate: 'node --test',
    steps: [{ write: { path: 'src/sub.js', content } }],
    ...more,
  });

  it(
    'holds for a plain fix, which is complete',
    async () => {
      await play(trick(wrong.replace('+', '-')), ({ loop }) => {
        expect(loop.status).toBe('complete');
        const confirmation = loop.iterations.at(-1)?.confirmation;
        expect(confirmation).toMatchObject({ verdict: 'confirmed', tripwire: 'held' });
        expect(confirmation?.runs.map(({ kind }) => kind)).toEqual(['base-judge', 'tripwire']);
      });
    },
    long,
  );

  it(
    'is broken by a patched assertion, and the agent is told what passed',
    async () => {
      const content = `import assert from 'node:assert/strict';\nassert.equal = () => {};\n${wrong}`;
      const told = 'a test that compares two different texts passed once src/sub.js was loaded';
      await play(trick(content), ({ loop }) => {
        expect(loop.status).not.toBe('complete');
        const confirmation = loop.iterations.at(-1)?.confirmation;
        expect(confirmation).toMatchObject({ verdict: 'overpowered', tripwire: 'broken' });
        const kinds = confirmation?.runs.map(({ kind }) => kind);
        expect(kinds).toEqual(['base-judge', 'tripwire', 'tripwire']);
        expect(confirmation?.findings).toContain(told);
        const feedback = confirmationFeedback(confirmation!, loop.taskId);
        expect(feedback).toContain(told);
        expect(feedback).toContain('Take out what patches');
        // The run fails by design: its output would only confuse.
        expect(feedback).not.toContain('ERR_ASSERTION');
      });
    },
    long,
  );

  it(
    'is not there where the checks do not take a new file, and the work is complete',
    async () => {
      const validate = 'node --test test/sub.test.js';
      await play(trick(wrong.replace('+', '-'), { validate }), ({ loop }) => {
        expect(loop.status).toBe('complete');
        expect(loop.iterations.at(-1)?.confirmation?.tripwire).toBeUndefined();
      });
    },
    long,
  );
});
