import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Checkout } from './git.ts';
import type { Unstored } from './list-differences.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { splitRecords } from './path-bytes.ts';
import type { Repository } from './repository.ts';

type Submodule = { readonly path: string; readonly commit: string };

type Place = Pick<LoopCheckout, 'repository' | 'at' | 'workTree'>;

/**
 * Gives a new checkout the files of its submodules, as far as the user's checkout has them: nothing is fetched. Each becomes a
 * small repository that borrows the objects. Says which ones stay empty, and what to do.
 */
export async function fillSubmodules(
  { repository, at, workTree }: Place,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const notes: string[] = [];
  const submodules = await listSubmodules(repository, at, 'HEAD', signal);
  if (submodules.length === 0) return [];
  const sources = await listSources(repository, at, signal);
  for (const submodule of submodules) {
    const source = sources.get(submodule.path) ?? null;
    const isThere = source !== null && (await hasCommit(repository, source, submodule, signal));
    if (source !== null && isThere) await fill(repository, workTree, source, submodule, signal);
    else notes.push(emptyNote(submodule));
  }
  return notes;
}

/** Submodules whose files are not those that the loop started from: no commit of the loop can keep that. */
export async function changedSubmodules(
  { repository, at, workTree, base }: LoopCheckout,
  signal: AbortSignal,
): Promise<readonly Unstored[]> {
  if (!existsSync(path.join(workTree, '.gitmodules'))) return [];
  const found: Unstored[] = [];
  const from = base ?? 'HEAD';
  for (const { path: name, commit } of await listSubmodules(repository, at, from, signal)) {
    const inner = innerCheckout(workTree, name);
    if (!existsSync(inner.gitDir)) continue;
    const args = ['status', '--porcelain', '-z', '--untracked-files=all', '--no-renames'];
    const { exitCode, stdout } = await repository.run({ at: inner, args, signal });
    const head = await repository.run({ at: inner, args: ['rev-parse', 'HEAD'], signal });
    const isSame = exitCode === 0 && stdout.length === 0;
    if (isSame && head.stdout.toString('latin1').trim() === commit) continue;
    found.push({ name, why: 'is a submodule, and changes inside it are in no commit of the loop' });
  }
  return found;
}

/** Of a commit: what an agent stages does not count. */
async function listSubmodules(
  repository: Repository,
  at: Checkout,
  commit: string,
  signal: AbortSignal,
): Promise<readonly Submodule[]> {
  if (at.workTree === null || !existsSync(path.join(at.workTree, '.gitmodules'))) return [];
  const args = ['ls-tree', '-r', '-z', '--end-of-options', commit];
  const records = splitRecords(await repository.output({ at, args, signal }));
  return records.flatMap((record) => {
    const match = /^160000 commit ([0-9a-f]+)\t(.+)$/s.exec(record);
    const [, id = '', name = ''] = match ?? [];
    return match === null || !name.isWellFormed() ? [] : [{ path: name, commit: id }];
  });
}

/** By path: where the user's checkout keeps the repository of a submodule. */
async function listSources(
  repository: Repository,
  at: Checkout,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const file = path.join(at.workTree ?? '', '.gitmodules');
  const args = ['config', '-z', '-f', file, '--get-regexp', String.raw`^submodule\..*\.path$`];
  const { stdout } = await repository.run({ at, args, signal });
  const found = new Map<string, string>();
  const modules = path.join(repository.main.commonDir, 'modules');
  for (const record of splitRecords(stdout)) {
    const [key = '', ...value] = record.split('\n');
    const source = path.join(modules, key.slice('submodule.'.length, -'.path'.length));
    const isInside = existsSync(source) && realpathSync(source).startsWith(realpathSync(modules));
    if (isInside) found.set(value.join('\n'), source);
  }
  return found;
}

async function hasCommit(
  repository: Repository,
  source: string,
  { commit }: Submodule,
  signal: AbortSignal,
): Promise<boolean> {
  const at = { gitDir: source, commonDir: source, workTree: null };
  const args = ['cat-file', '-e', `${commit}^{tree}`];
  return (await repository.run({ at, args, signal })).exitCode === 0;
}

async function fill(
  repository: Repository,
  workTree: string,
  source: string,
  { path: name, commit }: Submodule,
  signal: AbortSignal,
): Promise<void> {
  const at = innerCheckout(workTree, name);
  for (const folder of ['objects/info', 'refs/heads']) {
    mkdirSync(path.join(at.gitDir, folder), { recursive: true });
  }
  writeFileSync(path.join(at.gitDir, 'HEAD'), `${commit}\n`);
  writeFileSync(path.join(at.gitDir, 'config'), formatOf(source));
  const objects = path.join(source, 'objects');
  writeFileSync(path.join(at.gitDir, 'objects/info/alternates'), `${objects}\n`);
  await repository.output({ at, args: ['read-tree', commit], signal });
  await repository.output({ at, args: ['checkout-index', '--all', '--force'], signal });
}

function innerCheckout(workTree: string, name: string): Checkout & { readonly workTree: string } {
  const folder = path.join(workTree, name);
  const gitDir = path.join(folder, '.git');
  return { gitDir, commonDir: gitDir, workTree: folder };
}

/** Only how objects are named; what else is configured there is not for agents. */
function formatOf(source: string): string {
  const isLong = /objectformat\s*=\s*sha256/i.test(
    readFileSync(path.join(source, 'config'), 'latin1'),
  );
  return isLong
    ? '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n'
    : '[core]\n\trepositoryformatversion = 0\n';
}

function emptyNote({ path: name, commit }: Submodule): string {
  return `the submodule ${name} is empty in the worktree: your checkout does not have its commit ${commit.slice(0, 12)}; run \`git submodule update --init ${name}\` there, then start again`;
}
