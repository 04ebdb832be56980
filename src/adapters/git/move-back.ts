import { pastRef } from './loop-checkout.ts';
import { resolveCommit, type Repository } from './repository.ts';

export type MoveBack = {
  readonly branch: string;
  /** Where it is; when somebody has moved it on since, it stays. */
  readonly from: string;
  readonly to: string;
  readonly loopId: string;
};

/**
 * Moves a branch of the user's back, in one step and only from exactly that commit. Files and index of a checkout that shows it stay
 * as they are: they may hold work of the user's. The commit it leaves is kept with the loop. Answers whether it is there now.
 */
export async function moveBranchBack(
  repository: Repository,
  { branch, from, to, loopId }: MoveBack,
  signal: AbortSignal,
): Promise<boolean> {
  const ref = `refs/heads/${branch}`;
  await repository.reach('before:move-back');
  const input = `start\nupdate ${pastRef(loopId, from)} ${from}\nupdate ${ref} ${to} ${from}\ncommit\n`;
  const args = ['update-ref', '-m', 'loopwright: moved back', '--no-deref', '--stdin'];
  const moved = await repository.run({ args, input, signal });
  await repository.reach('after:move-back');
  const isThere = moved.exitCode === 0 || (await resolveCommit(repository, ref, signal)) === to;
  if (isThere) await repository.disk.refs([ref]);
  return isThere;
}
