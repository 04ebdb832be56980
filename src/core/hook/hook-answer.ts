import { z } from 'zod';
import { lazy } from '../lazy.ts';

/** What a hook before or after an iteration may say, as a JSON object on its last line of output. */
const HookAnswer = lazy(() =>
  z.object({
    action: z.enum(['continue', 'skip', 'stop']).default('continue'),
    reason: z.string().max(2000).default(''),
    /** Before an iteration: replaces its prompt. */
    prompt: z.string().min(1).max(500_000).exactOptional(),
  }),
);
export type HookAnswer = z.output<ReturnType<typeof HookAnswer>>;

export type HeardAnswer =
  | { readonly kind: 'none' }
  | { readonly kind: 'answer'; readonly answer: HookAnswer }
  | { readonly kind: 'malformed'; readonly why: string };

const words = lazy(() => Object.keys(HookAnswer().shape));

/** Whatever else a hook prints is for people: only an object with a word of ours is an answer. */
export function hearAnswer(stdout: string): HeardAnswer {
  const line = stdout.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (!line.startsWith('{')) return { kind: 'none' };
  const value = parseObject(line);
  if (value === null || !words().some((word) => Object.hasOwn(value, word)))
    return { kind: 'none' };
  const parsed = HookAnswer().safeParse(value);
  return parsed.success
    ? { kind: 'answer', answer: parsed.data }
    : { kind: 'malformed', why: z.prettifyError(parsed.error).replaceAll('\n', ' ') };
}

function parseObject(line: string): object | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? value : null;
  } catch {
    // Text that happens to begin with a brace.
    return null;
  }
}
