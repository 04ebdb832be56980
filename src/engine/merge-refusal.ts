import { listedName } from '../core/text/file-name.ts';
import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';

/** Why a merge is refused. A person must do something first; base, branch and checkout are as they were. */
const refusals: ReadonlySet<string> = new Set([
  'git.dirty',
  'git.conflict',
  'git.busy',
  'git.locked',
  'git.index_damaged',
  'git.filtered',
  'git.no_base',
  'git.base_moved',
  'git.altered',
  'git.work_lost',
  'loop.no_branch',
  'loop.no_base_branch',
  'merge.red',
  'merge.setup',
  'merge.others',
]);

/** Refusals for what a person, or time, takes out of the way without telling this program. */
const passing: ReadonlySet<string> = new Set([
  'git.dirty',
  'git.busy',
  'git.locked',
  'git.index_damaged',
  'git.base_moved',
]);

export function mayPass(code: string): boolean {
  return passing.has(code);
}

export function isRefusal(code: string): boolean {
  return refusals.has(code);
}

export function conflicts(loop: Loop, files: readonly string[]): LoopwrightError {
  return new LoopwrightError(
    'git.conflict',
    `${loop.id} conflicts with ${loop.workspace.baseRef ?? 'its base'} in ${files.map(listedName).join(', ')}`,
    {
      hint: `resolve it in ${loop.workspace.path}, then \`loopwright merge ${loop.id}\`; nothing was changed`,
    },
  );
}

export function noLongerPasses(loop: Loop, dir: string): LoopwrightError {
  return new LoopwrightError(
    'merge.red',
    `${loop.id} no longer passes its checks on top of ${loop.workspace.baseRef ?? 'its base'}`,
    {
      hint: `see ${dir}; let it go on with \`loopwright loop resume ${loop.id}\`, or start another loop with \`loopwright run ${loop.taskId} --new\``,
    },
  );
}

/** A disk that has lost what it had, or a repository that somebody has damaged. */
export function lostWork(loop: Loop, head: string): LoopwrightError {
  return new LoopwrightError(
    'git.work_lost',
    `${loop.id} cannot be merged: its work ${head.slice(0, 12)} cannot be read any more, in whole or in part`,
    {
      hint: `let it go on from the newest commit that can be read: \`loopwright loop resume ${loop.id}\``,
    },
  );
}

/** Nobody can say who moved the base: a person decides before anything goes on top of it. */
export function doubtfulBase(loop: Loop, text: string): LoopwrightError {
  return new LoopwrightError('git.base_moved', text, {
    hint: `then \`loopwright merge ${loop.id}\``,
  });
}

export function keepsMoving(loop: Loop): LoopwrightError {
  return new LoopwrightError(
    'git.busy',
    `${loop.workspace.baseRef ?? 'the base'} kept moving while ${loop.id} was being merged`,
    { hint: `try again: \`loopwright merge ${loop.id}\`` },
  );
}

export function noBranch(loop: Loop): LoopwrightError {
  return new LoopwrightError('loop.no_branch', `${loop.id} has no branch of its own to merge`);
}

/** It was started while no branch was checked out. */
export function noBaseBranch(loop: Loop): LoopwrightError {
  const { base, branch } = loop.workspace;
  const from = base === null ? 'a commit' : base.slice(0, 12);
  return new LoopwrightError(
    'loop.no_base_branch',
    `${loop.id} was started from ${from} while no branch was checked out, so there is none to merge it into; its work is on ${branch ?? 'its branch'}`,
    {
      hint: `go to the branch that should have it (\`git switch BRANCH\`), then ${mergeByHand(loop)}`,
    },
  );
}

export function filteredFiles(loop: Loop, files: readonly string[]): LoopwrightError {
  const [first = '', ...more] = files;
  const named = more.length === 0 ? first : `${first} and ${more.length} more`;
  return new LoopwrightError(
    'git.filtered',
    `${named} is under a content filter (git-lfs, git-crypt), which this program never runs; nothing was touched`,
    { hint: mergeByHand(loop) },
  );
}

/** git in the user's own shell obeys the repository's configuration, which an agent may have changed. */
export function mergeByHand({ id, workspace, iterations }: Loop): string {
  const merge = `merge the branch yourself: \`git merge ${workspace.branch ?? ''}\``;
  const isChanged = iterations.some(({ tampered }) => tampered !== undefined);
  if (!isChanged) return merge;
  return `${merge}, but look first at what was changed around the workspace (\`loopwright loop explain ${id}\`): git may run it`;
}

export function dirtyTarget(loop: Loop, branch: string, path: string): LoopwrightError {
  return new LoopwrightError(
    'git.dirty',
    `${branch} is checked out with uncommitted changes at ${path}; it was not touched`,
    { hint: `commit or stash them, then \`loopwright merge ${loop.id}\`` },
  );
}

export function setupFailed(loop: Loop, command: string, output: string): LoopwrightError {
  const said = output.trim().split('\n').at(-1) ?? '';
  return new LoopwrightError(
    'merge.setup',
    `workspace.setup failed for ${loop.id}, so its checks could not run on top of ${loop.workspace.baseRef ?? 'its base'} (${command}): ${said}`,
    { hint: `put it right, then \`loopwright merge ${loop.id}\`` },
  );
}

/** Its branch holds work of other loops that is not in the base. */
export function holdsOthers(loop: Loop, others: readonly string[]): LoopwrightError {
  const [first = ''] = others;
  return new LoopwrightError(
    'merge.others',
    `${loop.workspace.branch ?? loop.id} also holds commits of ${others.join(', ')}, which would be merged with it`,
    {
      hint: `merge ${others.length === 1 ? 'it' : 'them'} first: \`loopwright merge ${first}\`; or ${mergeByHand(loop)}`,
    },
  );
}
