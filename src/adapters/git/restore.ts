import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import type { LoopCheckout } from './loop-checkout.ts';
import { filePath, joinRecords, splitRecords } from './path-bytes.ts';

/** Puts files and folders back to what they were in a tree. Never writes or deletes through a symbolic link. */
export async function restorePaths(
  checkout: LoopCheckout,
  tree: string,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const wanted = paths.filter(isInside);
  if (wanted.length === 0) return;
  const { repository, at, workTree, folder } = checkout;
  const env = { GIT_INDEX_FILE: path.join(folder, 'restore-index') };
  await rm(env.GIT_INDEX_FILE, { force: true });
  await rm(`${env.GIT_INDEX_FILE}.lock`, { force: true });

  await repository.output({ at, env, args: ['read-tree', tree], signal });
  const stored = splitRecords(
    await repository.output({ at, env, args: ['ls-files', '-z'], signal }),
  );
  const present = stored.filter((name) => wanted.some((one) => isAtOrBelow(name, one)));
  for (const name of wanted) await removeFile(workTree, name);
  if (present.length > 0) {
    const args = ['checkout-index', '--force', '-z', '--stdin'];
    await repository.output({ at, env, args, input: joinRecords(present), signal });
  }
  await rm(env.GIT_INDEX_FILE, { force: true });
}

/** Relative, without steps upwards, and not git's own. */
function isInside(name: string): boolean {
  const steps = name.split('/');
  return (
    name !== '' &&
    !steps.some((step) => step === '' || step === '..' || step === '.' || step === '.git')
  );
}

function isAtOrBelow(name: string, folder: string): boolean {
  return name === folder || name.startsWith(`${folder}/`);
}

async function removeFile(workTree: string, name: string): Promise<void> {
  const steps = name.split('/');
  for (let depth = 1; depth < steps.length; depth += 1) {
    const parent = await lstat(filePath(workTree, steps.slice(0, depth).join('/'))).catch(
      () => null,
    );
    if (parent?.isDirectory() !== true) return;
  }
  await rm(filePath(workTree, name), { recursive: true, force: true });
}
