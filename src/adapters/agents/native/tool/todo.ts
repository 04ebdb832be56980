import { z } from 'zod';
import { defineTool, type Tool } from './tool.ts';

const maxItems = 50;
const marks = { pending: '[ ]', in_progress: '[~]', done: '[x]' } as const;

/** A list that lives as long as the conversation: the model writes it whole and gets it back. */
export function createTodoTool(): Tool {
  return defineTool({
    name: 'todo',
    description: `Keeps a list of what you plan to do in this iteration. Give the whole list each time; at most ${maxItems} items.`,
    input: z.object({
      items: z
        .array(
          z.object({
            text: z.string().min(1).max(500),
            status: z.enum(['pending', 'in_progress', 'done']).default('pending'),
          }),
        )
        .max(maxItems),
    }),
    run({ items }) {
      const lines = items.map(({ text, status }) => `${marks[status]} ${text}`);
      const open = items.filter(({ status }) => status !== 'done').length;
      return Promise.resolve({ text: [...lines, `(${open} of ${items.length} to do)`].join('\n') });
    },
  });
}
