import { rm } from 'node:fs/promises';
import path from 'node:path';
import { smallText } from '../files/small-file.ts';
import { keptStash } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { replayCommits } from './rebase.ts';
import { replaceSynced } from './registration.ts';
import { isObjectId, resolveCommit } from './repository.ts';

/** Where git notes the commit that holds uncommitted work while a rebase or merge with `--autostash` is under way. */
const notes = ['rebase-merge/autostash', 'rebase-apply/autostash', 'MERGE_AUTOSTASH'];

/**
 * Takes the note away from git, which would otherwise put the work of an agent into the stash, and that is the user's: all
 * checkouts share it. The commit is remembered in the loop's own folder until `bringBackAutostash` has seen to it.
 */
export async function setAsideAutostash({ at, folder }: LoopCheckout): Promise<void> {
  const found = notes.map((name) => smallText(path.join(at.gitDir, name))?.trim() ?? '');
  const ids = found.filter(isObjectId);
  if (ids.length > 0) {
    const all = new Set([...readIds(folder), ...ids]);
    await replaceSynced(ownNote(folder), `${[...all].join('\n')}\n`);
  }
  await Promise.all(
    notes.map((name) => rm(path.join(at.gitDir, name), { recursive: true, force: true })),
  );
}

/** Work that was set aside goes back into the files where it fits, and into a ref of the loop otherwise. Says which. */
export async function bringBackAutostash(
  checkout: LoopCheckout,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const said: string[] = [];
  for (const id of readIds(checkout.folder)) {
    if ((await resolveCommit(checkout.repository, `${id}^1`, signal)) === null) continue;
    const isBack = await apply(checkout, id, signal);
    said.push(
      isBack ? 'uncommitted work that git had set aside is back' : await keep(checkout, id, signal),
    );
  }
  await rm(ownNote(checkout.folder), { force: true });
  return said;
}

/** Only into the ref: the files have been judged and committed as they are. */
export async function keepAutostash(
  checkout: LoopCheckout,
  signal: AbortSignal,
): Promise<readonly string[]> {
  await setAsideAutostash(checkout);
  const said: string[] = [];
  for (const id of readIds(checkout.folder)) {
    if ((await resolveCommit(checkout.repository, id, signal)) === null) continue;
    said.push(await keep(checkout, id, signal));
  }
  await rm(ownNote(checkout.folder), { force: true });
  return said;
}

/** Merged in the object store first, so that a conflict changes nothing. False when there is one. */
async function apply(checkout: LoopCheckout, id: string, signal: AbortSignal): Promise<boolean> {
  const { repository, at, index } = checkout;
  const tree = await index.snapshot(signal);
  const dressed = ['commit-tree', '--no-gpg-sign', '-p', `${id}^1`, '-m', 'files', tree];
  const files = await repository.text({ at, args: dressed, signal });
  const merged = await replayCommits({ repository, at }, id, files, `${id}^1`, signal);
  if (merged.kind === 'conflict') return false;
  if (merged.head === files) return true;
  const env = { GIT_INDEX_FILE: index.file };
  // git takes a file that was written anew with the same content for changed, until it has looked.
  await repository.run({ at, env, args: ['update-index', '-q', '--refresh'], signal });
  const args = ['read-tree', '-m', '-u', files, merged.head];
  const moved = await repository.run({ at, env, args, signal });
  index.changed();
  return moved.exitCode === 0;
}

async function keep(
  { repository, at, loopId }: LoopCheckout,
  id: string,
  signal: AbortSignal,
): Promise<string> {
  const ref = keptStash(loopId, id);
  await repository.output({ at, args: ['update-ref', ref, id], signal });
  return `uncommitted work that git had set aside does not fit any more, it is kept in ${ref}`;
}

function readIds(folder: string): readonly string[] {
  return (smallText(ownNote(folder)) ?? '').split('\n').filter(isObjectId);
}

function ownNote(folder: string): string {
  return path.join(folder, 'autostash');
}
