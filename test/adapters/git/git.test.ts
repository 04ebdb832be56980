import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { git, gitOutput } from '../../../src/adapters/git/git.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { signal } from './loop-harness.ts';

const basics = { PATH: process.env['PATH'] ?? '' };

const ways = [
  { way: 'alone', isRecurring: false },
  { way: 'in a lane', isRecurring: true },
];

/** A program called git that does what the test wants. */
async function fakeGit(folder: string, script: string, isRecurring: boolean) {
  const bin = path.join(folder, 'bin');
  await mkdir(bin);
  await writeFile(path.join(bin, 'git'), `#!/bin/sh\n${script}\n`);
  await chmod(path.join(bin, 'git'), 0o755);
  const env = { PATH: `${bin}:${basics.PATH}` };
  return { at: { searchFrom: folder }, args: [], env, isRecurring, signal };
}

describe.each(ways)('git() $way', ({ isRecurring }) => {
  test('a failing command is a value with its exit code and message', async () => {
    await using dir = await tempDir();
    const call = {
      at: { searchFrom: dir.path },
      args: ['rev-parse', '--no-such'],
      env: basics,
      isRecurring,
      signal,
    };
    const result = await git(call);
    expect(result.exitCode).toBe(128);
    expect(result.stderr).toContain('not a git repository');
    await expect(gitOutput(call)).rejects.toMatchObject({
      code: 'git.failed',
      details: { args: call.args, exitCode: 128, stderr: expect.stringContaining('not a git') },
    });
  });

  test('nothing of the caller’s environment is inherited', async () => {
    await using dir = await tempDir();
    const call = await fakeGit(dir.path, 'env', isRecurring);
    const output = await gitOutput(call);
    const names = output
      .toString('utf8')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(new Set(names)).toEqual(new Set(['PATH', 'PWD']));
  });

  test('a second command runs after the first, and what it prints follows', async () => {
    await using dir = await tempDir();
    const call = await fakeGit(dir.path, `printf '<%s>' "$@"; cat`, isRecurring);
    const odd = `a 'b' "c" $(d) \\ *\n~`;
    const then = { args: [odd] };
    const output = await gitOutput({ ...call, args: ['first', odd], input: 'told', then });
    expect(output.toString('utf8')).toBe(`<first><${odd}>told<${odd}>`);
  });

  test('a second command does not run when the first fails', async () => {
    await using dir = await tempDir();
    const call = await fakeGit(dir.path, 'echo "$1" >> ran; [ "$1" != bad ]', isRecurring);
    const calls = [
      { args: ['bad'], then: { args: ['second'] } },
      { args: ['good'], then: { args: ['bad'] } },
    ];
    for (const each of calls) expect((await git({ ...call, ...each })).exitCode).toBe(1);
    expect(await readFile(path.join(dir.path, 'ran'), 'utf8')).toBe('bad\ngood\nbad\n');
  });

  test('a timeout ends the whole process group', async () => {
    await using dir = await tempDir();
    const call = await fakeGit(dir.path, 'sleep 600 & echo $! > child; wait', isRecurring);
    const running = git({ ...call, timeoutMs: 300 });
    await expect(running).rejects.toMatchObject({ code: 'git.timeout' });
    await expectDead(path.join(dir.path, 'child'));
  });

  test('an abort ends the whole process group, also one that ignores TERM, and throws the reason', async () => {
    await using dir = await tempDir();
    const call = await fakeGit(
      dir.path,
      'trap "" TERM; sleep 600 & echo $! > child; touch ready; wait',
      isRecurring,
    );
    const controller = new AbortController();
    const running = git({ ...call, signal: controller.signal });
    const aborting = expect(running).rejects.toThrow('stopped by the user');
    await expect.poll(() => existsSync(path.join(dir.path, 'ready'))).toBe(true);
    controller.abort(new Error('stopped by the user'));
    await aborting;
    await expectDead(path.join(dir.path, 'child'));
  });

  test('output above the limit is cut and the process ended', async () => {
    await using dir = await tempDir();
    const call = await fakeGit(dir.path, 'yes', isRecurring);
    const result = await git({ ...call, maxOutputBytes: 1000 });
    expect(result.truncated).toBe(true);
    expect(result.stdout.length).toBe(1000);
    await expect(gitOutput({ ...call, maxOutputBytes: 1000 })).rejects.toMatchObject({
      code: 'git.failed',
    });
  });

  test('input that nobody reads is no error', async () => {
    await using dir = await tempDir();
    const call = await fakeGit(dir.path, 'exit 3', isRecurring);
    const result = await git({ ...call, input: Buffer.alloc(1024 * 1024) });
    expect(result.exitCode).toBe(3);
  });

  test('a missing program and a missing folder are told apart', async () => {
    await using dir = await tempDir();
    const nowhere = {
      at: { searchFrom: path.join(dir.path, 'gone') },
      args: ['version'],
      env: basics,
      isRecurring,
      signal,
    };
    await expect(git(nowhere)).rejects.toMatchObject({ code: 'workspace.gone' });
    const without = {
      at: { searchFrom: dir.path },
      args: ['version'],
      env: { PATH: dir.path },
      isRecurring,
      signal,
    };
    await expect(git(without)).rejects.toMatchObject({ code: 'git.missing' });
  });
});

async function expectDead(pidFile: string): Promise<void> {
  const pid = Number(await readFile(pidFile, 'utf8'));
  await expect.poll(() => isAlive(pid), { timeout: 5000 }).toBe(false);
}

/** An orphan that nobody reaps stays as a zombie; that is dead too. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  return stat !== null && !stat.includes(') Z ');
}
