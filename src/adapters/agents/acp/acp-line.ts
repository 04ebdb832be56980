/** What the client is told on stdin, and what it prints: one JSON object per line. */
import { z } from 'zod';
import { lazy } from '../../../core/lazy.ts';

export type AcpOrder = {
  /** Shell command that starts the server. */
  readonly command: string;
  readonly prompt: string;
  /** Null: the agent's own choice. */
  readonly model: string | null;
  readonly version: string;
};

export type AcpStep = 'initialize' | 'session/new' | 'model' | 'session/prompt';

const Loose = lazy(() => z.record(z.string(), z.unknown()));

export const AcpLine = lazy(() =>
  z.discriminatedUnion('type', [
    z.object({
      type: z.literal('started'),
      agent: z.string().nullable(),
      session: z.string(),
      cwd: z.string(),
      model: z.string().nullable(),
    }),
    /** A `session/update` as it came. */
    z.object({ type: z.literal('update'), update: Loose() }),
    z.object({ type: z.literal('permission'), title: z.string(), granted: z.boolean() }),
    /** The answer to the prompt as it came. */
    z.object({ type: z.literal('answer'), answer: Loose() }),
    z.object({
      type: z.literal('error'),
      step: z.string(),
      code: z.number().nullable(),
      message: z.string(),
      data: z.unknown(),
    }),
    /** Nothing of the protocol: the server ended, or cannot do what is asked. */
    z.object({ type: z.literal('failed'), reason: z.string() }),
  ]),
);
export type AcpLine = z.output<ReturnType<typeof AcpLine>>;
