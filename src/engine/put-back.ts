import { changedPaths } from '../core/loop/changes.ts';
import { lastIteration, looksAtFiles, type Loop } from '../core/loop/loop.ts';
import { listedName } from '../core/text/file-name.ts';
import type { Project } from '../ports/workspace.ts';
import type { Written } from './look-ahead.ts';
import type { LoopOwner } from './loop-owner.ts';

const mostNamed = 10;

/**
 * Puts back what checks, or scripts of stop conditions, wrote since they were started on a snapshot: no later verification finds it, and none of it counts
 * as the agent's work. What was changed by somebody else since stays. Answers the snapshot of the files afterwards, when `now`
 * was that before. Ignored files stay, as caches of tools do; a confirmation has none of them.
 */
export async function putBackWritten(
  { project }: { readonly project: Project },
  owner: LoopOwner,
  now: string | null,
): Promise<string | null> {
  const written = await owner.takeWritten();
  if (written === null || written.before === written.after) return now;
  const { workspace, closing } = owner;
  const current = now ?? (await workspace.snapshot(closing));
  const all = await pathsToPutBack(owner, written, current);
  const paths = all.length === 0 ? all : await withoutModes(project, owner, written, all);
  if (paths.length === 0) return current;
  await restore(owner, written.before, paths);
  await tellOfTracked(owner, written, paths);
  return workspace.snapshot(closing);
}

/**
 * The engine before was killed while checks ran, or soon after. Nobody has seen what they left, so files that were committed as they
 * were before the checks become that again. What stood there is kept as a tree, and named. Answers what was done, for people.
 */
export async function putBackAfterKill(owner: LoopOwner): Promise<readonly string[]> {
  const { loop, workspace, closing } = owner;
  const before = treeBeforeChecks(loop);
  if (!owner.isAfterKill || before === null || !looksAtFiles(loop)) return [];
  const after = await workspace.snapshot(closing);
  if (after === before) return [];
  const all = await pathsToPutBack(owner, { before, after }, after);
  const head = await workspace.head(closing);
  // Without a commit there is nothing that says what these files were; a rebase since has made others of them.
  const apart = new Set(head === null ? all : await changed(owner, before, head));
  const paths = all.filter((file) => !apart.has(file));
  if (paths.length === 0) return [];
  await restore(owner, before, paths);
  return [
    `put back what checks had written: ${named(paths)} (it is kept in the tree ${after.slice(0, 12)})`,
  ];
}

/** What the newest checks were started on; null when it is not known, or other things have run since. */
function treeBeforeChecks(loop: Loop): string | null {
  const { settings, workspace, baseline } = loop;
  const last = lastIteration(loop);
  if (last === null) {
    const isBase = workspace.mode === 'worktree' && settings.workspace.setup === null;
    return baseline?.report?.tree ?? (isBase ? workspace.base : null);
  }
  // What hooks write is meant to stay, and cannot be told from it.
  const isFollowed = last.endedAt !== null && last.outcome !== 'interrupted';
  return isFollowed && settings.hooks['post-iteration'].length > 0 ? null : last.tree;
}

async function restore(owner: LoopOwner, tree: string, paths: readonly string[]): Promise<void> {
  await owner.before('put-back');
  await owner.workspace.restore(tree, paths, owner.closing);
  await owner.after('put-back');
}

async function pathsToPutBack(
  owner: LoopOwner,
  { before, after }: Pick<Written, 'before' | 'after'>,
  now: string,
): Promise<readonly string[]> {
  const { mode } = owner.loop.workspace;
  if (mode === 'in-place') return cleanPaths(owner, { before, after }, now);
  return withoutTouched(owner, await changed(owner, before, after), after, now);
}

/** In the user's own checkout only what is as committed is put back, and nothing is deleted. */
async function cleanPaths(
  owner: LoopOwner,
  { before, after }: Pick<Written, 'before' | 'after'>,
  now: string,
): Promise<readonly string[]> {
  const { loop, workspace, closing } = owner;
  const head = loop.options.commit ? await workspace.head(closing) : null;
  if (head === null) return [];
  const { created, renamed } = await owner.changesBetween(before, after);
  const made = new Set([...created, ...renamed.map(({ to }) => to)]);
  const own = new Set(await changed(owner, head, before));
  const paths = (await changed(owner, before, after)).filter(
    (file) => !made.has(file) && !own.has(file),
  );
  return withoutTouched(owner, paths, after, now);
}

/** A check that makes a program executable, as npx does, has written nothing: it would do so once and find it undone. */
async function withoutModes(
  project: Project,
  owner: LoopOwner,
  { before, after }: Written,
  paths: readonly string[],
): Promise<readonly string[]> {
  if (project.kind !== 'git') return paths;
  const differing = await project.differing(before, after, owner.closing);
  const sameId = differing.filter((each) => idOf(each.before) === idOf(each.after));
  const modes = new Set(sameId.map(({ path }) => path));
  return paths.filter((file) => !modes.has(file));
}

/** Of a mode and the name of a content. */
function idOf(content: string | null): string | null {
  return content?.split(' ')[1] ?? null;
}

async function withoutTouched(
  owner: LoopOwner,
  paths: readonly string[],
  after: string,
  now: string,
): Promise<readonly string[]> {
  if (now === after) return paths;
  const touched = new Set(await changed(owner, after, now));
  return paths.filter((file) => !touched.has(file));
}

async function changed(owner: LoopOwner, from: string, to: string): Promise<readonly string[]> {
  return changedPaths(await owner.changesBetween(from, to));
}

/** Reports and caches come and go; a check that rewrites the work itself is worth a word, once. */
async function tellOfTracked(
  owner: LoopOwner,
  { by, before, after }: Written,
  paths: readonly string[],
): Promise<void> {
  const { created } = await owner.changesBetween(before, after);
  const made = new Set(created);
  const tracked = paths.filter((file) => !made.has(file));
  if (tracked.length === 0) return;
  const text = `${by} changed files of the work, which were put back: ${named(tracked)}`;
  if (!owner.loop.warnings.includes(text)) await owner.record({ type: 'warning.raised', text });
}

function named(paths: readonly string[]): string {
  const more = paths.length - mostNamed;
  const names = paths.slice(0, mostNamed).map(listedName).join(', ');
  return more > 0 ? `${names} and ${more} more` : names;
}
