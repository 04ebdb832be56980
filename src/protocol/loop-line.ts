import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import { loopStatuses, type LoopStatus } from '../core/loop/status.ts';
import { isoTime, Time, roundUsd } from './value.ts';

/** A loop as an entry of `loop list --json` and `status --json`. */
export const LoopLine = lazy(() =>
  z.object({
    loop: z.string(),
    task: z.string(),
    title: z.string(),
    status: z.enum(loopStatuses),
    reason: z.string().nullable(),
    iterations: z.number().int(),
    branch: z.string().nullable(),
    costUsd: z.number().nullable(),
    createdAt: Time(),
    updatedAt: Time(),
    /** The session that drives it; null when nobody does. */
    owner: z.string().nullable(),
  }),
);
export type LoopLine = z.infer<ReturnType<typeof LoopLine>>;

/** The columns a list is made from. */
export type LoopColumns = {
  readonly id: string;
  readonly taskId: string;
  readonly title: string;
  readonly status: LoopStatus;
  readonly reason: string | null;
  readonly iterations: number;
  readonly branch: string | null;
  readonly costUsd: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly owner: string | null;
};

export function loopLine(row: LoopColumns): LoopLine {
  return {
    loop: row.id,
    task: row.taskId,
    title: row.title,
    status: row.status,
    reason: row.reason,
    iterations: row.iterations,
    branch: row.branch,
    costUsd: roundUsd(row.costUsd),
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
    owner: row.owner,
  };
}
