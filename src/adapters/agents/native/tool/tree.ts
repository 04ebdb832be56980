import { z } from 'zod';
import { shownPath, walk } from '../walk.ts';
import type { WorktreeFiles } from '../worktree-files.ts';
import { defineTool, FolderPath, type Tool } from './tool.ts';

const maxEntries = 500;

export function createTreeTool(files: WorktreeFiles): Tool {
  return defineTool({
    name: 'tree',
    description: `Shows a folder with what is below it, indented. Dependencies and caches are named but not opened. At most ${maxEntries} entries.`,
    input: z.object({
      path: FolderPath,
      depth: z.number().int().min(1).max(10).default(3).describe('Levels shown.'),
    }),
    async run({ path, depth }, signal) {
      const lines: string[] = [];
      for await (const entry of walk(files, path, signal, depth)) {
        if (lines.length === maxEntries) {
          lines.push(`… more than ${maxEntries} entries: look at a part, or less deep`);
          break;
        }
        const mark = entry.kind === 'folder' ? '/' : entry.kind === 'link' ? ' (link)' : '';
        lines.push(`${'  '.repeat(entry.depth - 1)}${shownPath(entry.name)}${mark}`);
      }
      return { text: lines.length === 0 ? '(the folder is empty)' : lines.join('\n') };
    },
  });
}
