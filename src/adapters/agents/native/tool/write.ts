import { z } from 'zod';
import type { SeenFiles } from '../seen-files.ts';
import type { WorktreeFiles } from '../worktree-files.ts';
import { defineTool, FilePath, type Tool } from './tool.ts';
import { plural } from '../../../../core/text/plural.ts';

export const maxContentChars = 1024 * 1024;

export function createWriteTool(files: WorktreeFiles, seen: SeenFiles): Tool {
  return defineTool({
    name: 'write',
    description:
      'Writes a whole file, with the folders it needs. Replaces a file that is there: use edit to change a part.',
    input: z.object({
      path: FilePath,
      content: z.string().max(maxContentChars).describe('The whole new content.'),
    }),
    async run({ path, content }) {
      const written = await files.write(path, content);
      seen.saw(written);
      const verb = written.isNew ? 'Created' : 'Replaced';
      return { text: `${verb} ${written.path} (${plural(lineCount(content), 'line')}).` };
    },
  });
}

function lineCount(text: string): number {
  if (text === '') return 0;
  return text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
}
