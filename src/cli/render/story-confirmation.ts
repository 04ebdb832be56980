import { changeText, type Confirmation } from '../../core/verdict/confirmation.ts';
import { formatDuration, plural } from './format.ts';
import { detail, line, verbose, type StoryLine } from './story-line.ts';

const shownChanges = 5;

/** What the run in a clean place said, and what it cost. */
export function confirmationLines(confirmation: Confirmation): readonly StoryLine[] {
  const { verdict, why, proof, changes, runs, durationMs, checkMs } = confirmation;
  const isFine = verdict === 'confirmed';
  const text = isFine ? `${proof}: ${why}` : why;
  const times = checkMs > 0 ? `, ${(durationMs / checkMs).toFixed(1)} times one run` : '';
  const cost = `${plural(runs.length, 'run')} in clean checkouts, ${formatDuration(durationMs)}${times}`;
  return [
    line('confirm', `${isFine ? '✓' : '✗'} ${text}`, isFine ? 'green' : 'yellow'),
    ...changes.slice(0, shownChanges).map((change) => detail(changeText(change))),
    ...(changes.length > shownChanges
      ? [detail(`and ${changes.length - shownChanges} more files that judge the work`)]
      : []),
    verbose('confirm', `${cost}; ${tripwireText(confirmation)}`),
  ];
}

function tripwireText({ tripwire }: Confirmation): string {
  if (tripwire === undefined) return 'no tripwire';
  return tripwire === 'held' ? 'the tripwire held' : 'the tripwire is broken';
}
