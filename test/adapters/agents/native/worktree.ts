import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createTools } from '../../../../src/adapters/agents/native/tool/registry.ts';
import { ToolError, type ToolOutput } from '../../../../src/adapters/agents/native/tool/tool.ts';
import { createDoorClient } from '../../../../src/adapters/agents/native/door-client.ts';
import { WorktreeFiles } from '../../../../src/adapters/agents/native/worktree-files.ts';
import { createSystemClock } from '../../../../src/adapters/clock/system-clock.ts';
import { defaultDenied } from '../../../../src/core/agent/native/denied-command.ts';
import { defaultTools } from '../../../../src/core/agent/native/tool.ts';
import { tempDir } from '../../../support/temp-dir.ts';

export type Worktree = AsyncDisposable & {
  readonly folder: string;
  /** A folder beside it, with `secret.txt`. */
  readonly outside: string;
  readonly output: (name: string, input: unknown, signal?: AbortSignal) => Promise<ToolOutput>;
  /** What a tool answers; its refusals begin with `refused: `. */
  call(name: string, input: unknown): Promise<string>;
};

/** A worktree with these files, and the tools on it. */
export async function worktree(content: Readonly<Record<string, string>> = {}): Promise<Worktree> {
  const dir = await tempDir();
  const folder = path.join(dir.path, 'work');
  const outside = path.join(dir.path, 'outside');
  await mkdir(folder);
  await mkdir(outside);
  await writeFile(path.join(outside, 'secret.txt'), 'secret\n');
  for (const [name, text] of Object.entries(content)) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), text);
  }
  const tools = createTools(defaultTools, {
    cwd: folder,
    denied: defaultDenied,
    env: { PATH: process.env['PATH'], HOME: dir.path },
    clock: createSystemClock(),
    files: new WorktreeFiles(folder),
    taskId: 't-00000001',
    explorer: () => Promise.reject(new Error('nobody explores here')),
    door: createDoorClient(null),
  });
  const output: Worktree['output'] = async (name, input, signal = new AbortController().signal) => {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.call(input, signal);
  };
  return {
    folder,
    outside,
    output,
    async call(name, input) {
      try {
        return (await output(name, input)).text;
      } catch (error) {
        if (error instanceof ToolError) return `refused: ${error.message}`;
        throw error;
      }
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}
