import { existsSync } from 'node:fs';
import {
  lstat,
  mkdir,
  readdir,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { emptyRepo, gitRepo, type GitRepo } from '../support/git-repo.ts';
import { tempDir } from '../support/temp-dir.ts';
import { eventually } from '../support/invariants.ts';
import { userGitFailures } from '../support/user-git.ts';
import { greeter, waits } from './agents.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

type Line = {
  readonly name: string;
  readonly status: string;
  readonly text: string;
  readonly next: string | null;
};

async function examine(cwd: string, env: Readonly<Record<string, string>>, ...flags: string[]) {
  const { exitCode, out } = await memoryCli({ cwd, env }).run('doctor', '--json', ...flags);
  const result = JSON.parse(out);
  expect(result.exitCode).toBe(exitCode);
  for (const { status, next } of result.checks) expect(next === null).toBe(status === 'ok');
  const checks = new Map<string, Line>(result.checks.map((check: Line) => [check.name, check]));
  return { exitCode, checks };
}

function inRepo(repo: GitRepo) {
  return examine(repo.path, repo.env);
}

describe('doctor', () => {
  it('finds nothing wrong after a loop has been run', async () => {
    await using repo = await gitRepo();
    const flags = await greeter(repo);
    await repo.write(
      'loopwright.yml',
      "agent: scripted:agent.yml\nvalidation: { command: 'true' }\n",
    );
    await memoryCli({ cwd: repo.path, env: repo.env }).run('run', 'greet', ...flags);
    const { exitCode, checks } = await inRepo(repo);
    expect(exitCode).toBe(0);
    const problems = [...checks.values()].filter(({ status }) => status !== 'ok');
    expect(problems).toEqual([]);
    expect(checks.get('history')?.text).toContain('1 loop');
    expect(checks.get('store')?.text).toContain('intact');
    expect(checks.get('containment')?.text).toMatch(/Strong|Weak containment/);
  });

  it('fails on configuration that is wrong, and goes on looking', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'limts: 3\n');
    const { exitCode, checks } = await inRepo(repo);
    expect(exitCode).toBe(1);
    expect(checks.get('config')).toMatchObject({
      status: 'fail',
      next: expect.stringContaining('config validate'),
    });
    expect(checks.get('locks')).toMatchObject({ status: 'ok' });
  });

  it('fails on an agent that cannot be used', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'agent: scripted:nowhere.yml\n');
    const { exitCode, checks } = await inRepo(repo);
    expect([exitCode, checks.get('agent')?.status]).toEqual([1, 'fail']);
  });

  it('warns of a command that is not there', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'agent: command:no-such-program --auto\n');
    expect((await inRepo(repo)).checks.get('agent')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('no-such-program'),
    });
  });

  it('fails on a repository without a commit and warns of a merge under way', async () => {
    await using unborn = await emptyRepo();
    expect((await inRepo(unborn)).checks.get('repository')?.status).toBe('fail');
    await using repo = await gitRepo();
    await writeFile(
      path.join(repo.path, '.git', 'MERGE_HEAD'),
      `${await repo.git('rev-parse', 'HEAD')}\n`,
    );
    expect((await inRepo(repo)).checks.get('repository')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('a merge is under way'),
    });
  });

  it('fails on too little disk', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'scheduler: { min-disk: 900tb, warn-disk: 901tb }\n');
    expect((await inRepo(repo)).checks.get('disk')?.status).toBe('fail');
    await repo.write('loopwright.yml', 'scheduler: { warn-disk: 900tb }\n');
    expect((await inRepo(repo)).checks.get('disk')?.status).toBe('warn');
  });

  it('fails on a damaged store and on history that was changed', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    await cli.run('run', 'greet', ...(await greeter(repo)));
    const file = path.join(repo.path, '.loopwright', 'state.db');
    const database = new DatabaseSync(file);
    database.exec(`update events set data = replace(data, 'greet', 'great') where seq = 1`);
    database.close();
    const changed = await inRepo(repo);
    expect([changed.exitCode, changed.checks.get('history')?.status]).toEqual([1, 'fail']);
    await writeFile(
      file,
      'this is no database, and it is longer than the header of one would be'.repeat(20),
    );
    const damaged = await inRepo(repo);
    expect([damaged.exitCode, damaged.checks.get('store')?.status]).toEqual([1, 'fail']);
    await truncate(file);
    const emptied = await inRepo(repo);
    expect([emptied.exitCode, emptied.checks.get('store')?.status]).toEqual([1, 'fail']);
    expect((await stat(file)).size).toBe(0);
    await rm(file);
    const removed = await inRepo(repo);
    expect([removed.exitCode, removed.checks.get('store')?.status]).toEqual([1, 'fail']);
    const status = await cli.run('status');
    expect([status.exitCode, status.err]).toEqual([3, expect.stringContaining('is missing')]);
    expect(existsSync(file)).toBe(false);
  });

  it('finds locks that were left a moment ago, also of packed and single refs', async () => {
    await using repo = await gitRepo();
    const names = ['packed-refs.lock', 'refs/heads/main.lock'];
    for (const name of names) await writeFile(path.join(repo.path, '.git', name), '');
    const { checks } = await inRepo(repo);
    const lock = checks.get('locks');
    expect(lock).toMatchObject({ status: 'warn' });
    for (const name of names) expect(lock?.text).toContain(name);
  });

  it('finds branches and worktrees that no loop knows, and old locks', async () => {
    await using repo = await gitRepo();
    const folder = path.join(repo.outside, 'lost');
    await repo.git('worktree', 'add', '-q', '-b', 'loopwright/loop-0badcafe', folder);
    await repo.git('update-ref', 'refs/loopwright-kept/loop-0badf00d', 'HEAD');
    const pool = path.join(repo.path, '.loopwright/worktrees/.pool');
    for (const name of ['loop-1', 'taken-loop-2']) {
      await mkdir(path.join(pool, name), { recursive: true });
      const { ino } = await lstat(path.join(pool, name));
      await rename(path.join(pool, name), path.join(pool, `${name}.${ino}`));
    }
    const lock = path.join(repo.path, '.git', 'index.lock');
    await writeFile(lock, '');
    const longAgo = new Date('2020-01-01');
    await utimes(lock, longAgo, longAgo);
    const { exitCode, checks } = await inRepo(repo);
    expect(exitCode).toBe(0);
    expect(checks.get('worktrees')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining(folder),
    });
    expect(checks.get('branches')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('loop-0badcafe'),
    });
    expect(checks.get('kept work')).toMatchObject({
      status: 'warn',
      next: expect.stringContaining('git branch loopwright/loop-0badf00d'),
    });
    expect(checks.get('pool')).toMatchObject({
      status: 'warn',
      text: expect.stringContaining('taken-loop-2'),
    });
    expect(checks.get('locks')).toMatchObject({
      status: 'warn',
      next: expect.stringContaining(lock),
    });
  });

  it('finds what is in the pool and not Loopwright’s', async () => {
    await using repo = await gitRepo();
    const worktrees = path.join(repo.path, '.loopwright/worktrees');
    await mkdir(path.join(worktrees, '.pool/theirs'), { recursive: true });
    await mkdir(path.join(worktrees, 'loop-1.replaced-1'));
    const { checks } = await inRepo(repo);
    const { status, text } = checks.get('pool') ?? {};
    expect(status).toBe('warn');
    expect(text).toContain('.pool/theirs');
    expect(text).toContain('loop-1.replaced-1');
  });

  it('finds a loop whose owner was killed', async () => {
    await using repo = await gitRepo();
    const running = realCli(repo.path, repo.env, ['run', 'endless', ...waits]);
    await running.printed((text) => text.includes('waiting now'));
    expect((await inRepo(repo)).checks.get('loops')).toMatchObject({ status: 'ok' });
    running.child.kill('SIGKILL');
    await running.ended;
    expect((await inRepo(repo)).checks.get('loops')).toMatchObject({
      status: 'warn',
      next: expect.stringContaining('loopwright run'),
    });
  });
});

/** A loop whose engine was killed while its agent worked: its worktree is there. */
async function killed(repo: GitRepo): Promise<string> {
  const running = realCli(repo.path, repo.env, ['run', 'endless', ...waits]);
  const worktrees = path.join(repo.path, '.loopwright/worktrees');
  const at = async () => {
    const names = await readdir(worktrees).catch(() => []);
    return names.find((name) => existsSync(path.join(worktrees, name, 'half.txt'))) ?? null;
  };
  await eventually(async () => (await at()) !== null, 'the agent works', 60_000);
  running.child.kill('SIGKILL');
  await running.ended;
  return (await at()) ?? '';
}

describe('doctor --fix', () => {
  it.each(['gitdir', 'commondir', 'HEAD', 'index'])('repairs an emptied %s', async (file) => {
    await using repo = await gitRepo();
    const id = await killed(repo);
    const gitDir = path.join(repo.path, '.git/worktrees', id);
    await writeFile(path.join(repo.path, '.loopwright/worktrees', id, 'wip.txt'), 'wip\n');
    await truncate(path.join(gitDir, file));
    const found = await inRepo(repo);
    expect(found.checks.get('registrations')).toMatchObject({
      status: 'fail',
      text: expect.stringContaining(file),
      next: expect.stringContaining('doctor --fix'),
    });
    expect((await stat(path.join(gitDir, file))).size).toBe(0);
    const fixed = await examine(repo.path, repo.env, '--fix');
    expect(fixed.checks.get('registrations')).toMatchObject({ status: 'ok' });
    expect(await userGitFailures(repo)).toEqual([]);
    const folder = path.join(repo.path, '.loopwright/worktrees', id);
    expect(await repo.gitIn(folder, 'status', '--porcelain')).toBe('?? half.txt\n?? wip.txt');
    expect((await inRepo(repo)).checks.get('registrations')?.text).toContain('whole');
  });

  it('removes a throwaway worktree with its branch, and names what is the user’s own', async () => {
    await using repo = await gitRepo();
    await memoryCli({ cwd: repo.path, env: repo.env }).run('task', 'add', 'later');
    const folder = path.join(repo.path, '.loopwright/worktrees/loop-0badcafe-base');
    await repo.git('worktree', 'add', '-q', '-b', 'loopwright/loop-0badcafe-base', folder);
    await repo.git('worktree', 'add', '-q', '-b', 'mine', path.join(repo.outside, 'mine'));
    const emptied = path.join(repo.path, '.git/worktrees/mine/commondir');
    await truncate(emptied);
    const { exitCode, out } = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'doctor',
      '--fix',
    );
    expect(exitCode).toBe(1);
    expect(out).toContain('put right: throwaway worktree');
    expect(out).toContain(`printf '../..`);
    expect(existsSync(folder)).toBe(false);
    expect((await stat(emptied)).size).toBe(0);
    await writeFile(emptied, '../..\n');
    expect(await userGitFailures(repo)).toEqual([]);
    expect(await repo.git('branch', '--list', 'loopwright/*')).toBe('');
  });

  it('leaves a worktree alone that an engine is making at this moment', async () => {
    await using repo = await gitRepo();
    const env = { ...repo.env, LOOPWRIGHT_FAIL_AT: 'before:register-worktree:1:hang' };
    const running = realCli(repo.path, env, ['run', 'endless', ...waits]);
    await running.printed((text) => text.includes('hanging at'));
    const { checks } = await examine(repo.path, repo.env, '--fix');
    expect(checks.get('registrations')).toMatchObject({
      status: 'ok',
      text: expect.stringContaining('whole'),
    });
    expect(await readdir(path.join(repo.path, '.git/loopwright'))).toHaveLength(1);
    running.child.kill('SIGKILL');
    await running.ended;
    const later = await examine(repo.path, repo.env, '--fix');
    expect(later.checks.get('registrations')?.text).toContain('half made');
    expect(existsSync(path.join(repo.path, '.git/loopwright'))).toBe(false);
  });
});

describe('the real program', () => {
  it('examines a plain folder without leaving anything in it', async () => {
    await using dir = await tempDir();
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir.path };
    const { exitCode, out } = await realCli(dir.path, env, ['doctor']).ended;
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^✓ ok {4}node/m);
    expect(out).toMatch(/^! warn {2}repository/m);
    expect(existsSync(path.join(dir.path, '.loopwright'))).toBe(false);
  });
});
