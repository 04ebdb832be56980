import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { assert, asyncProperty, uint8Array } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  noFolderCode,
  runInShell,
  type ShellCommand,
  type ShellOutcome,
} from '../../../src/adapters/git/git-shell.ts';
import { isLiving, readStat } from '../../../src/adapters/process/proc.ts';
import { tempDir } from '../../support/temp-dir.ts';

const command: Omit<ShellCommand, 'script'> = {
  cwd: '/',
  env: { PATH: process.env['PATH'] ?? '' },
  input: null,
  outputFd: null,
  maxOutputBytes: 1024 * 1024,
  stderrTailBytes: 100,
};

async function run(
  script: string,
  change: Partial<ShellCommand> = {},
  started: (stop: () => void) => void = () => undefined,
): Promise<ShellOutcome> {
  const outcome = await runInShell({ ...command, script, ...change }, started);
  if (outcome === null) throw new Error('no shell took the command');
  return outcome;
}

const text = async (...args: Parameters<typeof run>): Promise<string> =>
  (await run(...args)).stdout.toString('utf8');

describe.skipIf(process.platform !== 'linux')('a shell that starts git', () => {
  it('serves one command after the other', async () => {
    const first = await text('exec sh -c \'echo "$PPID"\'');
    expect(await text('exec sh -c \'echo "$PPID"\'')).toBe(first);
  });

  it('hands any bytes over, in and out', async () => {
    await assert(
      asyncProperty(uint8Array({ maxLength: 300 }), async (bytes) => {
        const { stdout, exitCode } = await run('exec cat', { input: bytes });
        expect([exitCode, [...stdout]]).toEqual([0, [...bytes]]);
      }),
      { numRuns: 30 },
    );
  });

  it('hands over much at once', async () => {
    const input = Buffer.alloc(900_000, 'line\n');
    expect((await run('exec cat', { input })).stdout.equals(input)).toBe(true);
  });

  it('gives each command its own environment and nothing of the one before', async () => {
    const { env } = command;
    const value = "it's\n$HOME `x`";
    const shown = async (more: Record<string, string>): Promise<readonly string[]> =>
      (await text('exec env -0', { env: { ...env, ...more } }))
        .split('\0')
        .filter((line) => line.startsWith('LW_'));
    expect(await shown({ LW_A: value })).toEqual([`LW_A=${value}`]);
    expect(await shown({ LW_B: '' })).toEqual(['LW_B=']);
    expect(await shown({})).toEqual([]);
  });

  it('tells exit codes, signals and the end of what was complained', async () => {
    expect((await run('exit 7')).exitCode).toBe(7);
    expect((await run('kill -9 $(exec sh -c \'echo "$PPID"\')')).exitCode).toBe(137);
    const { stderr } = await run("printf '%0500d end' 0 >&2");
    expect(stderr).toHaveLength(100);
    expect(stderr.endsWith('0 end')).toBe(true);
  });

  it('leaves no input for a command that is given none', async () => {
    expect(await text('exec cat')).toBe('');
  });

  it('writes into an open file', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'out');
    const outputFd = openSync(file, 'w');
    expect(await text('echo written', { outputFd })).toBe('');
    closeSync(outputFd);
    expect(readFileSync(file, 'utf8')).toBe('written\n');
  });

  it('says when the folder is gone', async () => {
    await using dir = await tempDir();
    const cwd = path.join(dir.path, 'gone');
    mkdirSync(cwd);
    expect(await text('pwd', { cwd })).toBe(`${cwd}\n`);
    rmSync(cwd, { recursive: true });
    expect((await run('pwd', { cwd })).exitCode).toBe(noFolderCode);
  });

  it('ends a command that prints more than is wanted', async () => {
    const { truncated, stdout } = await run('exec yes', { maxOutputBytes: 5000 });
    expect([truncated, stdout.length]).toEqual([true, 5000]);
    expect(await text('echo next')).toBe('next\n');
  });

  it('ends a command with all it started when told to', async () => {
    await using dir = await tempDir();
    const file = path.join(dir.path, 'pid');
    const { promise, resolve } = Promise.withResolvers<() => void>();
    // A pipe that nobody writes to: the reader stands until it is killed.
    const fifo = path.join(dir.path, 'fifo');
    const running = run(
      `mkfifo ${fifo}; cat ${fifo} & echo $! >${file}.new; mv ${file}.new ${file}; wait`,
      {},
      resolve,
    );
    const stop = await promise;
    await expect.poll(() => readPid(file), { timeout: 30_000 }).toBeGreaterThan(0);
    stop();
    const { exitCode } = await running;
    expect(exitCode).toBe(143);
    const left = readStat(readPid(file));
    expect(left !== null && isLiving(left)).toBe(false);
    expect(await text('echo next')).toBe('next\n');
  });

  it('is replaced when somebody kills it', async () => {
    const shell = Number(await text('exec sh -c \'echo "$PPID"\''));
    process.kill(shell, 'SIGKILL');
    const outcome = await runInShell({ ...command, script: 'echo next' }, () => undefined);
    // Whoever was asked and gone before it began has done nothing, and says so.
    expect(outcome?.stdout.toString() ?? 'next\n').toBe('next\n');
    await expect.poll(() => text('echo again').catch(() => null)).toBe('again\n');
  });

  it('refuses what a shell cannot be told', async () => {
    const odd = { ...command, script: 'true', env: { 'A-B': '1' } };
    expect(await runInShell(odd, () => undefined)).toBeNull();
    expect(await runInShell({ ...command, script: 'a\0b' }, () => undefined)).toBeNull();
  });
});

function readPid(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
}
