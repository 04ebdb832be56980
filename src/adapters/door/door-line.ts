/** What is said through a door: one JSON object per line. */
import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';

export const maxLineBytes = 2_500_000;

export const DoorCall = lazy(() =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('command'),
      argv: z.array(z.string()).max(100),
      stdin: z.string().nullable(),
    }),
    /** Leave for one model request. */
    z.object({ type: z.literal('request') }),
  ]),
);
export type DoorCall = z.output<ReturnType<typeof DoorCall>>;

export const DoorReport = lazy(() =>
  z.discriminatedUnion('type', [
    z.object({ type: z.literal('answered'), tokens: z.number().min(0).max(1e9) }),
    z.object({ type: z.literal('refused'), afterMs: z.number().min(0).max(1e9).nullable() }),
  ]),
);

/** Null: not a line of ours. */
export function readLine<S extends z.ZodType>(schema: S, line: string): z.output<S> | null {
  try {
    return schema.safeParse(JSON.parse(line)).data ?? null;
  } catch {
    return null;
  }
}
