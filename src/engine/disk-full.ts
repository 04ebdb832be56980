import { isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

const lookEveryMs = 5000;
const fullCodes: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'store.disk_full']);

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

/** Resolves when there is room for the loop's state and its files again; false when somebody asked to stop first. */
export async function waitForRoom(
  engine: Engine,
  loop: Loop,
  asked: AbortSignal,
): Promise<boolean> {
  const { clock, disk, stateDir } = engine;
  for (;;) {
    const room = (await disk.hasRoom(stateDir)) && (await disk.hasRoom(loop.workspace.path));
    if (room) return true;
    const slept = await clock.sleep(lookEveryMs, asked).then(
      () => true,
      () => false,
    );
    if (!slept) return false;
  }
}
