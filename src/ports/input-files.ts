import type { InputFile } from '../core/prompt/oversized.ts';

/** Texts that are too long for a prompt, as files in a folder of the workspace that git ignores. */
export interface InputFiles {
  /** Writes them anew, whatever is in their place. */
  place(workspace: string, files: readonly InputFile[]): void;
  /** Removes the folder. Absent is fine. */
  remove(workspace: string): void;
}
