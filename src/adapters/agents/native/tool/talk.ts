import { z } from 'zod';
import { messageLimits } from '../../../../core/coordinate/limits.ts';
import type { DoorClient } from '../door-client.ts';
import { defineTool, ToolError, type Tool } from './tool.ts';

const To = z
  .string()
  .min(1)
  .max(200)
  .describe('A loop id, a task id, or `all`, `status:running`, `type:NAME`.');

/** Gives other loops a text for their next prompt. */
export function createShareTool(door: DoorClient): Tool {
  return defineTool({
    name: 'share',
    description:
      'Tells other loops something they need for their work, such as an interface you have changed. They read it before their next iteration.',
    input: z.object({ to: To, text: z.string().min(1).max(messageLimits.maxBytes) }),
    run: ({ to, text }, signal) => run(door, ['share', '--', to, text], signal),
  });
}

/** Asks what is known about other loops. */
export function createQueryTool(door: DoorClient): Tool {
  return defineTool({
    name: 'query',
    description: 'Shows what other loops are doing: status, files, checks, what they have shared.',
    input: z.object({ of: To }),
    run: ({ of }, signal) => run(door, ['query', '--', of], signal),
  });
}

async function run(door: DoorClient, argv: readonly string[], signal: AbortSignal) {
  const answer = await door.command(argv, signal);
  if (answer === null) throw new ToolError('the engine of this loop does not answer');
  if (answer.exitCode !== 0) throw new ToolError(answer.stderr.trim() || answer.stdout.trim());
  return { text: answer.stdout.trim() };
}
