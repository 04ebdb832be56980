import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

const lookEveryMs = 5000;
const fullCodes: ReadonlySet<unknown> = new Set([
  'ENOSPC',
  'EDQUOT',
  'store.disk_full',
  'disk.full',
]);

/** Whether an error, or what caused it, is a disk without space: said by the system, by SQLite, or by git. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && fullCodes.has(error.code)) return true;
  const words = isLoopwrightError(error)
    ? `${error.message} ${JSON.stringify(error.details)}`
    : error.message;
  if (/no space left on device|disk quota exceeded/i.test(words)) return true;
  return isDiskFull(error.cause);
}

/** An agent that cannot write would only spend money: a full disk is found before it starts. */
export async function refuseFullDisk(engine: Engine, loop: Loop): Promise<void> {
  const full = await findFull(engine, loop);
  if (full === null) return;
  throw new LoopwrightError('disk.full', `there is no space left for ${full}`, {
    hint: 'free some space; the loop goes on by itself, or with `loopwright run`',
  });
}

async function findFull({ disk, stateDir }: Engine, loop: Loop): Promise<string | null> {
  const folders = [stateDir, loop.workspace.path];
  const haveRoom = await Promise.all(folders.map((folder) => disk.hasRoom(folder)));
  return folders.find((_, index) => haveRoom[index] === false) ?? null;
}

/** Resolves when there is room for the loop's state and its files again; false when somebody asked to stop first. */
export async function waitForRoom(
  engine: Engine,
  loop: Loop,
  asked: AbortSignal,
): Promise<boolean> {
  for (;;) {
    if ((await findFull(engine, loop)) === null) return true;
    const slept = await engine.clock.sleep(lookEveryMs, asked).then(
      () => true,
      () => false,
    );
    if (!slept) return false;
  }
}
