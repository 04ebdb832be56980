import { z } from 'zod';
import { lazy } from '../core/lazy.ts';

/** What `--json` prints when there is no result to print. */
export const ErrorResult = lazy(() =>
  z.object({
    error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() }),
    exitCode: z.number().int(),
  }),
);
export type ErrorResult = z.infer<ReturnType<typeof ErrorResult>>;
