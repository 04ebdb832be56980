import type { Engine } from '../engine.ts';
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
    },
    owner.cut,
  );
  if (report !== null) await owner.record({ type: 'verification.ended', report });
}
