import { isLoopwrightError, LoopwrightError } from '../../core/error.ts';

/** What git says of objects it cannot read. */
const damages = ['object file', 'loose object', 'unable to read', 'bad object', 'missing blob'];

export function damagedObjects(what: string, cause?: unknown): LoopwrightError {
  return new LoopwrightError(
    'git.damaged',
    `the repository is damaged, so no worktree can be made from its commit: ${what}`,
    {
      cause,
      hint: 'see what is lost: `git fsck --full`; bring it back from a clone or a copy, then run again',
    },
  );
}

export function pathTaken(folder: string): LoopwrightError {
  return new LoopwrightError(
    'workspace.path_taken',
    `${folder} exists and is not a worktree of this loop`,
    {
      hint: 'Move it away, or set workspace.dir to another folder.',
    },
  );
}

/** Why a worktree could not be made, in words that help. */
export function explainAddFailure(branch: string, failure: unknown): unknown {
  if (!isLoopwrightError(failure) || failure.code !== 'git.failed') return failure;
  const { stderr } = failure.details;
  if (typeof stderr !== 'string') return failure;
  if (stderr.includes("' exists; cannot create '")) {
    return new LoopwrightError(
      'git.branch_name_taken',
      `a branch of this repository keeps ${branch} from being made: ${lastQuoted(stderr.split('; cannot create')[0] ?? '')}`,
      { cause: failure, hint: 'rename that branch: `git branch -m OLD NEW`, then try again' },
    );
  }
  const damaged = stderr
    .split('\n')
    .find((line) => damages.some((words) => line.includes(words)) && !line.includes('/worktrees/'));
  if (damaged === undefined) return failure;
  return damagedObjects(damaged.replace(/^(?:error|fatal): /, ''), failure);
}

export function branchInUse(branch: string, place: string): LoopwrightError {
  return new LoopwrightError(
    'git.branch_in_use',
    `${branch} is checked out in another folder: ${place}`,
    { hint: 'Switch that checkout to another branch, then try again.' },
  );
}

/** git ends that message with the quoted place. */
function lastQuoted(stderr: string): string {
  const [, place = 'unknown'] = stderr.trim().split("'").toReversed();
  return place;
}
