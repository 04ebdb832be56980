import { lstat, mkdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Differing, RoomFile, RoomSpec } from '../../ports/workspace.ts';
import { isInside } from '../files/relocation.ts';
import { bringFiles } from './bring-files.ts';
import type { Checkout } from './git.ts';
import { splitRecords } from './path-bytes.ts';
import { isCode } from './registration.ts';
import { removeFolder } from './remove-folder.ts';
import { withoutIndex, type Repository } from './repository.ts';
import { setEntries, type IndexChange, type ScratchIndex } from './scratch-index.ts';
import { fillSubmodules } from './submodules.ts';
import { diffTreePairs } from './tree-diff.ts';

/**
 * A repository of its own with the files of a commit, some of them replaced. It borrows the objects of the user's
 * repository and shares nothing else with it: whatever runs there moves no ref of the user's. Index and `HEAD` hold
 * exactly its files. Removing the folder removes all of it.
 */
export async function makeRoom(
  repository: Repository,
  spec: RoomSpec,
  signal: AbortSignal,
): Promise<void> {
  const at = await layOut(repository, spec, signal);
  const index: ScratchIndex = { repository, at, env: {}, idLength: spec.commit.length };
  await repository.output({ at, args: ['read-tree', spec.commit], signal });
  await setEntries(index, await entriesFor(repository, at, spec, signal), signal);
  const tree = await repository.text({ at, args: ['write-tree'], signal });
  const message = ['commit-tree', tree, '-p', spec.commit, '-m', 'as it is checked'];
  const commit = await repository.text({ at, args: message, signal });
  await writeFile(path.join(at.gitDir, 'HEAD'), `${commit}\n`);
  await repository.output({ at, args: ['checkout-index', '--all', '--force'], signal });
  await fillSubmodules({ repository, at, workTree: spec.folder }, signal);
  await repository.run({ at, args: ['update-index', '-q', '--refresh'], signal });
  const root = repository.main.workTree ?? '';
  await bringFiles(root, spec.folder, { copy: spec.copy, link: [] }, signal);
  const { from, paths: all } = spec.own;
  const tracked = await presentIn(spec.folder, spec.link);
  const paths = all.filter((entry) => !tracked.some((folder) => isInside(entry, folder)));
  const link = spec.link.filter((entry) => !paths.includes(entry));
  await bringFiles(root, spec.folder, { copy: [], link }, signal);
  for (const entry of paths) await bringOwn(from, spec.folder, entry, signal);
  await writeFile(spec.identity, identityOf(repository));
}

function identityOf({ user }: Repository): string {
  const own = `[user]\n\tname = ${quoted(user.name)}\n\temail = ${quoted(user.email)}\n`;
  return `${own}[include]\n\tpath = /etc/gitconfig\n`;
}

/** A value as git reads it from a file. */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', ' ')}"`;
}

/** What is tracked there stays. */
async function presentIn(folder: string, entries: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    entries.map((entry) => lstat(path.join(folder, entry)).catch(() => null)),
  );
  return entries.filter((_, index) => found[index] !== null);
}

/** A link that stays inside of its folder stays a link: what it leads to is in the commit, or it is not there. */
async function bringOwn(
  from: string,
  folder: string,
  entry: string,
  signal: AbortSignal,
): Promise<void> {
  await makeWay(folder, entry);
  const source = path.join(from, entry);
  const target = await readlink(source).catch(() => null);
  const full = target === null ? null : path.resolve(path.dirname(source), target);
  if (full === null || !isInside(full, from)) {
    await bringFiles(from, folder, { copy: [], link: [entry] }, signal);
    return;
  }
  const place = path.join(folder, entry);
  await mkdir(path.dirname(place), { recursive: true });
  await symlink(path.relative(path.dirname(source), full), place);
}

/** Removes what is at a path, and links on the way to it, which could lead out of the folder. */
async function makeWay(folder: string, entry: string): Promise<void> {
  const steps = path.normalize(entry).split('/');
  for (let count = 1; count <= steps.length; count++) {
    const file = path.join(folder, ...steps.slice(0, count));
    const found = await lstat(file).catch(() => null);
    if (found === null) return;
    const isOnTheWay = count < steps.length && found.isDirectory();
    if (isOnTheWay) continue;
    return found.isDirectory() ? removeFolder(file) : rm(file, { force: true });
  }
}

async function layOut(
  repository: Repository,
  { folder, commit }: RoomSpec,
  signal: AbortSignal,
): Promise<Checkout> {
  const gitDir = path.join(folder, '.git');
  await mkdir(path.join(gitDir, 'objects', 'info'), { recursive: true });
  await mkdir(path.join(gitDir, 'refs', 'heads'), { recursive: true });
  const objects = path.join(repository.main.commonDir, 'objects');
  await writeFile(path.join(gitDir, 'objects', 'info', 'alternates'), `${objects}\n`);
  await writeFile(path.join(gitDir, 'HEAD'), `${commit}\n`);
  await writeFile(path.join(gitDir, 'packed-refs'), await tagsOf(repository, commit, signal));
  await bringShallow(repository.main.commonDir, gitDir);
  const isLong = commit.length > 40;
  const version = isLong ? 1 : 0;
  const format = isLong ? '[extensions]\n\tobjectFormat = sha256\n' : '';
  const settings = await fileSettings(repository, signal);
  const core = `[core]\n\trepositoryformatversion = ${version}\n\tbare = false\n${settings}`;
  await writeFile(path.join(gitDir, 'config'), `${core}${format}`);
  return { gitDir, commonDir: gitDir, workTree: folder };
}

/** Tags of the history: `git describe` and versions that are made of it need them. */
async function tagsOf(
  repository: Repository,
  commit: string,
  signal: AbortSignal,
): Promise<string> {
  const format = '--format=%(objectname) %(refname)';
  const args = ['for-each-ref', format, `--merged=${commit}`, 'refs/tags'];
  const tags = await repository.text({ args, signal });
  return tags === '' ? '' : `${tags}\n`;
}

/** Where the history of a shallow clone ends, so that nothing looks for what is before. */
async function bringShallow(from: string, gitDir: string): Promise<void> {
  const text = await readFile(path.join(from, 'shallow'), 'utf8').catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return null;
    throw error;
  });
  if (text !== null) await writeFile(path.join(gitDir, 'shallow'), text);
}

/** What the user's own repository says about files on this disk; it can start nothing. */
async function fileSettings(repository: Repository, signal: AbortSignal): Promise<string> {
  const pattern = String.raw`^core\.(filemode|symlinks|ignorecase)$`;
  const args = ['config', '--local', '-z', '--type=bool', '--get-regexp', pattern];
  const { stdout } = await repository.run({ args, signal });
  return splitRecords(stdout)
    .map((record) => `\t${record.replace('core.', '').replace('\n', ' = ')}\n`)
    .join('');
}

async function entriesFor(
  repository: Repository,
  at: Checkout,
  { files, commit }: RoomSpec,
  signal: AbortSignal,
): Promise<readonly IndexChange[]> {
  const byRevision = Map.groupBy(
    files.filter((file) => 'revision' in file),
    ({ revision }) => revision,
  );
  const changes: IndexChange[] = [];
  for (const [revision, group] of byRevision) {
    const entries = await entriesAt(repository, revision, signal);
    for (const { path: name } of group)
      changes.push({ path: name, side: entries.get(name) ?? null });
  }
  const texts = files.filter((file) => 'text' in file);
  // A script with another text is run in the same way.
  const before = texts.length === 0 ? null : await entriesAt(repository, commit, signal);
  for (const file of texts) {
    const mode = before?.get(file.path)?.mode === '100755' ? '100755' : '100644';
    changes.push({ path: file.path, side: await textEntry(repository, at, file, mode, signal) });
  }
  return changes;
}

type TextFile = Extract<RoomFile, { readonly text: string | null }>;

async function textEntry(
  repository: Repository,
  at: Checkout,
  { text }: TextFile,
  mode: string,
  signal: AbortSignal,
): Promise<IndexChange['side']> {
  if (text === null) return null;
  const args = ['hash-object', '-w', '--stdin'];
  const id = await repository.text({ at, args, input: text, signal });
  return { mode, id };
}

/** Mode and id of every file of a revision. */
async function entriesAt(
  repository: Repository,
  revision: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, { readonly mode: string; readonly id: string }>> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', '--end-of-options', revision];
  const output = await repository.output({ env: withoutIndex(repository), args, signal });
  const entries = new Map<string, { mode: string; id: string }>();
  for (const record of splitRecords(output)) {
    const tab = record.indexOf('\t');
    const [mode = '', , id = ''] = record.slice(0, tab).split(' ');
    entries.set(record.slice(tab + 1), { mode, id });
  }
  return entries;
}

export async function listDifferences(
  repository: Repository,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<readonly Differing[]> {
  // `diff-tree` takes two commits for one and its parent.
  const names = [from, to].map((revision) => `${revision}^{tree}`);
  const ids = await repository.text({ args: ['rev-parse', ...names], signal });
  const [before = '', after = ''] = ids.split('\n');
  if (before === after) return [];
  const [entries = []] = await diffTreePairs(repository, [[before, after]], signal);
  return entries.map((entry) => ({
    path: entry.path,
    before: contentOf(entry.oldMode, entry.oldId),
    after: contentOf(entry.newMode, entry.newId),
  }));
}

function contentOf(mode: string, id: string): string | null {
  return /^0+$/.test(mode) ? null : `${mode} ${id}`;
}
