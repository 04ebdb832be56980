import { z } from 'zod';
import { defineTool, type Tool } from './tool.ts';

const maxSummaryChars = 8000;

/** Ends the conversation with a claim about this task. A claim is no proof: the engine runs the checks. */
export function createCompleteTaskTool(taskId: string): Tool {
  return defineTool({
    name: 'complete_task',
    description:
      'Ends your work on this iteration; the engine then runs the checks. Call it alone, when you have verified the work yourself, or with outcome `failed` when you cannot complete the task.',
    input: z.object({
      summary: z.string().max(maxSummaryChars).describe('What you did, in up to five lines.'),
      outcome: z.enum(['done', 'failed']).default('done'),
    }),
    run({ summary, outcome }) {
      // The claim comes first: an unclosed code block in the summary cannot hide it there.
      const finalText = `<task-${outcome}>${taskId}</task-${outcome}>\n\n<summary>\n${summary}\n</summary>`;
      return Promise.resolve({ text: 'The iteration ends here.', finalText });
    },
  });
}
