import path from 'node:path';
import { z } from 'zod';
import type { Loop } from '../core/loop/loop.ts';
import { inputsFolder } from '../core/prompt/oversized.ts';
import type { Engine } from './engine.ts';

/** The artifact of an iteration with the texts that are too long for its prompt. */
export const inputFilesName = 'input-files.json';

const Files = z.array(
  z.object({ path: z.string().startsWith(`${inputsFolder}/`), text: z.string() }),
);

/**
 * Puts the texts that the prompt names where it says, right before the agent starts: also when the worktree was made anew
 * meanwhile. In the user's own checkout they are there only while the agent runs.
 */
export async function placeInputFiles(
  { artifacts, inputFiles }: Pick<Engine, 'artifacts' | 'inputFiles'>,
  { options }: Pick<Loop, 'options'>,
  dir: string,
  workspace: string,
): Promise<Disposable> {
  const kept = await artifacts.readTail(path.join(dir, inputFilesName), Number.MAX_SAFE_INTEGER);
  const files = kept === null ? [] : Files.parse(JSON.parse(kept));
  inputFiles.place(workspace, files);
  return {
    [Symbol.dispose]() {
      if (options.inPlace && files.length > 0) inputFiles.remove(workspace);
    },
  };
}
