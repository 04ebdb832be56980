import { mergeLive } from '../../core/config/frozen.ts';
import type { LoopEvent } from '../../core/loop/event.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** Reads the state an iteration starts from and stores its number before anything is spent. */
export async function startIteration(
  engine: Engine,
  owner: LoopOwner,
  { number, attempt }: { readonly number: number; readonly attempt: number },
): Promise<void> {
  const reread = await rereadSettings(engine, owner);
  const startTree = await owner.workspace.snapshot(owner.closing);
  const startHead = await owner.workspace.head(owner.closing);
  await owner.record(...reread, {
    type: 'iteration.started',
    number,
    attempt,
    startTree,
    startHead,
  });
}

/** Live keys follow the user's files at the boundary; what judges or executes stays as it was at the start. */
async function rereadSettings(engine: Engine, owner: LoopOwner): Promise<readonly LoopEvent[]> {
  const { settings, options, loopType, flags } = owner.loop;
  if (options.inPlace) return [];
  const current = await engine.reloadSettings(loopType, flags);
  const merged = mergeLive(settings, current);
  return JSON.stringify(merged) === JSON.stringify(settings)
    ? []
    : [{ type: 'settings.reread', settings: merged }];
}
