import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import {
  learningOrigins,
  learningStatuses,
  type Learning as StoredLearning,
} from '../core/memory/learning.ts';
import { isoTime, isoTimeOrNull, Time } from './value.ts';

/** One learning as `memory list`, `show` and `export` print it; `memory import` reads it again. */
export const Learning = lazy(() =>
  z.object({
    id: z.string(),
    category: z.string(),
    content: z.string(),
    tags: z.array(z.string()),
    paths: z.array(z.string()),
    status: z.enum(learningStatuses),
    byHand: z.boolean(),
    origin: z.enum(learningOrigins),
    task: z.string().nullable(),
    loop: z.string().nullable(),
    iteration: z.number().int().nullable(),
    scope: z.string().nullable(),
    signature: z.string().nullable(),
    helpful: z.number().int(),
    harmful: z.number().int(),
    supersededBy: z.string().nullable(),
    created_at: Time(),
    lastUsedAt: Time().nullable(),
    staleAt: Time().nullable(),
    prunedAt: Time().nullable(),
  }),
);
export type Learning = z.infer<ReturnType<typeof Learning>>;

export function learningLine(learning: StoredLearning): Learning {
  return {
    id: learning.id,
    category: learning.category,
    content: learning.content,
    tags: [...learning.tags],
    paths: [...learning.paths],
    status: learning.status,
    byHand: learning.byHand,
    origin: learning.origin,
    task: learning.taskId,
    loop: learning.loopId,
    iteration: learning.iteration,
    scope: learning.scope,
    signature: learning.signature,
    helpful: learning.helpful,
    harmful: learning.harmful,
    supersededBy: learning.supersededBy,
    created_at: isoTime(learning.createdAt),
    lastUsedAt: isoTimeOrNull(learning.lastUsedAt),
    staleAt: isoTimeOrNull(learning.staleAt),
    prunedAt: isoTimeOrNull(learning.prunedAt),
  };
}
