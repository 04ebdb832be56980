import { isEmptyChange } from '../../core/loop/changes.ts';
import { acceptViolations } from '../../core/verdict/integrity.ts';
import { judgedRange } from '../compare-with-base.ts';
import type { Engine } from '../engine.ts';
import type { LoopWork } from '../judged-files.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { runVerification } from '../run-verification.ts';

/** Executes the checks on what the agent left. Cut short, it records nothing: the iteration ends interrupted. */
export async function verifyIteration(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, iteration } = owner;
  await owner.record({ type: 'verification.started' });
  const report = await runVerification(
    engine,
    loop,
    {
      cwd: owner.workspace.path,
      dir: await engine.artifacts.iterationDir(loop.id, iteration.number),
      tree: iteration.tree ?? iteration.startTree,
      commit: loop.options.commit ? loop.head : null,
      work: workOf(owner),
    },
    owner.cut,
  );
  if (report === null) return;
  // Hooks may change the files again, and a pass most likely ends the loop.
  const isPointless = loop.settings.hooks['post-iteration'].length > 0 || report.overall.passed;
  if (!isPointless) owner.lookAhead();
  // A person may still accept what integrity found; then this counts.
  const mayPass = acceptViolations(report).overall.passed;
  const differs = mayPass && (await differsFromBase(owner));
  await owner.record({ type: 'verification.ended', report, differsFromBase: differs });
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
