import { changedPaths, countChanged } from '../../core/loop/changes.ts';
import type { AgentRecord, LoopEvent } from '../../core/loop/event.ts';
import type { Decision } from '../../core/loop/judge.ts';
import {
  countedIterations,
  isPartlyUnpriced,
  knownCost,
  lastIteration,
  type Loop,
} from '../../core/loop/loop.ts';
import { failureNote } from '../../core/memory/capture.ts';
import { isAttemptId, learningIds } from '../../core/memory/injected.ts';
import { isKnowledgeId, knowledgePath } from '../../core/memory/render-knowledge.ts';
import { isUnpriced } from '../../core/price/price.ts';
import { escapedName } from '../../core/text/file-name.ts';
import { formatDuration, formatSpending, formatTokens, plural } from './format.ts';
import { detail, heading, line, verbose, type StoryLine } from './story-line.ts';
import { statusText } from './status-word.ts';

type Event<T extends LoopEvent['type']> = Extract<LoopEvent, { type: T }>;

/** `iteration 2 of 100 · model sonnet: why · attempt 5 of the task`. */
export function headerLine({ model, reason }: Event<'model.chosen'>, loop: Loop): StoryLine {
  const iteration = lastIteration(loop);
  const number = iteration?.number ?? 1;
  const cap = loop.settings.limits['max-iterations'];
  const attempt = iteration?.attempt ?? number;
  const parts = [
    `iteration ${number}${capText(number, cap, loop)}`,
    model === null ? null : `model ${model}${reason === '' ? '' : ` (${reason})`}`,
    attempt === number ? null : `attempt ${attempt} of the task`,
  ];
  return heading(parts.filter((part) => part !== null).join(' · '));
}

/** Interrupted iterations keep their number and do not count, so a number can be beyond the limit. */
function capText(number: number, cap: number, loop: Loop): string {
  if (cap === 0) return '';
  return number <= cap ? ` of ${cap}` : ` (${countedIterations(loop) + 1} of ${cap} that count)`;
}

/** What the prompt carries over from earlier attempts and other tasks; nothing when it carries nothing. */
export function memoryLines(event: Event<'prompt.built'>, loop: Loop): readonly StoryLine[] {
  const learnings = learningIds(event.injected);
  const attempts = event.injected.filter(isAttemptId).length;
  const files = event.injected.filter(isKnowledgeId).map(knowledgePath).map(escapedName);
  const withheld = event.withheld ?? [];
  const parts = [
    attempts === 0 ? null : plural(attempts, 'earlier attempt'),
    learnings.length === 0
      ? null
      : `${plural(learnings.length, 'learning')}: ${learnings.join(', ')}`,
    files.length === 0 ? null : `knowledge: ${files.join(', ')}`,
    withheld.length === 0 ? null : `withheld to measure its worth: ${withheld.join(', ')}`,
  ].filter((part) => part !== null);
  if (parts.length === 0) return [];
  const newest = event.injected.findLast(isAttemptId);
  return [line('memory', parts.join(' · ')), ...attemptLines(newest, loop)];
}

function attemptLines(id: string | undefined, loop: Loop): readonly StoryLine[] {
  const iteration = loop.iterations.find(({ attempt }) => `attempt-${attempt}` === id);
  if (iteration === undefined) return [];
  const { whatTried, whyFailed } = failureNote(iteration);
  const tried = whatTried === '' ? '' : `tried: ${whatTried}; `;
  return whyFailed === ''
    ? []
    : [detail(`attempt ${iteration.attempt} ${tried}failed: ${whyFailed}`)];
}

/** `chosen` is the model that the run was given; null: the agent took its own. */
export function agentLines(record: AgentRecord, chosen: string | null): readonly StoryLine[] {
  const parts = [
    `${agentEnding(record)} in ${formatDuration(record.durationMs)}`,
    chosen === null && record.model != null ? `model ${record.model}` : null,
    record.turns === null ? null : plural(record.turns, 'turn'),
    record.tokens === null ? null : formatTokens(record.tokens),
    formatSpending(record.costUsd, isUnpriced(record)),
    claimText(record),
  ];
  const isFine = record.kind === 'done';
  const text = parts.filter((part) => part !== null).join(' · ');
  return [
    line('agent', text, isFine ? null : 'yellow'),
    // Why a sign-in is wanted is said once, of the provider.
    ...(isFine || record.evidence === ''
      ? []
      : [{ ...detail(record.evidence), isVerbose: record.kind === 'auth' }]),
    ...(record.summary === null ? [] : [detail(record.summary)]),
  ];
}

/** What an agent was used for beside the work. */
export function usageText({ tokens, costUsd }: Event<'usage.added'>): string {
  const parts = [
    tokens === null ? null : formatTokens(tokens),
    formatSpending(costUsd, isUnpriced({ tokens, costUsd })),
  ];
  return parts.filter((part) => part !== null).join(' · ') || 'made';
}

function agentEnding({ kind, exitCode, confidence }: AgentRecord): string {
  if (kind === 'done')
    return confidence === 'low' ? 'ended, as far as its protocol tells,' : 'ended';
  const code = exitCode === null || exitCode === 0 ? '' : ` (exit code ${exitCode})`;
  return `${kind.replaceAll('_', ' ')}${code}`;
}

function claimText({ claim, kind }: AgentRecord): string | null {
  if (claim === null || kind !== 'done') return null;
  return claim === 'done' ? 'claims to be done' : 'says that it failed';
}

const shownFiles = 5;

export function snapshotLines(event: Event<'snapshot.taken'>): readonly StoryLine[] {
  const paths = changedPaths(event.changes);
  const count = countChanged(event.changes);
  const more = paths.length - shownFiles;
  const names = paths.slice(0, shownFiles).join(', ') + (more > 0 ? ` and ${more} more` : '');
  const size = `${plural(count, 'file')}, ${plural(event.changes.lines, 'line')}`;
  return [
    line('changed', count === 0 ? 'nothing' : `${size}: ${names || 'names not recorded'}`),
    ...event.repaired.map((text) => line('repaired', text, 'yellow')),
    ...(event.unstored ?? []).map((text) => line('not stored', text, 'yellow')),
    ...(event.commit === null ? [] : [verbose('commit', event.commit.slice(0, 12))]),
  ];
}

export function decisionLines(decision: Decision, loop: Loop): readonly StoryLine[] {
  const cost = formatSpending(knownCost(loop), isPartlyUnpriced(loop));
  const spent = cost === null ? '' : ` · ${cost} so far`;
  const verdict =
    decision.end === null ? 'go on' : statusText(decision.end.status, decision.end.reason);
  const { strategy, ladder, counted } = decision.inputs;
  return [
    line('decision', `${verdict}: ${decision.reason}${spent}`, decision.continue ? null : 'bold'),
    ...(decision.notice === null ? [] : [line('notice', decision.notice, 'yellow')]),
    verbose(
      'inputs',
      `by ${decision.source}; ${strategy.name}: ${strategy.reason}; ladder: ${ladder}; ${counted} counted`,
    ),
  ];
}
