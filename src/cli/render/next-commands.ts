import { hadCompleted } from '../../core/loop/finishing.ts';
import type { Loop } from '../../core/loop/loop.ts';

export type NextCommand = { readonly line: string; readonly does: string };

/** What a person would type next, most likely first. */
export function nextCommands(loop: Loop, hasChanges: boolean): readonly NextCommand[] {
  const show: NextCommand = { line: `loopwright loop show ${loop.id}`, does: 'see its iterations' };
  const look = hasChanges ? diffCommand(loop) : [];
  switch (loop.status) {
    case 'complete':
      return loop.mergedInto !== null || loop.workspace.mode === 'in-place'
        ? [...look, show]
        : [
            {
              line: `loopwright merge ${loop.id}`,
              does: `bring it into ${loop.workspace.baseRef ?? 'its base'}`,
            },
            ...look,
            show,
          ];
    case 'failed':
      return [
        { line: `loopwright loop explain ${loop.id}`, does: 'see why it ended' },
        { line: resumeLine(loop), does: 'go on with it' },
        ...look,
      ];
    case 'blocked':
      if (hadCompleted(loop)) {
        return [
          { line: `loopwright merge ${loop.id}`, does: 'merge it when that is put right' },
          { line: resumeLine(loop), does: 'let the agent go on with it' },
          ...look,
        ];
      }
      return [
        { line: `loopwright loop explain ${loop.id}`, does: 'see what is in the way' },
        { line: resumeLine(loop), does: 'go on when that is put right' },
        ...look,
      ];
    case 'paused':
    case 'stopped':
      return [{ line: resumeLine(loop), does: 'go on with it' }, show, ...look];
    case 'pending':
    case 'running':
    case 'waiting':
    case 'rebasing':
      return [{ line: `loopwright logs -f ${loop.id}`, does: 'follow it' }, show];
  }
}

/** The command that continues the loop, with the limit raised that ended it. */
export function resumeLine(loop: Loop): string {
  const resume = `loopwright loop resume ${loop.id}`;
  const cap = loop.settings.limits['max-iterations'];
  if (loop.reason === 'max_iterations') return `${resume} --max-iterations ${cap + 10}`;
  if (loop.reason !== 'budget') return resume;
  const budget = loop.text?.startsWith('token budget') === true ? 'max-tokens' : 'max-cost-usd';
  const limit = loop.settings.budget[budget];
  return limit === null || limit === 0 ? resume : `${resume} --${budget} ${limit * 2}`;
}

function diffCommand({ workspace, mergedInto }: Loop): readonly NextCommand[] {
  const { mode, branch, base, baseRef } = workspace;
  if (base === null || mergedInto !== null) return [];
  if (mode === 'in-place')
    return [{ line: `git diff ${base.slice(0, 12)}`, does: 'read the changes' }];
  return [
    {
      line: `git diff ${baseRef ?? base.slice(0, 12)}...${branch ?? ''}`,
      does: 'read the changes',
    },
  ];
}
