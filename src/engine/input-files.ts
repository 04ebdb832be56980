import path from 'node:path';
import { z } from 'zod';
import type { Loop } from '../core/loop/loop.ts';
import { inputsFolder } from '../core/prompt/oversized.ts';
import { worksInPlace } from '../core/loop/place.ts';
import type { Engine } from './engine.ts';

/** The artifact of an iteration with the texts that are too long for its prompt. */
export const inputFilesName = 'input-files.json';

const Files = z.array(
  z.object({ path: z.string().startsWith(`${inputsFolder}/`), text: z.string() }),
);

export type PlacedInputs = Disposable & {
  /** To be opened in the sandbox of the agent: in place they lie in the state folder, which is veiled. */
  readonly readable: readonly string[];
};

/**
 * Puts the texts that the prompt names where it says, right before the agent starts: also when the worktree was made anew
 * meanwhile. In the user's own checkout they are there only while the agent runs.
 */
export async function placeInputFiles(
  { artifacts, inputFiles }: Pick<Engine, 'artifacts' | 'inputFiles'>,
  loop: Pick<Loop, 'workspace'>,
  dir: string,
  workspace: string,
): Promise<PlacedInputs> {
  const kept = await artifacts.readTail(path.join(dir, inputFilesName), Number.MAX_SAFE_INTEGER);
  const files = kept === null ? [] : Files.parse(JSON.parse(kept));
  inputFiles.place(workspace, files);
  return {
    // Only a folder that was just written: what an agent has put there could be a link to anywhere.
    readable: files.length === 0 ? [] : [path.join(workspace, inputsFolder)],
    [Symbol.dispose]() {
      if (worksInPlace(loop) && files.length > 0) inputFiles.remove(workspace);
    },
  };
}
