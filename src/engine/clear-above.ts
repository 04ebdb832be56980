import { lstat, mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { climbed, isClimbedTo } from '../core/judge/climbed.ts';
import type { Engine } from './engine.ts';

/**
 * Moves away what runners would obey from above a worktree, in folders that are the engine's own: `.loopwright/worktrees/pytest.ini`
 * would decide the checks of every loop. Nothing of the kind is ever put there by the engine. It is kept, and said.
 */
export async function clearAbove(engine: Engine, cwd: string): Promise<void> {
  const { stateDir, ids } = engine;
  for (let folder = path.dirname(cwd); isWithin(folder, stateDir); folder = path.dirname(folder)) {
    const configs = (await readdir(folder).catch(() => [])).filter(isClimbedTo);
    for (const name of new Set([...climbed, ...configs])) {
      const file = path.join(folder, name);
      if ((await lstat(file).catch(() => null)) === null) continue;
      const aside = path.join(stateDir, `aside-${ids.token().slice(0, 12)}`);
      await mkdir(aside, { mode: 0o700 });
      await rename(file, path.join(aside, path.basename(name)));
      const text = `warning: ${file} would decide the checks of every loop; it was moved to ${aside}`;
      engine.publish({ kind: 'notice', text });
    }
  }
}

function isWithin(folder: string, outer: string): boolean {
  return folder === outer || folder.startsWith(`${outer}${path.sep}`);
}
