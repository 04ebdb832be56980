import { z } from 'zod';
import type { ToolName } from '../../../../core/agent/native/tool.ts';
import type { ToolOffer } from '../../../../ports/model-client.ts';

/** What went wrong, in words for the model. The turn goes on. */
export class ToolError extends Error {}

export type ToolOutput = {
  readonly text: string;
  /** The call did its work and the news are bad, such as a command that failed. */
  readonly isError?: boolean;
  /** Ends the conversation with this final message. */
  readonly finalText?: string;
};

export type Tool = {
  readonly name: ToolName;
  readonly offer: ToolOffer;
  /** Throws `ToolError` for what the model can put right. */
  call(input: unknown, signal: AbortSignal): Promise<ToolOutput>;
};

type Definition<I> = {
  readonly name: ToolName;
  readonly description: string;
  readonly input: z.ZodType<I>;
  readonly run: (input: I, signal: AbortSignal) => Promise<ToolOutput>;
};

export function defineTool<I>({ name, description, input, run }: Definition<I>): Tool {
  const { $schema: _schema, ...schema } = z.toJSONSchema(input, { io: 'input' });
  return {
    name,
    offer: { name, description, schema },
    call(given, signal) {
      const parsed = input.safeParse(given);
      if (parsed.success) return run(parsed.data, signal);
      throw new ToolError(`the input does not fit:\n${z.prettifyError(parsed.error)}`);
    },
  };
}

export function isNodeError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}

export const FilePath = z.string().min(1).max(4096).describe('Path from the worktree.');
export const FolderPath = z
  .string()
  .max(4096)
  .default('.')
  .describe('Folder, from the worktree; the worktree itself when left out.');
