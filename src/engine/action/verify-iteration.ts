import { isEmptyChange } from '../../core/loop/changes.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { forDuePass } from '../../core/loop/passes.ts';
import { judgedRange } from '../compare-with-base.ts';
import type { Engine } from '../engine.ts';
import type { LoopWork } from '../judged-files.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { putBackWritten } from '../put-back.ts';
import { runVerification } from '../run-verification.ts';

/** Executes the checks on what the agent left. Cut short, it records nothing: the iteration ends interrupted. */
export async function verifyIteration(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, iteration } = owner;
  await owner.record({ type: 'verification.started' });
  const before = iteration.tree ?? iteration.startTree;
  const report = await runVerification(
    engine,
    forDuePass(loop),
    {
      cwd: owner.workspace.path,
      dir: await engine.artifacts.iterationDir(loop.id, iteration.number),
      tree: before,
      commit: loop.options.commit ? loop.head : null,
      work: workOf(owner),
    },
    owner.cut,
  );
  owner.lookAfter('the checks', before);
  // Beside other work, unless something else changes the files next.
  if (isFollowed(loop)) await putBackWritten(engine, owner, null);
  if (report === null) return;
  const differs = await differsFromBase(owner);
  await owner.record({ type: 'verification.ended', report, differsFromBase: differs });
}

/** Whether commands of the user's run in the worktree after the checks: what those write is not the checks'. */
function isFollowed({ settings: { hooks, gates } }: Loop): boolean {
  return hooks['post-iteration'].length > 0 || gates.some(({ type }) => type === 'command');
}

async function differsFromBase(owner: LoopOwner): Promise<boolean> {
  const work = workOf(owner);
  if (work === null || work.from === work.to) return false;
  return !isEmptyChange(await work.changes(work.from, work.to));
}

function workOf(owner: LoopOwner): LoopWork | null {
  const range = judgedRange(owner.loop);
  return range === null ? null : { ...range, changes: (a, b) => owner.changesBetween(a, b) };
}
