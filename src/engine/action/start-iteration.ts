import { mergeLive } from '../../core/config/frozen.ts';
import type { Settings } from '../../core/config/schema.ts';
import { isLoopwrightError } from '../../core/error.ts';
import type { LoopEvent } from '../../core/loop/event.ts';
import { modeSwitch } from '../../core/loop/mode-switch.ts';
import { looksAtFiles } from '../../core/loop/loop.ts';
import { passState, passTitle } from '../../core/loop/passes.ts';
import { worksInPlace } from '../../core/loop/place.ts';
import { refuseFullDisk } from '../disk-full.ts';
import type { Engine } from '../engine.ts';
import { takeAgentSlot } from '../agent-slot.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { putBackWritten } from '../put-back.ts';

/** Reads the state an iteration starts from and stores its number before anything is spent. */
export async function startIteration(
  engine: Engine,
  owner: LoopOwner,
  { number, attempt }: { readonly number: number; readonly attempt: number },
): Promise<void> {
  if (!(await takeAgentSlot(engine, owner, owner.asked))) return;
  await refuseFullDisk(engine, owner.loop);
  const reread = await rereadSettings(engine, owner);
  const looks = looksAtFiles(owner.loop);
  const startTree = looks ? await cleanTree(engine, owner) : '';
  const startHead = looks ? await owner.workspace.head(owner.closing) : null;
  const review = passState(owner.loop);
  await owner.record(...reread, {
    type: 'iteration.started',
    number,
    attempt,
    startTree,
    startHead,
    ...(review === null ? {} : { pass: passTitle(review) }),
  });
}

/** The files as they are, without what the checks of before have written. */
async function cleanTree(engine: Engine, owner: LoopOwner): Promise<string> {
  const tree = await owner.currentTree();
  return (await putBackWritten(engine, owner, tree)) ?? tree;
}

/** Live keys follow the user's files at the boundary; what judges or executes stays as it was at the start. */
async function rereadSettings(engine: Engine, owner: LoopOwner): Promise<readonly LoopEvent[]> {
  const { settings, loopType, flags } = owner.loop;
  // The agent works on the very files that settings are read from.
  if (worksInPlace(owner.loop)) return [];
  let current: Settings;
  try {
    engine.requireConfig();
    current = await engine.reloadSettings(loopType, flags);
  } catch (error) {
    if (!isLoopwrightError(error)) throw error;
    // A file that is just being edited, or gone: the loop goes on as it was.
    const text = `the configuration cannot be read, going on as before: ${error.message}`;
    const isSaid = owner.configFault === text;
    owner.configFault = text;
    return isSaid ? [] : [{ type: 'warning.raised', text }];
  }
  if (owner.configFault !== null) {
    owner.configFault = null;
    engine.publish({ kind: 'notice', text: `${owner.loop.id}: the configuration is read again` });
  }
  const merged = mergeLive(settings, current);
  return JSON.stringify(merged) === JSON.stringify(settings)
    ? []
    : [{ type: 'settings.reread', settings: merged }, ...modeSwitch(settings, merged)];
}
