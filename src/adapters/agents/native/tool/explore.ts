import { z } from 'zod';
import { headChars } from '../../../../core/text/code-points.ts';
import type { Ending } from '../conversation.ts';
import type { StreamEvent } from '../stream.ts';
import { defineTool, type Tool } from './tool.ts';

const turnsByDepth = { quick: 3, normal: 6, deep: 10 } as const;
const defaultMs = 120_000;
const maxAnswerChars = 8000;
const maxListed = 20;

/** The last turn is for the answer: without it, everything that was read would be lost. */
export const lastTurnNotice =
  'This is your last turn. Call no tool: answer the question now with what you have found, and say what is still open.';

/** Has a conversation of its own about a question, with so many turns at most, and tells everything it does. */
export type Explorer = (
  question: string,
  maxTurns: number,
  signal: AbortSignal,
  observe: (event: StreamEvent) => void,
) => Promise<Ending>;

/** Whatever ends the exploration, what it has found out until then is the answer. */
export function createExploreTool(explorer: Explorer, maxMs: number = defaultMs): Tool {
  return defineTool({
    name: 'explore',
    description:
      'Lets a second agent, which can only read, find something out about the code, and returns its answer. Use it for questions that need many files. Depth: quick 3 turns, normal 6, deep 10.',
    input: z.object({
      question: z.string().min(1).max(4000),
      depth: z.enum(['quick', 'normal', 'deep']).default('normal'),
    }),
    async run({ question, depth }, signal) {
      const limit = AbortSignal.timeout(maxMs);
      const both = AbortSignal.any([signal, limit]);
      const seen: Seen = { calls: [], said: '' };
      try {
        const turns = turnsByDepth[depth];
        const ending = await explorer(question, turns, both, (event) => note(seen, event));
        const { kind, finalText, evidence } = ending;
        if (kind === 'done' && finalText.trim() !== '') {
          return { text: headChars(finalText.trim(), maxAnswerChars) };
        }
        return summary(seen, finalText.trim() || ending.lastText.trim(), evidence);
      } catch (error) {
        signal.throwIfAborted();
        const why = limit.aborted ? `it took more than ${maxMs / 1000} s` : messageOf(error);
        return summary(seen, seen.said, why);
      }
    },
  });
}

type Seen = { calls: string[]; said: string };

function note(seen: Seen, event: StreamEvent): void {
  if (event.type === 'said') seen.said = event.text.trim();
  if (event.type === 'call') seen.calls.push(`${event.name} ${event.activity.text}`.trim());
}

/** Made without the model, for an exploration that did not come to its answer. */
function summary(seen: Seen, said: string, why: string): { text: string; isError?: boolean } {
  const calls = [...new Set(seen.calls)];
  const more = calls.length - maxListed;
  const listed = calls.slice(0, maxListed).map((each) => `- ${headChars(each, 200)}`);
  const parts = [
    said === '' ? 'The exploration gave no answer.' : headChars(said, maxAnswerChars - 5000),
    `(not finished: ${headChars(why, 500)})`,
    ...(listed.length === 0
      ? []
      : [['It looked at:', ...listed, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')]),
  ];
  return { text: parts.join('\n\n'), ...(said === '' && { isError: true }) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
