import { statSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { stateFolderName } from '../files/folder-state.ts';
import type { Checkout } from './git.ts';
import { gitFailed } from './git.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { filePath, splitRecords } from './path-bytes.ts';
import type { Repository } from './repository.ts';

export type Place = {
  readonly repository: Repository;
  readonly at: Checkout;
  readonly workTree: string;
  readonly file: string;
  /** Untracked paths that never belong to a snapshot. */
  readonly leftOut: readonly string[];
  /** What the index may be made anew from, best first. */
  readonly roots: readonly string[];
  readonly ignored: IgnoreRules;
};

/** A file that is there and in no commit, with the reason. */
export type Unstored = { readonly name: string; readonly why: string };

export type Differences = {
  /** Tracked paths that changed or vanished. */
  readonly tracked: readonly string[];
  readonly untracked: readonly string[];
  /** Folders, without the slash, that are repositories of their own. */
  readonly nested: readonly string[];
  /** Folders that cannot be looked into. */
  readonly closed: readonly Unstored[];
};

/** What differs between the files and the engine's index. */
export async function listDifferences(place: Place, signal: AbortSignal): Promise<Differences> {
  const { records, stderr } = await (isLarge(place) ? lookTwice : lookOnce)(place, signal);
  const tracked = new Set<string>();
  const untracked: string[] = [];
  const nested: string[] = [];
  for (const record of records) {
    const name = record.slice(2);
    if (!record.startsWith('? ')) tracked.add(name);
    else if (isLeftOut(name, place.leftOut)) continue;
    else if (name.endsWith('/')) nested.push(name.slice(0, -1));
    else untracked.push(name);
  }
  const seen = await withoutHidden(place.workTree, [...tracked]);
  return { tracked: seen, untracked, nested, closed: closedFolders(stderr) };
}

/** Each record is a path behind a mark of two letters, `? ` where the index does not have it. */
type Look = { readonly records: readonly string[]; readonly stderr: string };

async function lookOnce(place: Place, signal: AbortSignal): Promise<Look> {
  const asked = ['-t', '-z', '--modified', '--deleted', '--others', ...place.ignored.options()];
  const { stdout, stderr } = await ask(place, ['ls-files', ...asked], signal);
  return { records: splitRecords(stdout), stderr };
}

/** Two processes: one looks at the files that are known, with threads of its own, the other for new ones. */
async function lookTwice(place: Place, signal: AbortSignal): Promise<Look> {
  const others = ['ls-files', '-t', '-z', '--others', ...place.ignored.options()];
  const [changed, found] = await Promise.all([
    ask(place, ['diff-files', '--name-only', '--no-ext-diff', '-z'], signal),
    ask(place, others, signal),
  ]);
  const tracked = splitRecords(changed.stdout).map((name) => `C ${name}`);
  return { records: [...tracked, ...splitRecords(found.stdout)], stderr: found.stderr };
}

async function ask(place: Place, args: readonly string[], signal: AbortSignal) {
  const env = { GIT_INDEX_FILE: place.file };
  const result = await place.repository.run({ at: place.at, env, args, signal });
  if (result.exitCode !== 0 || result.truncated) throw gitFailed(args, result);
  return result;
}

/** About ten thousand files: from here on a second process costs less than it saves. */
const largeIndex = 1024 * 1024;

function isLarge({ file }: Place): boolean {
  return (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > largeIndex;
}

const closedPattern = /^warning: could not open directory '(.+)': /gm;

function closedFolders(stderr: string): readonly Unstored[] {
  const names = [...stderr.matchAll(closedPattern)].map(([, name = '']) => name);
  return names.map((name) => ({ name, why: 'cannot be looked into' }));
}

/** git takes a file in a folder it may not enter for deleted; it is only out of sight. */
async function withoutHidden(workTree: string, names: readonly string[]): Promise<string[]> {
  const hidden = await Promise.all(
    names.map((name) =>
      lstat(filePath(workTree, name)).then(
        () => false,
        (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EACCES',
      ),
    ),
  );
  return names.filter((_, position) => hidden[position] === false);
}

/** New files of this size are build products or dumps far more often than work, and a repository never forgets them. */
const largestFile = 256 * 1024 * 1024;

export async function listLarge(
  workTree: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const sizes = await Promise.all(
    names.map(async (name) => (await lstat(filePath(workTree, name)).catch(() => null))?.size ?? 0),
  );
  return names.filter((_, position) => (sizes[position] ?? 0) > largestFile);
}

export function without(names: readonly string[], left: readonly string[]): readonly string[] {
  return left.length === 0 ? names : names.filter((name) => !left.includes(name));
}

export async function listTracked(place: Place, signal: AbortSignal): Promise<readonly string[]> {
  const env = { GIT_INDEX_FILE: place.file };
  const args = ['ls-files', '-z'];
  return splitRecords(await place.repository.output({ at: place.at, env, args, signal }));
}

export function isLeftOut(name: string, leftOut: readonly string[]): boolean {
  return [stateFolderName, ...leftOut].some((one) => name === one || name.startsWith(`${one}/`));
}
