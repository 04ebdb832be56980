import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseYaml } from '../../src/adapters/files/yaml-text.ts';
import { readTaskFile } from '../../src/adapters/files/task-files.ts';
import { collectText } from '../../src/cli/collect-text.ts';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { realCli } from './real-cli.ts';

const entry = path.join(import.meta.dirname, '../../bin/loopwright.cjs');

describe('input that never ends', () => {
  let repo: GitRepo;
  let pipe: string;
  beforeAll(async () => {
    repo = await gitRepo();
    pipe = path.join(repo.outside, 'pipe');
    spawnSync('mkfifo', [pipe]);
  });
  afterAll(() => repo[Symbol.asyncDispose]());

  it('a pipe without a writer, a device or a folder in place of a file is refused at once', async () => {
    for (const file of [pipe, '/dev/zero', '/dev/full', repo.path]) {
      const ended = await Promise.all(
        commands(file).map(async (argv) => {
          const { exitCode, err } = await realCli(repo.path, repo.env, argv).ended;
          return { argv: argv.join(' '), exitCode, isSaid: err.includes('error: ') };
        }),
      );
      for (const each of ended) expect(each).toMatchObject({ exitCode: 3, isSaid: true });
    }
  }, 300_000);

  it.each(['loopwright.yml', 'loopwright/types/mine.yml', '.loopwright/daemon.json'])(
    'a pipe in place of %s holds nobody up',
    async (name) => {
      await using other = await gitRepo();
      await other.write(path.join(path.dirname(name), 'beside'), '');
      spawnSync('mkfifo', [path.join(other.path, name)]);
      const { exitCode } = await realCli(other.path, other.env, ['doctor']).ended;
      expect(exitCode).not.toBeNull();
    },
    120_000,
  );

  it('a pipe that is written and closed is read, as a shell makes them', async () => {
    const run = realCli(repo.path, repo.env, ['parse', 'sigils', '--json', '/dev/stdin'], '');
    expect((await run.ended).exitCode).toBe(3);
    const line = `'${process.execPath}' '${entry}' parse sigils --json <(sleep 1; echo '<task-done>all</task-done>')`;
    const shell = spawnSync('bash', ['-c', line], { env: repo.env, cwd: repo.path });
    expect(shell.status, shell.stderr.toString()).toBe(0);
    expect(JSON.parse(shell.stdout.toString())).toMatchObject({ taskDone: 'all' });
  }, 120_000);

  it('more than is taken ends it, on standard input and on a pipe', async () => {
    const flood = spawn('sh', ['-c', `cat /dev/zero > '${pipe}'`], { stdio: 'ignore' });
    const { exitCode, err } = await realCli(repo.path, repo.env, ['task', 'import', pipe]).ended;
    flood.kill('SIGKILL');
    expect(exitCode).toBe(3);
    expect(err).toMatch(/holds more than 10 MB|nothing was written/);
    const line = `cat /dev/zero | '${process.execPath}' '${entry}' parse sigils`;
    const piped = spawnSync('sh', ['-c', line], { env: repo.env, cwd: repo.path });
    expect(piped.status).toBe(3);
    expect(piped.stderr.toString()).toContain('standard input holds more than 67 MB');
  }, 120_000);

  it('a silent pipe is told of, and has an end', async () => {
    const told: string[] = [];
    const clock = createSystemClock();
    const quick = {
      ...clock,
      sleep: (ms: number, signal: AbortSignal) => clock.sleep(ms / 100, signal),
    };
    const child = spawn('sleep', ['300'], { stdio: ['ignore', 'pipe', 'ignore'] });
    const text = collectText(child.stdout, {
      name: 'standard input',
      maxBytes: 1000,
      clock: quick,
      tell: (line) => told.push(line),
      silentMs: 20_000,
    });
    await expect(text).rejects.toMatchObject({ code: 'usage.silent_input' });
    child.kill('SIGKILL');
    expect(told).toEqual(['waiting for standard input; Ctrl-C ends it']);
  });
});

describe('YAML takes a time that grows with its size', () => {
  const count = 30_000;
  const lines = (line: (each: number) => string) =>
    Array.from({ length: count }, (_, each) => line(each)).join('');

  it('however many keys a map has', () => {
    const text = `tasks: [{ title: x }]\nmeta:\n${lines((each) => `  key-${each}: ${each}\n`)}`;
    const before = process.cpuUsage();
    expect(() => readTaskFile('plan.yml', text)).toThrow('it holds no list of tasks');
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(10_000);
  }, 120_000);

  it('however many anchors and aliases it has: too many are refused', () => {
    const anchors = lines((each) => ` - &a${each} { title: t${each} }\n`);
    const text = `tasks:\n${anchors}${lines((each) => ` - *a${each}\n`)}`;
    const before = process.cpuUsage();
    expect(() => readTaskFile('plan.yml', text)).toThrow(/more than 10000 anchors and aliases/);
    expect(() => parseYaml(text.replace('tasks', 'hooks'), 'loopwright.yml')).toThrow(
      /more than 10000 anchors and aliases/,
    );
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(20_000);
  }, 120_000);

  it('and a key that is written twice is still found, with its place', () => {
    expect(() => readTaskFile('plan.yml', 'tasks:\n  - title: a\n    title: b\n')).toThrow(
      /line 3.*Map keys must be unique/,
    );
  });

  it('a file nested too deeply is refused in words', () => {
    expect(() => readTaskFile('plan.yml', `tasks: ${'['.repeat(20_000)}`)).toThrow(
      /plan|line|file/,
    );
  });
});

/** Every command that reads a file which a person names. */
function commands(file: string): readonly (readonly string[])[] {
  return [
    ['parse', 'sigils', file],
    ['parse', 'tests', file],
    ['task', 'import', file],
    ['task', 'add', 'a task', '--file', file],
    ['memory', 'import', file],
    ['run', '--file', file, '--agent', 'command:true'],
    ['run', 'x', '--agent', `scripted:${file}`, '--validate', 'true'],
  ];
}
