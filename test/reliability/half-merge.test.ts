import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { storedLoops } from '../support/invariants.ts';

const settings = `agent: "command:echo work > work.txt; echo by the loop > README.md"
validation: { command: "test -f work.txt" }
git: { merge: local }
scheduler: { min-disk: 0, warn-disk: 0 }
`;

type Ended = { readonly code: number | null; readonly text: string };

/** A repository whose base is checked out, and the real program in it. */
async function project() {
  const repo = await gitRepo();
  await repo.write('loopwright.yml', settings);
  await repo.commitAll('settings');
  const run = async (argv: readonly string[], failAt?: string): Promise<Ended> => {
    const env = failAt === undefined ? repo.env : { ...repo.env, LOOPWRIGHT_FAIL_AT: failAt };
    const { exitCode, out, err } = await realCli(repo.path, env, argv).ended;
    return { code: exitCode, text: out + err };
  };
  return { repo, run, [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose]() };
}

async function status(repo: GitRepo): Promise<string> {
  expect(await repo.git('stash', 'list')).toBe('');
  expect(existsSync(path.join(repo.path, '.git/index.lock'))).toBe(false);
  expect(existsSync(path.join(repo.path, '.git/loopwright/moves'))).toBe(false);
  return repo.git('status', '--porcelain', '--untracked-files=no');
}

describe('a merge into a checked-out base', { timeout: 180_000 }, () => {
  it.each(['after:move-files:1:kill', 'after:move-ref:1:kill'])(
    'cut %s is finished by the next run',
    async (failAt) => {
      await using here = await project();
      const { repo, run } = here;
      await run(['run', 'work'], failAt);
      const next = await run(['run']);
      expect(next.code, next.text).toBe(0);
      expect(await status(repo)).toBe('');
      expect(await readFile(path.join(repo.path, 'README.md'), 'utf8')).toBe('by the loop\n');
      const [stored] = await storedLoops(repo);
      expect(stored?.loop.mergedInto).toBe('main');
    },
  );

  it('cut between branch and index is told by doctor, and settled by doctor --fix', async () => {
    await using here = await project();
    const { repo, run } = here;
    await run(['run', 'work'], 'after:move-ref:1:kill');
    const head = await repo.git('rev-parse', 'main');
    expect((await run(['doctor'])).text).toContain('loopwright doctor --fix');
    expect((await run(['doctor', '--fix'])).text).toContain('settled');
    expect(await status(repo)).toBe('');
    expect(await repo.git('rev-parse', 'main')).toBe(head);
  });

  it('cut between files and branch keeps an edit of the user’s, and tells them only of that', async () => {
    await using here = await project();
    const { repo, run } = here;
    await run(['run', 'work'], 'after:move-files:1:kill');
    await repo.write('src/app.js', 'by the user\n');
    const next = await run(['run']);
    expect(next.text).toContain('put right');
    expect(await status(repo)).toBe('M src/app.js');
    await repo.git('commit', '-qam', 'theirs');
    const [stored] = await storedLoops(repo);
    const merged = await run(['merge', stored?.loop.id ?? '']);
    expect(merged.code, merged.text).toBe(0);
    expect(await status(repo)).toBe('');
    expect(await readFile(path.join(repo.path, 'src/app.js'), 'utf8')).toBe('by the user\n');
    expect(await readFile(path.join(repo.path, 'README.md'), 'utf8')).toBe('by the loop\n');
  });
});

describe('a commit of a loop that works in place', { timeout: 180_000 }, () => {
  it('cut between branch and index shows nothing as staged after the next run', async () => {
    await using here = await project();
    const { repo, run } = here;
    await run(['run', 'work', '--in-place'], 'after:move-ref:1:kill');
    expect(await repo.git('log', '-1', '--format=%s')).toContain('Iteration 1');
    const next = await run(['run']);
    expect(next.code, next.text).toBe(0);
    expect(await status(repo)).toBe('');
    expect(await repo.git('diff', '--cached', '--stat')).toBe('');
  });
});
