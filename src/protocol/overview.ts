import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import { QueueReport } from '../core/schedule/queue-report.ts';
import type { Overview as Facts } from '../ports/overview.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Task } from '../core/task/task.ts';
import { Health, RunBudgetUse } from './http/payload.ts';
import { LoopLine, loopLine } from './loop-line.ts';
import { isoTime, isoTimeOrNull, roundUsd, Time } from './value.ts';

const TaskEntry = lazy(() =>
  z.object({
    task: z.string(),
    title: z.string(),
    status: z.string(),
    reason: z.string().nullable(),
    priority: z.string(),
  }),
);
type TaskEntry = z.infer<ReturnType<typeof TaskEntry>>;

const ActiveLoop = lazy(() =>
  LoopLine().extend({
    /** Who drives it; null when nobody does. */
    owner: z
      .object({
        session: z.string(),
        kind: z.enum(['run', 'daemon', 'command']),
        pid: z.number().int(),
        host: z.string(),
        isAlive: z.boolean(),
      })
      .nullable(),
    waitingUntil: Time().nullable(),
    text: z.string().nullable(),
  }),
);

/** `status --json`: what is going on, what waits for what, what needs a person. */
export const Overview = lazy(() =>
  z.object({
    /** The daemon that answers for this repository; null when there is none. */
    daemon: Health().nullable(),
    active: z.array(ActiveLoop()),
    needsYou: z.object({ loops: z.array(LoopLine()), tasks: z.array(TaskEntry()) }),
    paused: z.array(LoopLine()),
    /** Tasks by status, and how many are ready. */
    tasks: z.record(z.string(), z.number()),
    next: z.array(TaskEntry()),
    /** The first tasks that wait for others, with the open ones they come after. */
    held: z.array(TaskEntry().extend({ after: z.array(z.string()) })),
    /** Each engine that runs: who waits for its slots and why, and its statistics. */
    queues: z.array(
      QueueReport().extend({
        session: z.string(),
        kind: z.enum(['run', 'daemon', 'command']),
        pid: z.number().int(),
      }),
    ),
    budget: z.object({
      /** What all loops have cost within 24 hours, as far as it is known. */
      dayUsd: z.number(),
      /** `budget.day.max-cost-usd`; null: no limit. */
      dayLimitUsd: z.number().nullable(),
      /** Of the daemon; null: there is none. */
      run: RunBudgetUse().nullable(),
    }),
    /** Providers that are down, longest first. */
    outages: z.array(
      z.object({
        provider: z.string(),
        since: Time(),
        /** Null: it is being tried right now. */
        nextTry: Time().nullable(),
        /** Loops that wait for it. */
        waiting: z.number().int(),
        why: z.string(),
      }),
    ),
  }),
);
export type Overview = z.infer<ReturnType<typeof Overview>>;

export function overviewResult(
  facts: Facts,
  daemon: Health | null,
  run: RunBudgetUse | null = null,
): Overview {
  return {
    budget: { ...facts.budget, dayUsd: roundUsd(facts.budget.dayUsd), run },
    daemon,
    active: facts.active.map(({ loop, row, owner }) => {
      return {
        ...loopLine(row),
        owner,
        waitingUntil: isoTimeOrNull(waitingUntil(loop)),
        text: loop.text,
      };
    }),
    needsYou: {
      loops: facts.needsYou.map(({ row }) => loopLine(row)),
      tasks: facts.blockedTasks.map(taskEntry),
    },
    paused: facts.paused.map(loopLine),
    tasks: { ...facts.counts },
    next: facts.next.map(taskEntry),
    held: facts.held.map(({ task, after }) => {
      return { ...taskEntry(task), after: after.map(({ id }) => id) };
    }),
    queues: [...facts.queues],
    outages: facts.outages.map(({ since, nextTry, ...outage }) => {
      return { ...outage, since: isoTime(since), nextTry: isoTimeOrNull(nextTry) };
    }),
  };
}

/** When a provider that is down is tried again is said of the provider. */
function waitingUntil({ wait }: Loop): number | null {
  return wait === null || wait.condition === 'outage' ? null : wait.until;
}

export function taskEntry({ id, title, status, reason, priority }: Task): TaskEntry {
  return { task: id, title, status, reason, priority };
}
