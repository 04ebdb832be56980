import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { cleanEnvironment } from '../core/env/allow-list.ts';
import type { Loop } from '../core/loop/loop.ts';
import { LoopwrightError } from '../core/error.ts';
import type { Engine } from './engine.ts';
import type { JudgedFiles } from './judged-files.ts';
import { reservedFor } from './run-command.ts';
import { withThrowaway } from './throwaway-worktree.ts';

/**
 * Gives `work` the same files in a worktree of their own at the commit, with an empty home and a minimal environment:
 * nothing that is not committed can make a check pass.
 */
export async function withCleanRoom<T>(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  work: (clean: JudgedFiles) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { commit } = judged;
  if (commit === null) {
    throw new LoopwrightError('verify.no_commit', 'a clean room needs a commit to be made from');
  }
  const folder = await engine.artifacts.namedDir(loop.id, 'clean-room');
  const folders = { home: path.join(folder, 'home'), temporary: path.join(folder, 'tmp') };
  const writable = Object.values(folders);
  for (const each of writable) {
    await rm(each, { recursive: true, force: true });
    await mkdir(each, { recursive: true });
  }
  const { pass, set } = loop.settings.env;
  const env = cleanEnvironment(engine.env, { pass, set, reserved: reservedFor(loop) }, folders);
  const room = { env, writable };
  try {
    return await withThrowaway(
      engine,
      loop,
      { name: 'clean', commit, room },
      ({ path: cwd }) => work({ ...judged, cwd, room }),
      signal,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
