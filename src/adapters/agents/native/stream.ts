/** What the native agent prints: one JSON object per line. The whole of what is known about a run. */
import { z } from 'zod';
import { lazy } from '../../../core/lazy.ts';
import { agentOutcomeKinds } from '../../../core/agent/outcome.ts';

const Count = lazy(() => z.number().min(0));
const Tokens = lazy(() =>
  z.object({ input: Count(), output: Count(), cacheRead: Count(), cacheWrite: Count() }),
);
const ActivityKind = lazy(() =>
  z.enum(['thinking', 'reading', 'editing', 'running', 'waiting', 'saying', 'finished']),
);
/** Who speaks: the agent itself, or one that explores for it. */
const Speaker = lazy(() => z.enum(['main', 'explore']));

export const StreamEvent = lazy(() =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('started'),
      provider: z.string(),
      model: z.string(),
      tools: z.array(z.string()),
    }),
    /** A request goes out. */
    z.object({ type: z.literal('turn'), speaker: Speaker(), number: Count() }),
    /** Its reply is here. Sizes are characters. */
    z.object({
      type: z.literal('replied'),
      speaker: Speaker(),
      stop: z.string(),
      durationMs: Count(),
      sent: Count(),
      received: Count(),
    }),
    z.object({ type: z.literal('said'), speaker: Speaker(), text: z.string() }),
    z.object({
      type: z.literal('waiting'),
      speaker: Speaker(),
      attempt: Count(),
      waitMs: Count(),
      reason: z.string(),
    }),
    z.object({
      type: z.literal('call'),
      speaker: Speaker(),
      id: z.string(),
      name: z.string(),
      activity: z.object({ kind: ActivityKind(), text: z.string() }),
      /** As JSON, cut when it is long. */
      input: z.string(),
    }),
    z.object({
      type: z.literal('called'),
      speaker: Speaker(),
      id: z.string(),
      name: z.string(),
      isError: z.boolean(),
      durationMs: Count(),
      size: Count(),
      output: z.string(),
    }),
    z.object({ type: z.literal('notice'), text: z.string() }),
    /** Totals of this run; `context` is what the last reply of the agent itself filled, in percent. */
    z.object({ type: z.literal('usage'), tokens: Tokens(), context: z.number().nullable() }),
    z.object({
      type: z.literal('result'),
      kind: z.enum(agentOutcomeKinds),
      finalText: z.string(),
      evidence: z.string(),
      turns: Count(),
      retryAfterMs: z.number().nullable(),
      resetAtMs: z.number().nullable(),
      /** Of the request that failed. */
      retries: Count().optional(),
      fault: z.literal('request').optional(),
    }),
    /** Somebody sent a signal; no result follows. */
    z.object({ type: z.literal('stopped'), signal: z.string() }),
  ]),
);
export type StreamEvent = z.output<ReturnType<typeof StreamEvent>>;
export type Speaker = z.output<ReturnType<typeof Speaker>>;
