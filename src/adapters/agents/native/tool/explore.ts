import { z } from 'zod';
import type { Ending } from '../conversation.ts';
import { headChars } from '../../../../core/text/code-points.ts';
import { defineTool, ToolError, type Tool } from './tool.ts';

const turnsByDepth = { quick: 3, normal: 6, deep: 10 } as const;
const maxMs = 120_000;
const maxAnswerChars = 8000;

/** Has a conversation of its own about a question, with so many turns at most. */
export type Explorer = (question: string, maxTurns: number, signal: AbortSignal) => Promise<Ending>;

export function createExploreTool(explorer: Explorer): Tool {
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
      try {
        const ending = await explorer(
          question,
          turnsByDepth[depth],
          AbortSignal.any([signal, limit]),
        );
        return { text: headChars(answerOf(ending), maxAnswerChars) };
      } catch (error) {
        signal.throwIfAborted();
        if (limit.aborted) throw new ToolError(`the exploration took more than ${maxMs / 1000} s`);
        throw error;
      }
    },
  });
}

function answerOf({ kind, finalText, lastText, evidence }: Ending): string {
  const said = finalText.trim() || lastText.trim();
  if (kind === 'done' && said !== '') return said;
  if (said === '') throw new ToolError(`the exploration brought nothing: ${evidence}`);
  return `${said}\n\n(not finished: ${evidence})`;
}
