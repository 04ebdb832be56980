import { z } from 'zod';

/** A person's answer on its way to the owner of a loop, as the body of a message. */
const SpokenAnswer = z.object({ by: z.string(), text: z.string() });
export type SpokenAnswer = z.output<typeof SpokenAnswer>;

export function encodeAnswer({ by, text }: SpokenAnswer): string {
  return JSON.stringify({ by, text });
}

export function decodeAnswer(body: string): SpokenAnswer {
  try {
    return SpokenAnswer.parse(JSON.parse(body));
  } catch {
    return { by: 'user', text: body };
  }
}
