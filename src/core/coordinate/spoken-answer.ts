import { z } from 'zod';
import { lazy } from '../lazy.ts';

/** A person's answer on its way to the owner of a loop, as the body of a message. */
const SpokenAnswer = lazy(() => z.object({ by: z.string(), text: z.string() }));
export type SpokenAnswer = z.output<ReturnType<typeof SpokenAnswer>>;

export function encodeAnswer({ by, text }: SpokenAnswer): string {
  return JSON.stringify({ by, text });
}

export function decodeAnswer(body: string): SpokenAnswer {
  try {
    return SpokenAnswer().parse(JSON.parse(body));
  } catch {
    return { by: 'user', text: body };
  }
}
