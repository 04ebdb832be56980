import { countChars } from '../text/code-points.ts';
import type { PastAttempt } from './attempt.ts';
import type { KnowledgeFile } from './knowledge.ts';
import type { InjectedLearning } from './learning.ts';
import { renderAttempts, renderNewestAttempt, type RenderedAttempts } from './render-attempts.ts';
import { renderKnowledge } from './render-knowledge.ts';
import { renderLearnings } from './render-learnings.ts';
import { renderStatus, renderStuck, type LoopStatus } from './render-status.ts';

/** Everything the memory block is made of. */
export type MemoryContext = {
  /** Earlier attempts at this task, oldest first. */
  readonly attempts: readonly PastAttempt[];
  /** How many there were, when not all of them are given. */
  readonly attemptCount?: number;
  /** In the order they were selected. */
  readonly learnings: readonly InjectedLearning[];
  /** Files of the project that match the task, in the order they were selected; absent: none. */
  readonly knowledge?: readonly KnowledgeFile[];
  readonly status: LoopStatus;
  readonly budget: MemoryBudget;
};

/** Code points, headings included. */
export type MemoryBudget = {
  readonly total: number;
  readonly attempts: number;
  readonly learnings: number;
  readonly knowledge: number;
  readonly status: number;
  readonly minAttempts: number;
  readonly minLearnings: number;
  readonly minKnowledge: number;
  readonly minStatus: number;
};

export const defaultMemoryBudget: MemoryBudget = {
  total: 5000,
  attempts: 3000,
  learnings: 1500,
  knowledge: 2000,
  status: 500,
  minAttempts: 500,
  minLearnings: 300,
  minKnowledge: 500,
  minStatus: 200,
};

export type RenderedMemory = {
  readonly text: string;
  /** What it shows: `attempt-N`, ids of learnings and `knowledge:PATH`, in the order of the text. */
  readonly injected: readonly string[];
};

const separator = '\n\n';

/** One section, with what it shows. */
type Part = RenderedMemory;

const nothing: Part = { text: '', injected: [] };

/** The memory block of a prompt; empty when the task has no earlier attempt and nothing was selected for it. */
export function renderMemory(context: MemoryContext): RenderedMemory {
  return memoryVariants(context)[0] ?? nothing;
}

/**
 * The block from the fullest to the shortest, for a prompt that has too little room: without the status (a stuck
 * warning stays), then without knowledge, then without learnings, then without older attempts.
 */
export function memoryVariants(context: MemoryContext): readonly RenderedMemory[] {
  const { attempts, learnings, knowledge = [], status, budget } = context;
  if (attempts.length + learnings.length + knowledge.length === 0) return [];
  const room = attemptsRoom(context);
  const count = context.attemptCount ?? attempts.length;
  const past = attemptsPart(renderAttempts(attempts, room, count));
  const newest = attemptsPart(renderNewestAttempt(attempts, room, count));
  const known = renderLearnings(learnings, learningsRoom(context, past));
  const learned: Part = { text: known.text, injected: known.shown };
  const files = renderKnowledge(knowledge, knowledgeRoom(context, joined([past, learned])));
  const written: Part = { text: files.text, injected: files.shown };
  const stuck: Part = { text: renderStuck(status), injected: [] };
  const variants = [
    [past, learned, written, statusPart(joined([past, learned, written]), context)],
    [past, learned, written, stuck],
    [past, learned, stuck],
    [past, stuck],
    [newest, stuck],
  ].map((parts) => withinTotal(parts, budget.total));
  // A task with earlier attempts is told how it stands, also when no room is given to them.
  const isOf = ({ injected }: RenderedMemory) => injected.length > 0 || attempts.length > 0;
  return variants.filter(
    (variant, index) =>
      isOf(variant) && variant.text !== '' && variant.text !== variants[index - 1]?.text,
  );
}

function attemptsPart({ text, shown }: RenderedAttempts): Part {
  return { text, injected: shown.map((number) => `attempt-${number}`) };
}

/** Attempts come first, but leave the others what is reserved for them as far as the budget goes. */
function attemptsRoom(context: MemoryContext): number {
  const { learnings, budget } = context;
  const own = Math.min(budget.minAttempts, budget.total);
  const forLearnings = learnings.length === 0 ? 0 : budget.minLearnings + separator.length;
  const left = budget.total - statusReserve(context) - forLearnings - knowledgeReserve(context);
  return Math.min(budget.attempts, Math.max(own, left));
}

function learningsRoom(context: MemoryContext, past: Part): number {
  const { budget } = context;
  const used = past.text === '' ? 0 : countChars(past.text) + separator.length;
  const reserved = statusReserve(context) + knowledgeReserve(context);
  return Math.min(budget.learnings, budget.total - used - reserved);
}

function knowledgeReserve({ knowledge = [], budget }: MemoryContext): number {
  return knowledge.length === 0 ? 0 : budget.minKnowledge + separator.length;
}

function knowledgeRoom(context: MemoryContext, before: string): number {
  const { budget } = context;
  const used = before === '' ? 0 : countChars(before) + separator.length;
  return Math.min(budget.knowledge, budget.total - used - statusReserve(context));
}

function statusReserve({ status, budget }: MemoryContext): number {
  const needed = Math.min(budget.minStatus, countChars(renderStatus(status)));
  return Math.max(needed, countChars(renderStuck(status))) + separator.length;
}

/** The whole status with its warning, or the warning alone, or nothing. The warning is beside the status' own limit. */
function statusPart(before: string, { status, budget }: MemoryContext): Part {
  const stuck = renderStuck(status);
  const own = renderStatus(status);
  const whole = stuck === '' ? own : `${own}${separator}${stuck}`;
  const used = before === '' ? 0 : countChars(before) + separator.length;
  const fits = countChars(own) <= budget.status && used + countChars(whole) <= budget.total;
  return { text: fits ? whole : stuck, injected: [] };
}

/** Leaves out parts from the end until the rest fits. */
function withinTotal(parts: readonly Part[], total: number): RenderedMemory {
  for (let count = parts.length; count > 0; count--) {
    const kept = parts.slice(0, count);
    const text = joined(kept);
    if (countChars(text) <= total)
      return { text, injected: kept.flatMap(({ injected }) => injected) };
  }
  return nothing;
}

function joined(parts: readonly Part[]): string {
  return parts
    .map(({ text }) => text)
    .filter((text) => text !== '')
    .join(separator);
}
