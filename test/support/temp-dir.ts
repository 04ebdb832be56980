import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

export type TempDir = AsyncDisposable & { readonly path: string };

/** A fresh folder that is removed when its owner's scope ends. */
export async function tempDir(prefix = 'loopwright-test-'): Promise<TempDir> {
  const created = await realpath(await mkdtemp(path.join(tmpdir(), prefix)));
  return {
    path: created,
    [Symbol.asyncDispose]: () => rm(created, { recursive: true, force: true, maxRetries: 3 }),
  };
}
