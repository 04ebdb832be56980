import path from 'node:path';
import { isResting } from '../core/loop/status.ts';
import type { KnownLoops } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';
import { hasLivingOwner } from './session.ts';

const tidyMs = 120_000;

/**
 * What engines that were killed left of worktrees, before this one starts to work. The loops themselves can go on without
 * it, so a failure is said and does not end the run.
 */
export async function tidyWorktrees(engine: Engine): Promise<void> {
  try {
    const signal = AbortSignal.timeout(tidyMs);
    for (const text of await engine.project.tidyWorktrees(knownLoops(engine), signal))
      engine.publish({ kind: 'notice', text: `put right: ${text}` });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    engine.publish({ kind: 'notice', text: `warning: worktrees were not tidied up: ${text}` });
  }
}

function knownLoops(engine: Engine): KnownLoops {
  return {
    folder: path.join(engine.stateDir, 'worktrees'),
    async find(loopId) {
      const loop = await engine.store.read((tx) => tx.loops.get(loopId));
      if (loop === null || loop.workspace.mode !== 'worktree') return null;
      const { path: folder, branch } = loop.workspace;
      return { path: folder, branch, isOpen: !isResting(loop.status) };
    },
    async isDriven(loopId) {
      const entries = await engine.store.read((tx) => tx.queue.entries());
      const entry = entries.find((each) => each.loopId === loopId);
      return entry !== undefined && hasLivingOwner(engine, entry);
    },
  };
}
