import path from 'node:path';
import type { BaseMoveRecord, LoopEvent } from '../core/loop/event.ts';
import type { Rest } from '../core/loop/judge.ts';
import { baseBreach } from '../core/loop/base-text.ts';
import { openIteration } from '../core/loop/loop.ts';
import { breach, guardsSurroundings, tamperedText } from '../core/loop/surroundings.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

const mostNames = 50;

type Changed = Extract<LoopEvent, { type: 'surroundings.changed' }>;

/** The fact to record when the open iteration changed what is not the loop's, and how the loop rests for it; null: neither. */
export type Reported = { readonly changed: Changed | null; readonly rest: Rest | null };

/**
 * Looks at what the open iteration changed around its workspace. A base branch that the agent moved is moved back here, before anything
 * trusts it. `aside` is added to what people are told.
 */
export async function reportSurroundings(
  engine: Engine,
  owner: LoopOwner,
  aside = '',
): Promise<Reported> {
  const iteration = openIteration(owner.loop);
  if (iteration === null) return { changed: null, rest: null };
  const ended = await owner.surroundings.end(owner.loop, iteration, owner.closing);
  const { own: changes, others, base } = ended;
  if (base !== null) await settleBase(engine, owner, base);
  const { loop } = owner;
  if (changes.length + others.length > 0) {
    const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
    const clean = (_: string, value: unknown) =>
      typeof value === 'string' ? engine.clean(value) : value;
    const text = `${JSON.stringify({ changes, others }, clean, 2)}\n`;
    await engine.artifacts.write(path.join(dir, 'surroundings.json'), text);
  }
  if (changes.length === 0) return { changed: null, rest: baseBreach(loop) };
  const names = changes.slice(0, mostNames).map(({ name }) => name);
  const changed = { type: 'surroundings.changed', names, count: changes.length } as const;
  const isBroken = guardsSurroundings(loop);
  const rest = isBroken ? breach(loop, `${tamperedText(changed)}${aside}`) : baseBreach(loop);
  return { changed, rest };
}

/** Recorded first: an engine that is killed in between leaves the fact, and the next one looks again. */
async function settleBase(
  engine: Engine,
  owner: LoopOwner,
  { back, ...move }: BaseMoveRecord,
): Promise<void> {
  await owner.record({ type: 'base.moved', ...move, back });
  if (back === null) return;
  const { branch, to: from } = move;
  const { loop, closing } = owner;
  const wish = { branch, from, to: back, loopId: loop.id };
  const isBack = await engine.project.moveBack(wish, closing);
  owner.forgetBase();
  if (isBack) return;
  const why = 'it could not be moved back: somebody has moved it on, or holds its lock';
  await owner.record({ type: 'base.moved', ...move, back: null, why });
}
