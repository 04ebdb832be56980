import type { FileChanges } from '../../core/loop/changes.ts';
import { renameSync, rmSync } from 'node:fs';
import { decodePath } from './path-bytes.ts';
import { withoutIndex } from './repository.ts';
import type { Repository } from './repository.ts';
import { gitFailed } from './git.ts';

/** One path that differs between two trees. Renames are shown as a deletion and an addition unless asked for. */
export type TreeEntry = {
  readonly status: string;
  readonly path: string;
  readonly renamedFrom: string | null;
  readonly oldMode: string;
  readonly newMode: string;
  readonly oldId: string;
  readonly newId: string;
};

export type LineCount = { readonly path: string; readonly added: number; readonly removed: number };

const safely = ['--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty'];

/** Entries and line counts between two trees or commits, in one process. Binary files count no lines. */
export async function diffTrees(
  repository: Repository,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<{ readonly entries: readonly TreeEntry[]; readonly lines: readonly LineCount[] }> {
  if (from === to) return { entries: [], lines: [] };
  const format = ['-r', '-M', '-l1000', '--raw', '--numstat', '-z', '--no-abbrev'];
  const args = ['diff-tree', ...format, ...safely, '--end-of-options', from, to];
  const reader = createReader(
    await repository.output({ env: withoutIndex(repository), args, signal }),
  );
  const entries = readEntries(reader);
  return { entries, lines: readLineCounts(reader) };
}

/** Entries of several pairs of trees, in one process and without rename detection. */
export async function diffTreePairs(
  repository: Repository,
  pairs: readonly (readonly [from: string, to: string])[],
  signal: AbortSignal,
): Promise<readonly (readonly TreeEntry[])[]> {
  const args = [
    'diff-tree',
    '--stdin',
    '-r',
    '--no-renames',
    '--raw',
    '-z',
    '--no-abbrev',
    ...safely,
  ];
  const input = pairs.map(([from, to]) => `${from} ${to}\n`).join('');
  const reader = createReader(
    await repository.output({ env: withoutIndex(repository), args, input, signal }),
  );
  return pairs.map(() => {
    reader.until(0x0a);
    return readEntries(reader);
  });
}

export function toFileChanges(
  entries: readonly TreeEntry[],
  lines: readonly LineCount[],
): FileChanges {
  const of = (status: string) =>
    entries
      .filter((entry) => entry.status === status)
      .map((entry) => entry.path)
      .toSorted();
  const renamed = entries.flatMap(({ renamedFrom, path }) =>
    renamedFrom === null ? [] : [{ from: renamedFrom, to: path }],
  );
  return {
    created: of('A'),
    modified: entries
      .filter(({ status }) => status === 'M' || status === 'T')
      .map((entry) => entry.path)
      .toSorted(),
    deleted: of('D'),
    renamed: renamed.toSorted((a, b) => (a.to < b.to ? -1 : 1)),
    lines: lines.reduce((sum, { added, removed }) => sum + added + removed, 0),
  };
}

/** Streams the patch between two trees to a file, which appears only when it is whole. */
export async function writeTreePatch(
  repository: Repository,
  from: string,
  to: string,
  file: string,
  signal: AbortSignal,
  paths: readonly string[] = [],
): Promise<void> {
  const args = [
    'diff-tree',
    '-r',
    '-M',
    '-p',
    '--full-index',
    ...safely,
    '--end-of-options',
    from,
    to,
    ...(paths.length === 0 ? [] : ['--', ...paths]),
  ];
  const partial = `${file}.partial`;
  // Nothing is written through a link that an agent may have left here.
  rmSync(partial, { recursive: true, force: true });
  try {
    const env = withoutIndex(repository);
    const result = await repository.run({ env, args, signal, outputFile: partial });
    if (result.exitCode !== 0) throw gitFailed(args, result);
    renameSync(partial, file);
  } finally {
    rmSync(partial, { force: true });
  }
}

type Reader = ReturnType<typeof createReader>;

function createReader(bytes: Buffer) {
  let at = 0;
  return {
    peek: () => (at < bytes.length ? String.fromCharCode(bytes[at] ?? 0) : ''),
    until(byte: number): string {
      const found = bytes.indexOf(byte, at);
      const end = found === -1 ? bytes.length : found;
      const text = decodePath(bytes.subarray(at, end));
      at = end + 1;
      return text;
    },
  };
}

/** `:oldmode newmode oldid newid STATUS NUL path NUL`, and a second path after a rename. */
function readEntries(reader: Reader): TreeEntry[] {
  const entries: TreeEntry[] = [];
  while (reader.peek() === ':') {
    const [oldMode = '', newMode = '', oldId = '', newId = '', letter = ''] = reader
      .until(0)
      .slice(1)
      .split(' ');
    const status = letter.charAt(0);
    const first = reader.until(0);
    const renamedFrom = status === 'R' ? first : null;
    const path = renamedFrom === null ? first : reader.until(0);
    entries.push({ status, path, renamedFrom, oldMode, newMode, oldId, newId });
  }
  return entries;
}

/** `added TAB removed TAB path NUL`; for a rename the path is empty and two more records follow. */
function readLineCounts(reader: Reader): LineCount[] {
  const counts: LineCount[] = [];
  while (reader.peek() !== '') {
    const record = reader.until(0);
    const firstTab = record.indexOf('\t');
    const secondTab = record.indexOf('\t', firstTab + 1);
    let path = record.slice(secondTab + 1);
    if (path === '') {
      reader.until(0);
      path = reader.until(0);
    }
    counts.push({
      path,
      added: count(record.slice(0, firstTab)),
      removed: count(record.slice(firstTab + 1, secondTab)),
    });
  }
  return counts;
}

/** Binary files show `-`. */
function count(text: string): number {
  return text === '-' ? 0 : Number(text);
}
