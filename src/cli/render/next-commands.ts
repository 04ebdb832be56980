import { isSharedBudget } from '../../core/budget/ledger.ts';
import { awaitsApproval, awaitsGoAhead } from '../../core/loop/gating.ts';
import { hadCompleted } from '../../core/loop/finishing.ts';
import { violationsToAllow } from '../../core/loop/judges.ts';
import { liftable } from '../../core/loop/confirming.ts';
import type { Loop } from '../../core/loop/loop.ts';

export type NextCommand = { readonly line: string; readonly does: string };

/** What a person would type next, most likely first. */
export function nextCommands(loop: Loop, hasChanges: boolean): readonly NextCommand[] {
  const show: NextCommand = { line: `loopwright loop show ${loop.id}`, does: 'see its iterations' };
  const look = hasChanges ? diffCommand(loop) : [];
  switch (loop.status) {
    case 'complete':
      return [...mergeCommand(loop), ...look, show];
    case 'failed':
      return [
        { line: `loopwright loop explain ${loop.id}`, does: 'see why it ended' },
        { line: resumeLine(loop), does: 'go on with it' },
        ...decomposeCommand(loop),
        ...acceptCommand(loop),
        ...look,
      ];
    case 'blocked':
      if (awaitsApproval(loop)) return [...look, ...approvalCommands(loop, 'the loop is complete')];
      if (loop.asked !== undefined || awaitsGoAhead(loop))
        return [...look, ...approvalCommands(loop, 'the loop goes on')];
      if (hadCompleted(loop)) {
        return [
          { line: `loopwright merge ${loop.id}`, does: 'merge it when that is put right' },
          { line: resumeLine(loop), does: 'let the agent go on with it' },
          ...look,
        ];
      }
      if (liftable(loop) !== null) {
        return [
          ...acceptCommand(loop),
          { line: `loopwright loop explain ${loop.id}`, does: 'see how it came to that' },
          { line: resumeLine(loop), does: 'let the agent go on with it' },
          ...look,
        ];
      }
      return [
        { line: `loopwright loop explain ${loop.id}`, does: 'see what is in the way' },
        { line: resumeLine(loop), does: 'go on when that is put right' },
        ...acceptCommand(loop),
        ...look,
      ];
    case 'paused':
    case 'stopped':
      return [
        { line: resumeLine(loop), does: 'go on with it' },
        ...acceptCommand(loop),
        show,
        ...look,
      ];
    case 'pending':
    case 'running':
    case 'waiting':
    case 'rebasing':
      return [{ line: `loopwright logs -f ${loop.id}`, does: 'follow it' }, show];
  }
}

/** Offered when the task is stuck. */
function decomposeCommand(loop: Loop): readonly NextCommand[] {
  if (loop.consecutiveFailures < loop.settings.memory['stuck-after']) return [];
  return [
    { line: `loopwright task decompose ${loop.taskId}`, does: 'split it into smaller tasks' },
  ];
}

function acceptCommand(loop: Loop): readonly NextCommand[] {
  if (liftable(loop) !== null) {
    return [
      { line: `loopwright judge ${loop.id}`, does: 'see what it changed of its judge' },
      { line: `loopwright approve ${loop.id}`, does: 'accept it as it is; the diff is printed' },
    ];
  }
  if (violationsToAllow(loop).length === 0) return [];
  return [{ line: `loopwright approve ${loop.id}`, does: 'accept what integrity found, if meant' }];
}

function approvalCommands({ id }: Loop, then: string): readonly NextCommand[] {
  return [
    { line: `loopwright approve ${id}`, does: `say yes: ${then}` },
    { line: `loopwright reject ${id} --reason "..."`, does: 'send it back with a reason' },
  ];
}

/** The command that continues the loop, with the limit raised that ended it. */
export function resumeLine(loop: Loop): string {
  const resume = `loopwright loop resume ${loop.id}`;
  const cap = loop.settings.limits['max-iterations'];
  if (loop.reason === 'max_iterations') return `${resume} --max-iterations ${cap + 10}`;
  if (loop.reason !== 'budget' || isSharedBudget(loop.text)) return resume;
  const budget = loop.text?.startsWith('token budget') === true ? 'max-tokens' : 'max-cost-usd';
  const limit = loop.settings.budget[budget];
  return limit === null || limit === 0 ? resume : `${resume} --${budget} ${limit * 2}`;
}

/** Not `git diff`: that runs what the repository's configuration names, and an agent may have written it. */
function diffCommand({ id, workspace, mergedInto }: Loop): readonly NextCommand[] {
  if (workspace.base === null || mergedInto !== null) return [];
  return [{ line: `loopwright loop diff ${id}`, does: 'read the changes' }];
}

/** Where no branch was checked out at the start there is none to bring it into. */
function mergeCommand({ id, mergedInto, workspace }: Loop): readonly NextCommand[] {
  const { mode, baseRef, branch } = workspace;
  if (mergedInto !== null || mode === 'in-place') return [];
  if (baseRef !== null)
    return [{ line: `loopwright merge ${id}`, does: `bring it into ${baseRef}` }];
  return [{ line: `git merge ${branch ?? ''}`, does: 'bring it into the branch you are on then' }];
}
