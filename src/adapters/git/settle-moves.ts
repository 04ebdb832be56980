import { lstatSync, rmSync } from 'node:fs';
import path from 'node:path';
import { smallText } from '../files/small-file.ts';
import { endMoveCommands } from './end-move-commands.ts';
import type { Checkout } from './git.ts';
import { releaseIndex } from './index-lock.ts';
import { isFreeSoon } from './lock-files.ts';
import { dropMove, leaveMove, listCutMoves, recordedAt, type Move } from './move-record.ts';
import { resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';
import { settleCheckout, type SettledCheckout } from './settle-checkout.ts';
import { belongsTo, listAllCheckouts } from './user-checkouts.ts';

/**
 * Finishes or undoes every move that was cut: where the branch is says which. No ref is moved. Called while no other
 * engine settles or merges. Answers what to tell people.
 */
export async function settleMoves(
  repository: Repository,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const move of listCutMoves(repository.main.commonDir)) {
    try {
      notes.push(...(await settleMove(repository, move, signal)));
    } catch (error) {
      signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      notes.push(`warning: ${nameOf(move)} was cut short and cannot be settled yet: ${reason}`);
    }
  }
  return notes;
}

/** The same for one, which stays recorded until it is settled in every checkout. */
export async function settleMove(
  repository: Repository,
  move: Move,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { commonDir } = repository.main;
  await endMoveCommands(move.id, signal);
  await repository.reach('before:settle-move');
  const checkouts = await knownCheckouts(repository, move, signal);
  await removeRefLocks(repository, move, checkouts, signal);
  const notes: string[] = [];
  let isSettled = true;
  try {
    const commits = [move.from, move.to].map((id) => resolveCommit(repository, id, signal));
    if ((await Promise.all(commits)).every((commit) => commit !== null)) {
      for (const at of checkouts) {
        const settled = await settleCheckout(repository, at, move, signal);
        if (settled.kind === 'busy') isSettled = false;
        notes.push(...describe(move, at, settled));
      }
    } else {
      notes.push(`warning: ${nameOf(move)} was cut short, and its commits are gone`);
    }
  } finally {
    for (const { gitDir } of checkouts) releaseIndex(gitDir, move);
    leaveMove(commonDir, move);
  }
  await repository.reach('after:settle-move');
  if (isSettled) dropMove(commonDir, move);
  return notes;
}

type Shown = Checkout & { readonly workTree: string };

/** Only what the repository itself knows as its checkouts, whatever the record says. */
async function knownCheckouts(
  repository: Repository,
  { gitDirs }: Move,
  signal: AbortSignal,
): Promise<readonly Shown[]> {
  const found: Shown[] = [];
  for (const at of await listAllCheckouts(repository, signal)) {
    const { workTree } = at;
    if (workTree === null || !gitDirs.includes(at.gitDir)) continue;
    if (await belongsTo(workTree, at)) found.push({ ...at, workTree });
  }
  return found;
}

/** Locks that a killed `update-ref` of this move left: made since it began, and empty or with its target. */
async function removeRefLocks(
  { main }: Repository,
  move: Move,
  checkouts: readonly Checkout[],
  signal: AbortSignal,
): Promise<void> {
  if (move.branch.split('/').includes('..')) return;
  const folders = new Set([main.gitDir, ...checkouts.map(({ gitDir }) => gitDir)]);
  const locks = [
    path.join(main.commonDir, 'refs', 'heads', `${move.branch}.lock`),
    ...[...folders].map((folder) => path.join(folder, 'HEAD.lock')),
  ];
  const since = recordedAt(main.commonDir, move);
  for (const lock of locks) {
    if (!isOfMove(lock, move, since) || (await isFreeSoon(lock, signal))) continue;
    rmSync(lock, { force: true });
  }
}

function isOfMove(lock: string, { to }: Move, since: number): boolean {
  const found = lstatSync(lock, { throwIfNoEntry: false });
  if (found?.isFile() !== true || found.mtimeMs < since) return false;
  return found.size === 0 || smallText(lock)?.trim() === to;
}

const shown = 5;

function describe(move: Move, { workTree }: Shown, settled: SettledCheckout): readonly string[] {
  if (settled.kind === 'busy') {
    const why = `${workTree} cannot follow yet: ${settled.why}`;
    return [`warning: ${nameOf(move)} was cut short, and ${why}`];
  }
  const { brought, left } = settled;
  if (brought + left.length === 0) return [];
  const parts = [
    ...(brought === 0 ? [] : [`${brought} ${brought === 1 ? 'path' : 'paths'} put right`]),
    ...(left.length === 0 ? [] : [`changed since and left as they are: ${list(left)}`]),
  ];
  return [`${nameOf(move)} was cut short; in ${workTree}: ${parts.join('; ')}`];
}

function nameOf({ branch, loops, to }: Move): string {
  const whom = loops.length === 0 ? '' : ` for ${list(loops)}`;
  return `a move of ${branch} to ${to.slice(0, 12)}${whom}`;
}

function list(names: readonly string[]): string {
  const more = names.length - shown;
  return `${names.slice(0, shown).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
