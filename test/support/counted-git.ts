import { execFileSync } from 'node:child_process';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { GitRepo } from './git-repo.ts';

/** A `git` in front of the real one that notes every start. The engine is the only one with this PATH. */
export async function countedGit(repo: GitRepo): Promise<{
  readonly env: GitRepo['env'];
  /** The commands so far, oldest first. */
  calls(): Promise<readonly string[]>;
}> {
  const bin = path.join(repo.outside, 'bin');
  const log = path.join(repo.outside, 'git-calls');
  const real = execFileSync('/bin/sh', ['-c', 'command -v git']).toString().trim();
  await mkdir(bin, { recursive: true });
  const shim = `#!/bin/sh\necho "$1" >> ${log}\nexec ${real} "$@"\n`;
  await writeFile(path.join(bin, 'git'), shim);
  await chmod(path.join(bin, 'git'), 0o755);
  return {
    env: { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}` },
    async calls() {
      const text = await readFile(log, 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '');
    },
  };
}
