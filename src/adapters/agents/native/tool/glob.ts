import { z } from 'zod';
import { matchesGlob } from '../../../../core/text/glob.ts';
import { shownPath, walk } from '../walk.ts';
import type { WorktreeFiles } from '../worktree-files.ts';
import { defineTool, FolderPath, type Tool } from './tool.ts';

const maxPaths = 1000;

export function createGlobTool(files: WorktreeFiles): Tool {
  return defineTool({
    name: 'glob',
    description: `Finds files by name: \`*\` and \`?\` within a name, \`**\` over folders. A pattern without a slash fits at any depth. At most ${maxPaths} paths.`,
    input: z.object({
      pattern: z.string().min(1).max(1000).describe('Such as `src/**/*.ts` or `*.md`.'),
      path: FolderPath,
    }),
    async run({ pattern, path }, signal) {
      const paths: string[] = [];
      let isCut = false;
      for await (const entry of walk(files, path, signal)) {
        if (entry.kind === 'folder' || !matchesGlob(below(entry.path, path), pattern)) continue;
        isCut = paths.length === maxPaths;
        if (isCut) break;
        paths.push(shownPath(entry.path));
      }
      if (paths.length === 0) return { text: `(nothing fits ${pattern})` };
      return { text: paths.join('\n') + (isCut ? `\n… more than ${maxPaths}` : '') };
    },
  });
}

/** Patterns count from the folder that is searched. */
function below(file: string, folder: string): string {
  const prefix = `${folder.replace(/^\.\//, '').replace(/\/$/, '')}/`;
  return file.startsWith(prefix) ? file.slice(prefix.length) : file;
}
