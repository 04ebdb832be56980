import { createHash } from 'node:crypto';
import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import type { Surroundings, SurroundingsScope } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';

type Storing = Pick<Engine, 'artifacts'>;

/** Keeps a look for whoever takes the loop over. Answers its hash, which is recorded before the agent may act. */
export async function keepLook(
  engine: Storing,
  loop: Loop,
  seen: Surroundings,
  known: string | null,
): Promise<string> {
  const text = JSON.stringify({ scope: seen.scope, items: [...seen.items] });
  const key = hashOf(text);
  // Written once for as long as nothing changes.
  if (known !== key) await engine.artifacts.keep(await fileOf(engine, loop, key), text);
  return key;
}

/** Null when it is gone, or is not what was kept. */
export async function recallLook(
  engine: Storing,
  loop: Loop,
  key: string,
): Promise<Surroundings | null> {
  const file = await fileOf(engine, loop, key);
  const text = await engine.artifacts.readTail(file, Number.MAX_SAFE_INTEGER);
  if (text === null || hashOf(text) !== key) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its hash says that we have written it
  const { scope, items } = JSON.parse(text) as {
    scope: SurroundingsScope;
    items: readonly (readonly [string, string])[];
  };
  return { scope, items: new Map(items) };
}

async function fileOf({ artifacts }: Storing, loop: Loop, key: string): Promise<string> {
  return path.join(await artifacts.namedDir(loop.id, 'surroundings'), `${key}.json`);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
