import type { PastAttempt } from './attempt.ts';
import { inertLine } from './inert-text.ts';

const shown = 3;

/** Why a person has to look at a task: how often it failed, what was tried last, why the loop ended. */
export function needsPersonText(
  failures: number,
  attempts: readonly PastAttempt[],
  ending: string | null,
): string {
  const tried = attempts
    .slice(-shown)
    .map(({ number, report }) => {
      const what = report?.whatTried || report?.whyFailed || 'nothing was reported';
      return `attempt ${number}: ${inertLine(what, 120)}`;
    })
    .join('; ');
  const why = ending === null ? '' : ` (${ending})`;
  const often = failures === 1 ? 'once' : `${failures} times in a row`;
  return `needs a person: failed ${often}${why}. Tried: ${tried}`;
}
