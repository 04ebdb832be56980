import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Rest } from '../core/loop/judge.ts';
import { repair } from '../core/loop/repair.ts';
import { isDiskFull } from './disk-full.ts';
import { drive } from './drive.ts';
import type { Engine } from './engine.ts';
import { landedRebase } from './landed-rebase.ts';
import { lostUsage } from './running-usage.ts';
import type { LoopOwner } from './loop-owner.ts';
import { reportSurroundings } from './report-surroundings.ts';
import { tellStrategy } from './tell-strategy.ts';

/** The loop is somebody else's by now, or there is nothing left to record it in. */
const unrecordable: ReadonlySet<string> = new Set(['store.fenced', 'loop.lost', 'store.gone']);

/** An error that is nobody's verdict (disk full, git broken) parks the loop: paused with the reason, nothing lost. */
export async function driveOrPark(engine: Engine, owner: LoopOwner): Promise<Loop> {
  try {
    return await drive(engine, owner);
  } catch (error) {
    const code = isLoopwrightError(error) ? error.code : 'internal';
    if (!unrecordable.has(code)) await park(engine, owner, error);
    throw error;
  }
}

async function park(engine: Engine, owner: LoopOwner, error: unknown): Promise<void> {
  const said = error instanceof Error ? error.message : String(error);
  const isFull = isDiskFull(error);
  // What the system says of it has a code in front and no subject.
  const text = isFull && !isLoopwrightError(error) ? `the disk is full: ${said}` : said;
  // The reserve is what the record of the pause is written into.
  if (isFull) await engine.disk.dropReserve();
  try {
    owner.discardUnstored();
    // An agent that broke the workspace may have changed what is around it too.
    const { changed, rest: broken } = await reportSurroundings(
      engine,
      owner,
      ` (and then: ${text})`,
    ).catch(() => ({ changed: null, rest: null }));
    const parked: Rest = { status: 'paused', reason: isFull ? 'disk' : 'interrupted', text };
    await owner.record(
      ...(changed === null ? [] : [changed]),
      ...(await lostUsage(engine, owner.loop)),
      ...repair(owner.loop, {
        why: text,
        endedProcess: false,
        lastSeen: engine.clock.now(),
        rebased: await landedRebase(engine, owner.loop, owner.closing).catch(() => null),
      }),
      { type: 'loop.rested', ...(broken ?? parked) },
    );
    await tellStrategy(engine, owner.loop);
  } catch {
    // The store itself is what broke: the lease runs out and the next owner repairs the loop.
  }
}
