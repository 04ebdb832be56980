import { z } from 'zod';
import { LoopwrightError } from '../error.ts';
import { namedPaths } from './learning.ts';

/** A learning as a line of a file gives it. Times are UTC milliseconds. */
export type ImportedLearning = {
  readonly id: string | null;
  readonly category: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly paths: readonly string[];
  readonly createdAt: number | null;
};

const maxContent = 20_000;
const Tags = z.array(z.string().max(500)).max(100);
const Line = z.object({
  id: z
    .string()
    .min(1)
    .max(100)
    .regex(/^[\w.:-]+$/)
    .optional(),
  category: z.string().min(1).max(100),
  content: z.string().trim().max(maxContent),
  relevance_tags: Tags.optional(),
  tags: Tags.optional(),
  created_at: z.iso.datetime({ offset: true }).optional(),
});

/** Reads JSON lines; those that say nothing are left out. The first that is not a learning refuses the whole, with its number. */
export function readLearnings(
  text: string,
  parseTime: (iso: string) => number,
): readonly ImportedLearning[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const { id, category, content, created_at: created, ...rest } = readLine(line, index + 1);
    if (content === '') return [];
    const tags = rest.relevance_tags ?? rest.tags ?? [];
    const createdAt = created === undefined ? null : parseTime(created);
    return [{ id: id ?? null, category, content, tags, paths: pathsOf(tags, content), createdAt }];
  });
}

/** Tags name files without an extension too, such as `src/cli`. */
function pathsOf(tags: readonly string[], content: string): readonly string[] {
  const folders = tags.filter((tag) => /^[\w.+-]+(?:\/[\w.+-]+)+$/.test(tag));
  return [...new Set([...folders, ...namedPaths(...tags, content)])].slice(0, 20);
}

function readLine(line: string, number: number): z.infer<typeof Line> {
  const parsed = Line.safeParse(parseJson(line));
  if (parsed.success) return parsed.data;
  throw new LoopwrightError('memory.unreadable_import', `line ${number} is not a learning`, {
    hint: z.prettifyError(parsed.error),
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    // Refused by the schema, with the line's number.
    return null;
  }
}
