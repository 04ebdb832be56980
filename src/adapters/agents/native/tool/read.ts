import { z } from 'zod';
import { createLineSplitter } from '../../../process/line-splitter.ts';
import { headChars } from '../../../../core/text/code-points.ts';
import type { SeenFiles } from '../seen-files.ts';
import type { OpenedFile, WorktreeFiles } from '../worktree-files.ts';
import { defineTool, FilePath, ToolError, type Tool } from './tool.ts';
import { plural } from '../../../../core/text/plural.ts';

const maxLines = 2000;
const maxLineChars = 2000;
/** A character has four bytes at most. */
const maxLineBytes = 4 * maxLineChars;
const maxResultChars = 400_000;
/** How far into a file is looked for the lines that are wanted. */
const maxScannedBytes = 256 * 1024 * 1024;
const chunkBytes = 65_536;

export function createReadTool(files: WorktreeFiles, seen: SeenFiles): Tool {
  return defineTool({
    name: 'read',
    description: `Reads a text file. Lines come with their numbers; at most ${maxLines} lines of ${maxLineChars} characters. Use offset and limit for parts of a long file.`,
    input: z.object({
      path: FilePath,
      offset: z.number().int().min(1).default(1).describe('First line, from 1.'),
      limit: z.number().int().min(1).max(maxLines).default(maxLines).describe('Number of lines.'),
    }),
    async run({ path, offset, limit }, signal) {
      await using file = await files.openFile(path);
      const { lines, isOver, isCut } = await readLines(file, offset, limit, signal);
      seen.saw(file);
      if (lines.length === 0) {
        return {
          text:
            offset === 1
              ? '(the file is empty)'
              : `(the file has fewer than ${plural(offset, 'line')})`,
        };
      }
      const numbered = lines.map((line, index) => `${String(offset + index).padStart(6)}\t${line}`);
      const next = offset + lines.length;
      const more = isOver ? '' : `\n(more lines follow: read from offset ${next})`;
      const cut = isCut ? '\n(long lines are cut)' : '';
      return { text: numbered.join('\n') + more + cut };
    },
  });
}

type Lines = {
  readonly lines: readonly string[];
  readonly isOver: boolean;
  readonly isCut: boolean;
};

async function readLines(
  { handle, path }: OpenedFile,
  offset: number,
  limit: number,
  signal: AbortSignal,
): Promise<Lines> {
  const lines: string[] = [];
  let number = 0;
  let chars = 0;
  let isCut = false;
  const splitter = createLineSplitter((line) => {
    number += 1;
    if (number < offset || lines.length > limit) return;
    const shown = headChars(line, maxLineChars);
    isCut ||= shown.length < line.length;
    chars += shown.length;
    lines.push(shown);
  }, maxLineBytes);
  const buffer = Buffer.alloc(chunkBytes);
  let position = 0;
  const isOpen = (): boolean =>
    lines.length <= limit && chars < maxResultChars && position < maxScannedBytes;
  // One line beyond the wanted ones tells whether more follow.
  while (isOpen()) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, chunkBytes, position);
    if (bytesRead === 0) {
      splitter.end();
      break;
    }
    const chunk = buffer.subarray(0, bytesRead);
    if (position === 0 && chunk.includes(0)) throw new ToolError(`${path} is a binary file`);
    splitter.push(chunk);
    position += bytesRead;
  }
  return { lines: lines.slice(0, limit), isOver: isOpen(), isCut };
}
