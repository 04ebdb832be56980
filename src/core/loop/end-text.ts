import type { AgentOutcomeKind } from '../agent/outcome.ts';
import { formatDuration } from '../config/duration.ts';
import { lastIteration, type Loop } from './loop.ts';

/** For the agent, once: which limit ended the one before it, so that it plans for it. Null: none did. */
export function limitFeedback(loop: Loop): string | null {
  const agent = lastIteration(loop)?.agent ?? null;
  if (agent === null) return null;
  const seconds = Math.max(1, Math.round(agent.durationMs / 1000));
  const hows: { readonly [Kind in AgentOutcomeKind]?: string } = {
    max_turns: `at the turn limit${turnsText(loop)}`,
    timeout: `at its time limit, after ${formatDuration(seconds * 1000)}`,
    hung: 'because it printed nothing and did nothing for too long',
    max_tokens: 'at the token limit of an answer',
    context_full: 'because its context was full',
  };
  const how = hows[agent.kind];
  return how === undefined ? null : told(how);
}

function told(how: string): string {
  return `The agent of the last iteration was ended ${how}, before it was finished. Go on from the files it left, in smaller steps: the most important one first.`;
}

/** Agents have limits of their own, too. */
function turnsText(loop: Loop): string {
  const limit = loop.settings.limits['max-turns-per-iteration'];
  const turns = lastIteration(loop)?.agent?.turns ?? (limit === 0 ? null : limit);
  return turns === null ? '' : ` of ${turns} turns`;
}
