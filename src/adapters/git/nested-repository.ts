import path from 'node:path';
import { gitFailed } from './git.ts';
import type { Checkout } from './git.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { joinRecords, splitRecords } from './path-bytes.ts';
import { withoutIndex } from './repository.ts';
import type { Repository } from './repository.ts';

type NestedPlace = {
  readonly repository: Repository;
  readonly at: Checkout;
  readonly workTree: string;
  readonly ignored: IgnoreRules;
};

/**
 * A project generator that runs `git init` leaves a repository inside the worktree. git itself would record no more
 * than its commit id (or fail when it has none), and the files would be lost with the worktree. So they are taken as
 * ordinary files. A folder that `.gitmodules` names is a real submodule and stays a single entry.
 */
export async function listNestedFiles(
  place: NestedPlace,
  nested: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (nested.length === 0) return [];
  const submodules = await listSubmodules(place, signal);
  const files: string[] = [];
  const queue = [...nested];
  for (let folder = queue.shift(); folder !== undefined; folder = queue.shift()) {
    if (submodules.has(folder)) {
      files.push(folder);
      continue;
    }
    // The folder goes to git by an environment variable, which can only carry text.
    if (!folder.isWellFormed()) continue;
    for (const name of await listFiles(place, folder, signal)) {
      if (name.endsWith('/')) queue.push(name.slice(0, -1));
      else files.push(name);
    }
  }
  const ignored = await listIgnored(place, files, signal);
  return files.filter((name) => !ignored.has(name));
}

async function listSubmodules(
  { repository, at, workTree }: NestedPlace,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  const file = path.join(workTree, '.gitmodules');
  const args = ['config', '-z', '-f', file, '--get-regexp', String.raw`^submodule\..*\.path$`];
  const result = await repository.run({ at, args, signal });
  const records = splitRecords(result.stdout);
  return new Set(records.map((record) => record.slice(record.indexOf('\n') + 1)));
}

/** Paths relative to the worktree. An index that does not exist makes every file untracked. */
async function listFiles(
  { repository, at, workTree, ignored }: NestedPlace,
  folder: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const inside: Checkout = { ...at, workTree: path.join(workTree, folder) };
  const env = withoutIndex(repository);
  const args = ['ls-files', '-z', '--others', ...ignored.options()];
  const output = await repository.output({ at: inside, env, args, signal });
  return splitRecords(output).map((name) => `${folder}/${name}`);
}

/** Those of the paths that ignore files, also above a nested repository, or the user's own lists name. */
export async function listIgnored(
  { repository, at, ignored: rules }: Pick<NestedPlace, 'repository' | 'at' | 'ignored'>,
  files: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlySet<string>> {
  // This command knows no literal paths; `./` keeps a name that starts with a colon from being read as magic.
  const env = { GIT_LITERAL_PATHSPECS: '0' };
  const input = joinRecords(files.map((name) => `./${name}`));
  const args = ['check-ignore', '--no-index', '--verbose', '-z', '--stdin'];
  const result = await repository.run({ at, env, args, input, signal });
  if (result.exitCode > 1) throw gitFailed(args, result);
  const ignored = new Set<string>();
  const records = splitRecords(result.stdout);
  for (let first = 0; first + 3 < records.length; first += 4) {
    const [source = '', , pattern = '', name = ''] = records.slice(first, first + 4);
    const isOfTheFiles = path.basename(source) === '.gitignore';
    if (!pattern.startsWith('!') && (isOfTheFiles || rules.knows(pattern)))
      ignored.add(name.slice('./'.length));
  }
  return ignored;
}
