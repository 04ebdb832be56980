import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { listFolder, shownPath } from '../walk.ts';
import type { WorktreeFiles } from '../worktree-files.ts';
import { defineTool, FolderPath, type Tool } from './tool.ts';

const maxEntries = 1000;

export function createListTool(files: WorktreeFiles): Tool {
  return defineTool({
    name: 'list',
    description: `Lists one folder: folders end with a slash, files come with their size in bytes. At most ${maxEntries} entries.`,
    input: z.object({ path: FolderPath }),
    async run({ path }) {
      await using folder = await files.openFolder(path);
      const entries = await listFolder(folder);
      const lines: string[] = [];
      for (const { name, kind } of entries.slice(0, maxEntries)) {
        const size = kind === 'file' ? await sizeOf(`${folder.location}/${name}`) : '';
        const mark = kind === 'folder' ? '/' : kind === 'link' ? ' (link)' : '';
        lines.push(`${shownPath(name)}${mark}${size}`);
      }
      const left = entries.length - lines.length;
      if (left > 0) lines.push(`… and ${left} more`);
      return { text: lines.length === 0 ? '(the folder is empty)' : lines.join('\n') };
    },
  });
}

async function sizeOf(location: string): Promise<string> {
  const stat = await lstat(location).catch(() => null);
  return stat === null ? '' : `  ${stat.size}`;
}
