import { confirmStateOf } from '../core/loop/confirming.ts';
import { confirm } from './confirm.ts';
import { isLoopwrightError } from '../core/error.ts';
import { rest } from './action/rest.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

/**
 * Confirms an iteration whose checks pass, once, and records what was found. True when something was done: the iteration is
 * judged again with it.
 */
export async function confirmIteration(engine: Engine, owner: LoopOwner): Promise<boolean> {
  const { loop } = owner;
  const { base } = loop.workspace;
  if (confirmStateOf(loop).kind !== 'due' || base === null || loop.head === null) return false;
  const known = loop.iterations.findLast(
    ({ confirmation }) => confirmation?.commit === loop.head && confirmation.base === base,
  )?.confirmation;
  // The product was seen to decide what its tests say, and it is the same product.
  if (known?.verdict === 'overpowered') {
    await owner.record({ type: 'confirmation.ended', confirmation: known });
    return true;
  }
  await owner.flush();
  engine.publish({
    kind: 'notice',
    text: 'confirming in a clean checkout, with the judge of the base',
  });
  const wish = { base, commit: loop.head, baseline: loop.baseline };
  const confirmation = await confirm(engine, loop, wish, owner.cut).catch(
    async (error: unknown) => {
      if (!isLoopwrightError(error) || error.code !== 'git.altered') throw error;
      const text = `${error.message}. ${error.hint ?? ''}, then resume`;
      await rest(engine, owner, { status: 'blocked', reason: 'integrity', text });
      return null;
    },
  );
  if (confirmation !== null) await owner.record({ type: 'confirmation.ended', confirmation });
  return true;
}
