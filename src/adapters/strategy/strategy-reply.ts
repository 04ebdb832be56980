import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';

/** The last line that the runner of a strategy module prints. */
export const StrategyReply = lazy(() =>
  z.discriminatedUnion('kind', [
    z.strictObject({ kind: z.literal('loaded'), name: z.string(), hasEnd: z.boolean() }),
    z.strictObject({ kind: z.literal('answered'), answer: z.unknown() }),
    /** `isShape`: the module was loaded, and what it exports is not a strategy. */
    z.strictObject({ kind: z.literal('failed'), isShape: z.boolean(), text: z.string() }),
  ]),
);
export type StrategyReply = z.infer<ReturnType<typeof StrategyReply>>;
