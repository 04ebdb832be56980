import { z } from 'zod';
import { replaceText, type Replacement } from '../../../../core/agent/native/replace-text.ts';
import type { SeenFiles } from '../seen-files.ts';
import type { OpenedFile, WorktreeFiles } from '../worktree-files.ts';
import { defineTool, FilePath, ToolError, type Tool } from './tool.ts';
import { maxContentChars } from './write.ts';

const maxFileBytes = 10n * 1024n * 1024n;

export function createEditTool(files: WorktreeFiles, seen: SeenFiles): Tool {
  return defineTool({
    name: 'edit',
    description:
      'Replaces text in a file you have read. The old text must be in the file exactly once, with its white space, unless replace_all is true.',
    input: z.object({
      path: FilePath,
      old_text: z.string().min(1).max(maxContentChars).describe('Exact text to be replaced.'),
      new_text: z.string().max(maxContentChars).describe('What comes in its place.'),
      replace_all: z.boolean().default(false).describe('Replace every place.'),
    }),
    async run({ path, old_text: find, new_text: replace, replace_all: all }) {
      if (find === replace) throw new ToolError('old_text and new_text are the same');
      const text = await readSeen(files, seen, path);
      const replaced = requireReplaced(replaceText(text, find, replace, all), path);
      const written = await files.write(path, replaced.text);
      seen.saw(written);
      const places = replaced.count === 1 ? '' : ` in ${replaced.count} places`;
      return { text: `Edited ${written.path}${places}.\n${replaced.diff}` };
    },
  });
}

async function readSeen(files: WorktreeFiles, seen: SeenFiles, path: string): Promise<string> {
  await using file = await files.openFile(path);
  const isUnchanged = seen.isUnchanged(file);
  if (isUnchanged === null) throw new ToolError(`read ${path} before you edit it`);
  if (!isUnchanged) throw new ToolError(`${path} has changed since you read it: read it again`);
  if (file.stat.size > maxFileBytes) throw new ToolError(`${path} is larger than 10 MB`);
  return await decode(file, path);
}

/** What is not UTF-8 would be damaged by writing it back. A mark at the beginning is kept. */
async function decode({ handle }: OpenedFile, path: string): Promise<string> {
  const bytes = await handle.readFile();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new ToolError(`${path} is not UTF-8 text`);
  }
}

function requireReplaced(
  replacement: Replacement,
  path: string,
): Extract<Replacement, { kind: 'replaced' }> {
  switch (replacement.kind) {
    case 'replaced':
      return replacement;
    case 'missing':
      throw new ToolError(
        `old_text is not in ${path}: copy it exactly from the file, without line numbers`,
      );
    case 'ambiguous': {
      const lines = replacement.lines.join(', ');
      throw new ToolError(
        `old_text is in ${path} ${replacement.count} times (lines ${lines}): add lines around it, or set replace_all`,
      );
    }
  }
}
