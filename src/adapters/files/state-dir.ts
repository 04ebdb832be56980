import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { hideStateFolder, stateFolderName } from './folder-state.ts';
import { tightenState } from './private-state.ts';

/** `.loopwright` of a project, made if need be, the user's alone, ignored by git through its own `.gitignore`. */
export async function openStateDir(projectRoot: string): Promise<string> {
  const folder = path.join(projectRoot, stateFolderName);
  try {
    hideStateFolder(projectRoot, folder);
    tightenState(folder);
    return folder;
  } catch (cause) {
    throw new LoopwrightError('state.unwritable', `cannot write to ${folder}`, {
      cause,
      hint: 'make the folder writable, or run in a folder of your own',
    });
  }
}
