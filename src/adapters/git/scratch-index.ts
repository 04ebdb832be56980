import type { Checkout } from './git.ts';
import type { Side } from './move-sides.ts';
import { encodePath, splitRecords } from './path-bytes.ts';
import type { Repository } from './repository.ts';

/** An index file of the engine's own, for looking at the files of a checkout without touching the user's index. */
export type ScratchIndex = {
  readonly repository: Repository;
  readonly at: Checkout;
  readonly env: Readonly<Record<string, string>>;
  /** Characters of an object name in this repository. */
  readonly idLength: number;
};

export type IndexChange = { readonly path: string; readonly side: Side };

/** Sets entries; those without a side are removed. */
export async function setEntries(
  { repository, at, env, idLength }: ScratchIndex,
  changes: readonly IndexChange[],
  signal: AbortSignal,
): Promise<void> {
  if (changes.length === 0) return;
  // Removals first, so that a file can take the place of a folder.
  const removals = changes.filter(({ side }) => side === null);
  const others = changes.filter(({ side }) => side !== null);
  const absent = { mode: '0', id: '0'.repeat(idLength) };
  const input = Buffer.concat(
    [...removals, ...others].map(({ path, side }) => indexInfo(path, side ?? absent)),
  );
  const args = ['update-index', '--replace', '-z', '--index-info'];
  await repository.output({ at, env, args, input, signal });
}

/** `mode id TAB path NUL`; mode 0 removes. */
function indexInfo(path: string, { mode, id }: NonNullable<Side>): Buffer {
  const start = Buffer.from(`${mode} ${id}\t`);
  return Buffer.concat([start, encodePath(path), Buffer.from([0])]);
}

/** Looks at the files again; which of them differ is no error. */
export async function refresh(
  { repository, at, env }: ScratchIndex,
  signal: AbortSignal,
): Promise<void> {
  await repository.run({ at, env, args: ['update-index', '-q', '--refresh'], signal });
}

/** Entries whose file is another one, or is not there. */
export async function listDiffering(
  index: ScratchIndex,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  await refresh(index, signal);
  const { repository, at, env } = index;
  const args = ['diff-files', '--name-only', '--no-ext-diff', '--ignore-submodules=dirty', '-z'];
  return new Set(splitRecords(await repository.output({ at, env, args, signal })));
}

export type IndexEntry = { readonly side: Side; readonly isSkipped: boolean };

/** Every entry that is not in the middle of a merge. `isSkipped`: outside of what a sparse checkout shows. */
export async function listEntries(
  { repository, at, env }: ScratchIndex,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, IndexEntry>> {
  const args = ['ls-files', '-t', '--stage', '-z'];
  const entries = new Map<string, IndexEntry>();
  for (const record of splitRecords(await repository.output({ at, env, args, signal }))) {
    const tab = record.indexOf('\t');
    const [tag = '', mode = '', id = ''] = record.slice(0, tab).split(' ');
    const side = tag === 'M' ? { mode: 'unmerged', id: '' } : { mode, id };
    entries.set(record.slice(tab + 1), { side, isSkipped: tag === 'S' });
  }
  return entries;
}
