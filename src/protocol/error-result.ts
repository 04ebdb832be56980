import { z } from 'zod';

/** What `--json` prints when there is no result to print. */
export const ErrorResult = z.object({
  error: z.object({ code: z.string(), message: z.string(), hint: z.string().nullable() }),
  exitCode: z.number().int(),
});
export type ErrorResult = z.infer<typeof ErrorResult>;
