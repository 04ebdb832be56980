import { existsSync } from 'node:fs';
import { readdir, readFile, stat, truncate } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { greeter, neverPasses } from '../cli/agents.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { servedDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { userGitFailures } from '../support/user-git.ts';

/** A loop that has failed, with its worktree, and the registration of that with an emptied file. */
async function emptied(repo: GitRepo): Promise<string> {
  const flags = [...neverPasses, '--max-iterations', '1'];
  await memoryCli({ cwd: repo.path, env: repo.env }).run('run', 'hopeless', ...flags);
  const [id = ''] = await readdir(path.join(repo.path, '.git/worktrees'));
  const file = path.join(repo.path, '.git/worktrees', id, 'commondir');
  await truncate(file);
  expect((await userGitFailures(repo)).length).toBeGreaterThan(0);
  return file;
}

describe('an emptied registration of a loop that rests', () => {
  it('is written again when the next run of anything starts, which says so', async () => {
    await using repo = await gitRepo();
    const flags = await greeter(repo);
    const file = await emptied(repo);
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode, out, err } = await cli.run('run', 'greet', ...flags);
    expect(exitCode, out + err).toBe(0);
    expect(out + err).toContain('put right: registration of loop-');
    expect(await readFile(file, 'utf8')).toBe('../..\n');
    expect(await userGitFailures(repo)).toEqual([]);
  });

  it('is written again when a daemon starts', async () => {
    await using repo = await gitRepo();
    const file = await emptied(repo);
    await using daemon = await servedDaemon(repo);
    expect(daemon.log.join('\n')).toContain('put right: registration of loop-');
    expect((await stat(file)).size).toBeGreaterThan(0);
    expect(await userGitFailures(repo)).toEqual([]);
    expect(existsSync(path.join(repo.path, '.git/loopwright'))).toBe(false);
  });
});
