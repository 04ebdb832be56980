import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';
import { messageKinds } from '../../core/coordinate/message.ts';
import { loopStatuses } from '../../core/loop/status.ts';
import { Time } from '../value.ts';

export const daemonStates = ['running', 'draining', 'cutting'] as const;

/** Who answers. Small and quick: it is asked before anything is believed. */
export const Health = lazy(() =>
  z.object({
    /** Of this daemon's life; another one has another. */
    id: z.string(),
    version: z.string(),
    protocol: z.number().int(),
    pid: z.number().int(),
    state: z.enum(daemonStates),
    startedAt: Time(),
  }),
);
export type Health = z.infer<ReturnType<typeof Health>>;

/** What was used of the budget of one run or daemon; null: no limit. */
export const RunBudgetUse = lazy(() =>
  z.object({
    costUsd: z.number(),
    tokens: z.number(),
    maxCostUsd: z.number().nullable(),
    maxTokens: z.number().nullable(),
    maxDurationMs: z.number().nullable(),
    /** Why nothing starts any more; null while something may. */
    spent: z.string().nullable(),
  }),
);
export type RunBudgetUse = z.infer<ReturnType<typeof RunBudgetUse>>;

/** What the daemon does right now. */
export const DaemonStatus = lazy(() =>
  Health().extend({
    /** False: it takes no ready tasks by itself. */
    takesReady: z.boolean(),
    limits: z.object({ maxLoops: z.number().int(), maxAgents: z.number().int() }),
    driven: z.array(
      z.object({
        loop: z.string(),
        task: z.string(),
        title: z.string(),
        status: z.enum(loopStatuses),
        reason: z.string().nullable(),
        iterations: z.number().int(),
        waitingUntil: Time().nullable(),
      }),
    ),
    /** Tasks whose loop waits for a place: which of them comes first, why, and for how long as things are going. */
    waiting: z.array(
      z.object({
        task: z.string(),
        position: z.number().int(),
        reason: z.string(),
        estimateMs: z.number().nullable(),
      }),
    ),
    /** Tasks and loops that could not be started, and why. */
    refused: z.array(z.object({ id: z.string(), text: z.string(), retryInMs: z.number() })),
    /** Why it cannot look for work; null when it can. */
    problem: z.string().nullable(),
    budget: RunBudgetUse(),
    /** Readers of the event stream. */
    readers: z.number().int(),
  }),
);
export type DaemonStatus = z.infer<ReturnType<typeof DaemonStatus>>;

export const ShutdownRequest = lazy(() =>
  z.strictObject({
    /** Cut iterations short instead of letting them end. */
    now: z.boolean().default(false),
  }),
);

export const TaskLine = lazy(() =>
  z.object({
    task: z.string(),
    title: z.string(),
    status: z.string(),
    reason: z.string().nullable(),
    priority: z.string(),
  }),
);
export type TaskLine = z.infer<ReturnType<typeof TaskLine>>;

export const NewTaskRequest = lazy(() =>
  z.strictObject({
    title: z.string().min(1).max(500),
    description: z.string().max(100_000).default(''),
    type: z.string().max(200).nullable().default(null),
  }),
);

export const LoopRequest = lazy(() =>
  z.strictObject({
    kind: z.enum(['pause', 'stop', 'cancel']),
    /** `finish`: when the iteration ends. `cut`: now. */
    when: z.enum(['finish', 'cut']).default('finish'),
  }),
);

export const LoopAnswer = lazy(() =>
  z.object({
    loop: z.string(),
    status: z.enum(loopStatuses),
    reason: z.string().nullable(),
    /** `asked`: its owner will do it. `done`: nobody owned it, and it was done. `already`: nothing to do. */
    answer: z.enum(['asked', 'done', 'already']),
  }),
);
export type LoopAnswer = z.infer<ReturnType<typeof LoopAnswer>>;

export const GuideRequest = lazy(() => z.strictObject({ text: z.string().min(1).max(20_000) }));

export const MessageRequest = lazy(() =>
  z.strictObject({
    /** Sending the same id again changes nothing. */
    id: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .exactOptional(),
    kind: z.enum(['alert', 'share', 'query', 'rebase', 'resume', 'clear-progress']),
    /** A loop id; absent: a person. */
    from: z.string().max(64).exactOptional(),
    /** A loop, or a selector such as `status:running`. */
    to: z.string().min(1).max(200),
    body: z.string().max(1_048_576).default(''),
  }),
);

export const MessageLine = lazy(() =>
  z.object({
    id: z.string(),
    kind: z.enum(messageKinds),
    from: z.string(),
    to: z.string(),
    body: z.string(),
    replyTo: z.string().nullable(),
    sentAt: Time(),
    acknowledgedAt: Time().nullable(),
  }),
);
export type MessageLine = z.infer<ReturnType<typeof MessageLine>>;
