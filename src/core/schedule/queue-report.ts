import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { obstacleText, type QueueSnapshot } from './queue-view.ts';
import { slotKinds } from './slot.ts';
import type { Statistics } from './statistics.ts';

const counts = lazy(() => z.object({ loop: z.number(), agent: z.number(), request: z.number() }));

/** Who waits for the slots of one engine and why, and how it went so far. */
export const QueueReport = lazy(() =>
  z.object({
    waiting: z.array(
      z.object({
        /** Of what it waits for a slot: a loop, an agent, a model request. */
        kind: z.enum(slotKinds),
        /** The task whose loop waits; for agents and requests the loop. */
        id: z.string(),
        /** From 1, among those that wait for the same kind. */
        position: z.number().int(),
        reason: z.string(),
        waitedMs: z.number(),
        /** When it will get its slot, as things are going; null: nobody can tell. */
        estimateMs: z.number().nullable(),
      }),
    ),
    held: counts(),
    limits: counts(),
    statistics: z.object({
      waitP50Ms: z.number(),
      waitP95Ms: z.number(),
      /** Most that were held at once. */
      peaks: counts(),
      granted: z.number().int(),
      /** Given up before they were granted. */
      cancelled: z.number().int(),
      /** Refused because too many waited already. */
      rejected: z.number().int(),
    }),
  }),
);
export type QueueReport = z.infer<ReturnType<typeof QueueReport>>;

export function reportQueue(queue: QueueSnapshot, statistics: Statistics): QueueReport {
  return {
    waiting: queue.places.map(({ id, kind, position, obstacle, waitedMs, estimateMs }) => ({
      kind,
      id: keyOf(id.slice(kind.length + 1)),
      position,
      reason: obstacleText(obstacle),
      waitedMs: Math.round(waitedMs),
      estimateMs,
    })),
    held: { ...queue.held },
    limits: { ...queue.limits },
    statistics: {
      ...statistics,
      waitP50Ms: Math.round(statistics.waitP50Ms),
      waitP95Ms: Math.round(statistics.waitP95Ms),
      peaks: { ...statistics.peaks },
    },
  };
}

/** Requests of one loop are numbered. */
function keyOf(key: string): string {
  return key.split('/')[0] ?? key;
}
