import { execFile } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { tempDir, type TempDir } from './temp-dir.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');

export type BuiltPackage = TempDir & { readonly bin: string };

/** The package as it is published, without its sources and without node_modules; `also` are further files of it. */
export async function builtPackage(also: readonly string[] = []): Promise<BuiltPackage> {
  const dir = await tempDir();
  for (const name of ['bin', 'package.json', ...also]) {
    await cp(path.join(root, name), path.join(dir.path, name), { recursive: true });
  }
  const build = [path.join(root, 'scripts/build.ts'), path.join(dir.path, 'dist')];
  await run(process.execPath, build, { cwd: root });
  return { ...dir, bin: path.join(dir.path, 'bin/loopwright.cjs') };
}
