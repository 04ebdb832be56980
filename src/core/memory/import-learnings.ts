import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { LoopwrightError } from '../error.ts';
import { learningOrigins, learningStatuses, namedPaths, type Learning } from './learning.ts';

/** A learning as a line of a file gives it. Times are UTC milliseconds. */
export type ImportedLearning = {
  readonly id: string | null;
  readonly category: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly paths: readonly string[];
  readonly createdAt: number | null;
  /** How it did where it comes from. */
  readonly past: Past;
};

export type Past = Pick<
  Learning,
  | 'status'
  | 'byHand'
  | 'helpful'
  | 'harmful'
  | 'origin'
  | 'taskId'
  | 'loopId'
  | 'iteration'
  | 'scope'
  | 'signature'
  | 'lastUsedAt'
  | 'staleAt'
  | 'prunedAt'
  | 'supersededBy'
>;

const maxContent = 20_000;

const text = (max: number) =>
  z
    .string({ error: `must be text of 1 to ${max} characters` })
    .min(1)
    .max(max);
const Tags = lazy(() =>
  z.array(z.string().max(500), { error: 'must be a list of texts' }).max(100),
);
const Time = lazy(() =>
  z.iso.datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' }),
);
const Count = lazy(() => z.number().int().min(0).max(1_000_000));
/** An id that reads as an option, a task or a loop could never be asked for. */
const Id = text(100).regex(/^(?!t-|loop-)[A-Za-z0-9][\w.:-]*$/, {
  error:
    'must be letters, digits, `.`, `:`, `_` and `-`, and not look like the id of a task or loop',
});

const Line = lazy(() =>
  z.object(
    {
      id: Id.optional(),
      category: text(100),
      content: z
        .string({ error: `must be text of up to ${maxContent} characters` })
        .trim()
        .max(maxContent),
      relevance_tags: Tags().optional(),
      tags: Tags().optional(),
      paths: Tags().optional(),
      created_at: Time().optional(),
      status: z.enum(learningStatuses, { error: 'is no status of a learning' }).optional(),
      byHand: z.boolean().optional(),
      origin: z.enum(learningOrigins).optional(),
      task: text(100).nullish(),
      loop: text(100).nullish(),
      iteration: Count().nullish(),
      scope: text(100).nullish(),
      signature: text(1000).nullish(),
      helpful: Count().optional(),
      harmful: Count().optional(),
      supersededBy: text(100).nullish(),
      lastUsedAt: Time().nullish(),
      staleAt: Time().nullish(),
      prunedAt: Time().nullish(),
    },
    { error: 'must be a JSON object' },
  ),
);
type Line = z.infer<ReturnType<typeof Line>>;

/**
 * Reads JSON lines, as `memory export` prints them or with less in them; those without content are null. The first that is
 * not a learning refuses the whole, with its number.
 */
export function readLearnings(
  file: string,
  parseTime: (iso: string) => number,
): readonly (ImportedLearning | null)[] {
  const lines = file.replace(/^\uFEFF/, '').split('\n');
  return lines.flatMap((line, index) => {
    if (line.trim() === '') return [];
    const read = readLine(line, index + 1);
    return [read.content === '' ? null : toImported(read, parseTime)];
  });
}

function toImported(line: Line, parseTime: (iso: string) => number): ImportedLearning {
  const { id, category, content } = line;
  const tags = line.relevance_tags ?? line.tags ?? [];
  const time = (iso: string | null | undefined) => (iso == null ? null : parseTime(iso));
  return {
    id: id ?? null,
    category,
    content,
    tags,
    paths: line.paths ?? pathsOf(tags, content),
    createdAt: time(line.created_at),
    past: {
      status: line.status ?? 'candidate',
      byHand: line.byHand ?? false,
      helpful: line.helpful ?? 0,
      harmful: line.harmful ?? 0,
      origin: line.origin ?? 'import',
      taskId: line.task ?? null,
      loopId: line.loop ?? null,
      iteration: line.iteration ?? null,
      scope: line.scope ?? null,
      signature: line.signature ?? null,
      lastUsedAt: time(line.lastUsedAt),
      staleAt: time(line.staleAt),
      prunedAt: time(line.prunedAt),
      supersededBy: line.supersededBy ?? null,
    },
  };
}

/** Tags name files without an extension too, such as `src/cli`. */
function pathsOf(tags: readonly string[], content: string): readonly string[] {
  const folders = tags.filter((tag) =>
    /^[\p{L}\p{M}\p{N}_.+-]+(?:\/[\p{L}\p{M}\p{N}_.+-]+)+$/u.test(tag),
  );
  return [...new Set([...folders, ...namedPaths(...tags, content)])].slice(0, 20);
}

function readLine(line: string, number: number): Line {
  const json = parseJson(line);
  if (json === undefined) throw unreadable(number, 'it is not JSON');
  const parsed = Line().safeParse(inOwnSpelling(json));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  throw unreadable(number, `${field === '' ? 'it' : field} ${issue?.message ?? 'is wrong'}`);
}

/** Fields are taken in both spellings, `superseded_by` and `supersededBy`; the one that `Line` has wins. */
function inOwnSpelling(json: unknown): unknown {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const own = new Map(Object.keys(Line().shape).map((field) => [folded(field), field]));
  const respelled = Object.entries(json).map(([key, value]): [string, unknown] => [
    own.get(folded(key)) ?? key,
    value,
  ]);
  return { ...Object.fromEntries(respelled), ...json };
}

function folded(field: string): string {
  return field.replaceAll('_', '').toLowerCase();
}

function unreadable(number: number, why: string): LoopwrightError {
  return new LoopwrightError(
    'memory.unreadable_import',
    `line ${number} is not a learning: ${why}`,
    {
      hint: 'nothing was added; each line is an object such as {"category": "pitfall", "content": "…"}',
    },
  );
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
