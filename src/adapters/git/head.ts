import path from 'node:path';
import { smallText } from '../files/small-file.ts';
import type { Checkout } from './git.ts';
import { headText, replaceSynced } from './registration.ts';
import { isObjectId, resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';

/** Full name of the branch HEAD is on; null when detached. */
export async function headBranch(
  repository: Repository,
  at: Checkout,
  signal: AbortSignal,
): Promise<string | null> {
  const text = readHeadFile(at);
  if (text !== null && isObjectId(text)) return null;
  const target = text?.startsWith('ref: ') === true ? text.slice('ref: '.length).trim() : null;
  // A repository with reftable storage keeps only this placeholder in the file.
  if (target !== null && target !== 'refs/heads/.invalid') return target;
  const result = await repository.run({ at, args: ['symbolic-ref', '--quiet', 'HEAD'], signal });
  return result.exitCode === 0 ? result.stdout.toString('utf8').trim() : null;
}

/** The commit of HEAD, without a process in the ordinary case of a loose ref. */
export async function headCommit(
  repository: Repository,
  at: Checkout,
  signal: AbortSignal,
): Promise<string | null> {
  const text = readHeadFile(at);
  if (text !== null && isObjectId(text)) return text;
  const target = text?.startsWith('ref: refs/heads/') === true ? text.slice('ref: '.length) : null;
  const loose = target === null ? null : readLooseRef(at, target);
  return loose ?? resolveCommit(repository, 'HEAD', signal, at);
}

/** HEAD names its commit instead of its branch. */
export async function detachHead(
  repository: Repository,
  at: Checkout,
  signal: AbortSignal,
): Promise<void> {
  const commit = await headCommit(repository, at, signal);
  if (commit === null) return;
  const args = ['update-ref', '--no-deref', '-m', 'loopwright: a place of its own', 'HEAD', commit];
  await repository.output({ at, args, signal });
}

/** git refuses a folder whose HEAD is garbage; in our own worktree it is written again. True when it was. */
export async function mendHeadFile(at: Checkout, branch: string): Promise<boolean> {
  const text = readHeadFile(at);
  if (text !== null && (isObjectId(text) || /^ref: refs\/[^\s]+$/.test(text))) return false;
  await replaceSynced(path.join(at.gitDir, 'HEAD'), headText(branch));
  return true;
}

function readHeadFile(at: Checkout): string | null {
  return smallText(path.join(at.gitDir, 'HEAD'))?.trim() ?? null;
}

/** Null when the ref is packed, or anything but a commit's name. */
export function readLooseRef(at: Checkout, name: string): string | null {
  if (name.split('/').includes('..')) return null;
  const text = smallText(path.join(at.commonDir, name))?.trim() ?? '';
  return isObjectId(text) ? text : null;
}
