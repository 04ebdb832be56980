import { z } from 'zod';
import { matchesGlob } from '../../../../core/text/glob.ts';
import { headChars } from '../../../../core/text/code-points.ts';
import { createLineSearch, type LineSearch } from '../line-search.ts';
import { shownPath, walkTracked, type WalkEntry } from '../walk.ts';
import { openListed, type WorktreeFiles } from '../worktree-files.ts';
import { defineTool, FilePath, ToolError, type Tool } from './tool.ts';

const maxMatches = 50;
const contextLines = 2;
const maxFileBytes = 5 * 1024 * 1024;
const shownChars = 300;

export function createGrepTool(files: WorktreeFiles): Tool {
  return defineTool({
    name: 'grep',
    description: `Searches text files line by line with a regular expression (JavaScript). Shows the first ${maxMatches} matches with ${contextLines} lines around each. Files that .gitignore leaves out are searched only when they are named.`,
    input: z.object({
      pattern: z.string().min(1).max(1000).describe('Regular expression.'),
      path: FilePath.default('.').describe('File or folder, from the worktree.'),
      glob: z.string().max(1000).optional().describe('Only files whose path fits, such as `*.ts`.'),
      ignore_case: z.boolean().default(false),
    }),
    async run({ pattern, path, glob, ignore_case: ignoreCase }, signal) {
      const search = createLineSearch(pattern, ignoreCase);
      const found: Found[] = [];
      let left = maxMatches;
      for await (const { name, text } of textsBelow(files, path, glob, signal)) {
        const lines = text.split('\n');
        const matches = search(lines, left + 1);
        found.push(...show(name, lines, matches.slice(0, left)));
        left -= matches.length;
        if (left < 0) break;
      }
      if (found.length === 0) return { text: '(no match)' };
      const more = left < 0 ? [`… more than ${maxMatches} matches: search for less`] : [];
      return { text: [...found, ...more].join('\n') };
    },
  });
}

type Found = string;
type TextFile = { readonly name: string; readonly text: string };

async function* textsBelow(
  files: WorktreeFiles,
  start: string,
  glob: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<TextFile> {
  if (await isFile(files, start)) {
    await using file = await files.openFile(start);
    if (file.stat.size > BigInt(maxFileBytes)) throw new ToolError(`${start} is larger than 5 MB`);
    yield { name: file.path, text: await file.handle.readFile('utf8') };
    return;
  }
  for await (const entry of walkTracked(files, start, signal)) {
    if (entry.kind !== 'file') continue;
    if (glob !== undefined && !matchesGlob(entry.path, glob)) continue;
    const text = await textOf(entry);
    if (text !== null) yield { name: entry.path, text };
  }
}

async function isFile(files: WorktreeFiles, start: string): Promise<boolean> {
  try {
    await using file = await files.openFile(start);
    return file.stat.isFile();
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    // No file: opening it as a folder says what else is wrong.
    return false;
  }
}

/** Null for what is no text. */
async function textOf({ folder, name }: WalkEntry): Promise<string | null> {
  const opened = await openListed(folder, name, maxFileBytes);
  if (opened === null) return null;
  await using handle = opened;
  const bytes = await handle.readFile();
  return bytes.subarray(0, 8192).includes(0) ? null : bytes.toString('utf8');
}

/** Matches that are close together share their surroundings. */
function show(
  name: string,
  lines: readonly string[],
  matches: ReturnType<LineSearch>,
): readonly Found[] {
  if (matches.length === 0) return [];
  const out = [`${shownPath(name)}:`];
  let next = 0;
  for (const match of matches) {
    const first = Math.max(match - contextLines, next);
    if (next > 0 && first > next) out.push('  --');
    const isHit = new Set(matches);
    for (let line = first; line <= Math.min(match + contextLines, lines.length - 1); line++) {
      out.push(`${isHit.has(line) ? '>' : ' '} ${line + 1}: ${shown(lines[line] ?? '')}`);
    }
    next = Math.max(next, Math.min(match + contextLines, lines.length - 1) + 1);
  }
  return out;
}

function shown(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  return text.length > shownChars ? `${headChars(text, shownChars)}…` : text;
}
