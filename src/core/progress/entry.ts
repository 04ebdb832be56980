import { z } from 'zod';
import { lazy } from '../lazy.ts';

/** What one iteration of a loop did, as plain data. Numbers are the engine's own; text is foreign. */
export const ProgressEntry = lazy(() =>
  z.object({
    iteration: z.number(),
    command: z.string(),
    /** Null when the command did not exit by itself. */
    exitCode: z.number().nullable(),
    durationMs: z.number(),
    filesChanged: z.array(z.string()).readonly(),
    stdout: z.string(),
    stderr: z.string(),
    /** First error of the output; found in the output when absent. */
    errorSummary: z.string().nullable().optional(),
    /** Written by a model; null when it could not be had. */
    summary: z.string().nullable().optional(),
    /** Why there is no summary. */
    summaryError: z.string().nullable().optional(),
  }),
);

export type ProgressEntry = Readonly<z.infer<ReturnType<typeof ProgressEntry>>>;
