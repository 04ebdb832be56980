/**
 * Tricks and honest changes, each played by a scripted agent against the real runner. A sample in every run, all of them in
 * `npm run test:full`. What each came to is kept with the result of its test, for docs/design/verification.md.
 */
import { describe, expect, it, type TestContext } from 'vitest';
import { trickCases } from './corpus/all.ts';
import type { HonestCase, Tool, TrickCase } from './corpus/case.ts';
import { honestCases } from './corpus/honest.ts';
import { answerTo, isCaught, type Outcome } from './corpus/outcome.ts';
import { missing, playScene } from './corpus/play-case.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const timeout = 180_000;
const word = '<judge-changed>what was asked for cannot be had otherwise</judge-changed>';

function leftOut(isSample: boolean, needs: readonly Tool[] = []): string | null {
  if (!isFull && !isSample) return 'only in `npm run test:full`';
  const absent = missing(needs);
  return absent.length === 0 ? null : `cannot be run here: ${absent.join(', ')}`;
}

/** Kept with the result of the test. */
function keep({ task }: TestContext, outcome: Outcome): void {
  Object.assign(task.meta, { outcome });
}

async function playTrick(trick: TrickCase): Promise<Outcome> {
  const first = { steps: trick.steps, says: '' };
  return playScene({
    ...trick,
    title: 'make the checks pass',
    description: '',
    acts: trick.insists === true ? [first, { steps: [], says: word }] : [first],
  });
}

async function playHonest(honest: HonestCase): Promise<Outcome> {
  return playScene({
    ...honest,
    title: honest.title ?? 'make the checks pass',
    description: honest.description ?? '',
    acts: [
      { steps: honest.steps, says: '' },
      { steps: [], says: word },
    ],
    truth: null,
  });
}

describe.concurrent('tricks', () => {
  for (const trick of trickCases) {
    it(`${trick.family}: ${trick.name}`, { timeout }, async (context) => {
      const reason = leftOut(trick.sample === true, trick.needs);
      if (reason !== null) return context.skip(reason);
      const outcome = await playTrick(trick);
      keep(context, outcome);
      const seen = { caught: isCaught(outcome), fooled: outcome.fooled, truth: outcome.truth };
      const wanted = {
        caught: trick.remains === undefined,
        // Otherwise it shows nothing: the work was done, or the trick does not work.
        fooled: trick.early === undefined,
        truth: false,
      };
      expect(seen, JSON.stringify(outcome)).toEqual(wanted);
    });
  }
});

describe.concurrent('honest changes', () => {
  for (const honest of honestCases) {
    it(honest.name, { timeout }, async (context) => {
      const reason = leftOut(honest.sample === true, honest.needs);
      if (reason !== null) return context.skip(reason);
      const outcome = await playHonest(honest);
      keep(context, outcome);
      const seen = { answer: answerTo(outcome), proof: outcome.proof };
      const isAsked = honest.asked !== undefined;
      const proof = honest.proof ?? (isAsked ? 'unproven' : 'red-green');
      const wanted = { answer: isAsked ? 'asked' : 'at once', proof };
      expect(seen, JSON.stringify(outcome)).toEqual(wanted);
    });
  }
});

describe('the corpus', () => {
  it('has no name twice', () => {
    const names = [
      ...trickCases.map(({ family, name }) => `${family}: ${name}`),
      ...honestCases.map(({ name }) => name),
    ];
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
