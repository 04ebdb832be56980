import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { inputsFolder } from '../../core/prompt/oversized.ts';
import type { InputFiles } from '../../ports/input-files.ts';
import { writeOwnFile } from './own-file.ts';
import { firstInTheWay, makeFolders } from './own-folder.ts';

/** The agent's git must be able to read what says that the folder is ignored. */
const readable = 0o644;

export function createInputFiles(): InputFiles {
  return {
    place(workspace, files) {
      if (files.length === 0) return;
      const folder = path.join(workspace, inputsFolder);
      try {
        // What an agent has put in the way, a link or a file, is taken away and never written through.
        const inTheWay = firstInTheWay(workspace, folder);
        if (inTheWay !== null) rmSync(inTheWay, { force: true });
        makeFolders(workspace, folder);
        write(path.join(folder, '.gitignore'), '*\n');
        for (const file of files) write(path.join(workspace, file.path), file.text);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new LoopwrightError('inputs.unwritable', `cannot write ${folder}: ${reason}`, {
          hint: `texts that are too long for the prompt go there; move away what is in its place`,
          cause,
        });
      }
    },
    remove(workspace) {
      rmSync(path.join(workspace, inputsFolder), { recursive: true, force: true });
    },
  };
}

function write(file: string, text: string): void {
  const isFolder = lstatSync(file, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) rmSync(file, { recursive: true });
  writeOwnFile(file, text, readable);
}
