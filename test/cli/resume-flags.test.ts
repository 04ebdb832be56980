import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { eventually, servedDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

/** Each iteration costs a cent and 1000 tokens; the second one of a loop passes. */
const script = `iterations:
  - steps:
      - usage: { input: 1000, output: 0, cost-usd: 0.01 }
      - append: { path: work.txt, content: "x\\n" }
    final: not yet
  - steps:
      - usage: { input: 1000, output: 0, cost-usd: 0.01 }
      - write: { path: done.txt, content: "x\\n" }
    final: <task-done>{{task-id}}</task-done>
`;

async function repository(tasks: number): Promise<GitRepo> {
  const repo = await gitRepo();
  const file = path.join(repo.outside, 'agent.yml');
  await writeFile(file, script);
  await repo.write(
    'loopwright.yml',
    `agent: 'scripted:${file}'\nvalidation: { command: test -f done.txt }\n`,
  );
  await repo.commitAll('configuration');
  for (let number = 1; number <= tasks; number++)
    await cli(repo).run('task', 'add', `task ${number}`);
  return repo;
}

function cli(repo: GitRepo) {
  return memoryCli({ cwd: repo.path, env: repo.env });
}

async function spent(repo: GitRepo): Promise<number> {
  const { out } = await cli(repo).run('status', '--json');
  return JSON.parse(out).budget.dayUsd;
}

describe('flags of a whole run', () => {
  it.each([
    ['--max-run-cost-usd', '0.01', 0.01],
    ['--max-run-tokens', '1000', 0.01],
    ['--max-run-duration', '1ms', 0],
    ['--max-day-cost-usd', '0.01', 0],
  ])('%s holds for resume --all', async (flag, value, more) => {
    await using repo = await repository(2);
    expect((await cli(repo).run('run', '--jobs', '2', '--max-run-cost-usd', '0.01')).exitCode).toBe(
      5,
    );
    const before = await spent(repo);
    const { exitCode, err } = await cli(repo).run('resume', '--all', '--jobs', '2', flag, value);
    expect(exitCode, err).toBe(5);
    expect(err).toMatch(/budget of the (?:run|day): /);
    expect((await spent(repo)) - before).toBeCloseTo(more, 9);
  });

  it.each([
    ['--max-day-cost-usd', '0.01', 5],
    ['--min-disk', '900tb', 3],
  ])('%s holds for loop resume, and nothing is spent', async (flag, value, code) => {
    await using repo = await repository(1);
    expect((await cli(repo).run('run', '--max-run-cost-usd', '0.01')).exitCode).toBe(5);
    const before = await spent(repo);
    const { exitCode, out, err } = await cli(repo).run('loop', 'resume', 'last', flag, value);
    expect(exitCode, out + err).toBe(code);
    expect(await spent(repo)).toBeCloseTo(before, 9);
  });

  it('are refused by resume where a daemon would not see them', async () => {
    await using repo = await repository(1);
    await cli(repo).run('run', '--max-run-cost-usd', '0.01');
    await using _daemon = await servedDaemon(repo, { takesReady: false });
    for (const flag of [
      ['--max-run-cost-usd', '0.01'],
      ['--max-cost-usd', '5'],
      ['--jobs', '2'],
    ]) {
      const { exitCode, err } = await cli(repo).run('resume', '--all', ...flag);
      expect(exitCode, err).toBe(3);
      expect(err).toContain(`${flag[0]} says nothing to the daemon`);
    }
  });
});

describe('a budget that is used up', () => {
  it('ends resume --all with 5 and says when there is room', async () => {
    await using repo = await repository(2);
    await cli(repo).run('run', '--max-run-cost-usd', '0.01');
    await appendFile(
      path.join(repo.path, 'loopwright.yml'),
      'budget: { day: { max-cost-usd: 0.01 } }\n',
    );
    const { exitCode, err } = await cli(repo).run('resume', '--all');
    expect(exitCode, err).toBe(5);
    expect(err).toMatch(/cost budget of the day: .* is used up/);
    expect(err).toMatch(/room again .*UTC/);
    expect(err).toContain('--max-day-cost-usd');
    expect(err).not.toContain('`loopwright run` goes on with it');
    const ran = await cli(repo).run('run');
    expect(ran.exitCode).toBe(5);
    expect(ran.err).toMatch(/room again .*UTC/);
    expect(await spent(repo)).toBeCloseTo(0.01, 9);
  });

  it('of a daemon is said by resume --all; raised in the file, its loops go on', async () => {
    await using repo = await repository(2);
    const file = path.join(repo.path, 'loopwright.yml');
    await appendFile(file, 'budget: { run: { max-cost-usd: 0.01 } }\n');
    await using _daemon = await servedDaemon(repo);
    await eventually(async () => {
      const { out } = await cli(repo).run('loop', 'list', '--json');
      const { loops } = JSON.parse(out);
      return (
        loops.length > 0 && loops.every((loop: { status: string }) => loop.status === 'stopped')
      );
    }, 'the budget is used up');
    const { exitCode, out, err } = await cli(repo).run('resume', '--all');
    expect(exitCode, out + err).toBe(5);
    expect(out + err).not.toContain('the daemon goes on with');
    expect(err).toMatch(/the daemon starts nothing more: cost budget of the run: /);
    expect(err).toContain('budget.run');
    await writeFile(file, (await readFile(file, 'utf8')).replace('0.01', '1'));
    await eventually(async () => {
      const { out: text } = await cli(repo).run('task', 'list', '--json');
      const { tasks } = JSON.parse(text);
      return tasks.every((task: { status: string }) => task.status === 'done');
    }, 'its loops go on');
  });
});

it('an explicit --max-agents wins over what --jobs implies', async () => {
  await using repo = await gitRepo();
  const log = path.join(repo.outside, 'log');
  await repo.write(
    'loopwright.yml',
    `agent: "command:echo + >> ${log}; sleep 0.3; echo - >> ${log}; touch done.txt"\nvalidation: { command: test -f done.txt }\n`,
  );
  await repo.commitAll('configuration');
  for (const title of ['a', 'b', 'c']) await cli(repo).run('task', 'add', title);
  expect((await cli(repo).run('run', '--jobs', '3', '--max-agents', '1')).exitCode).toBe(0);
  const steps = (await readFile(log, 'utf8')).split('\n').filter((line) => line !== '');
  expect(steps.join('')).toBe('+-+-+-');
});
