import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';

const never = 'test -f never.txt';

/** Each iteration of the agent takes these steps. */
async function repository(steps: string, tasks: number): Promise<GitRepo> {
  const repo = await gitRepo();
  const file = path.join(repo.outside, 'agent.yml');
  await writeFile(file, `iterations:\n  - steps:\n${steps}\n    final: more\n`);
  await repo.write('loopwright.yml', `agent: 'scripted:${file}'\n`);
  await repo.commitAll('configuration');
  for (let number = 1; number <= tasks; number++)
    await cli(repo).run('task', 'add', `task ${number}`);
  return repo;
}

function cli(repo: GitRepo) {
  return memoryCli({ cwd: repo.path, env: repo.env });
}

async function runAll(repo: GitRepo, ...flags: readonly string[]) {
  const { exitCode, out, err } = await cli(repo).run(
    'run',
    '--validate',
    never,
    ...flags,
    '--json',
  );
  const loops: readonly { costUsd: number | null; reason: string; iterations: number }[] =
    JSON.parse(out).loops;
  const cost = loops.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  return { exitCode, loops, cost, err };
}

const usage = (usd: number) => `      - usage: { input: 100, output: 10, cost-usd: ${usd} }`;

describe('the budget of a run', () => {
  it('holds over parallel loops: one at a time until the cost is known, and nothing starts behind it', async () => {
    await using repo = await repository(`${usage(0.01)}\n      - wait: 300ms`, 6);
    const { exitCode, loops, cost, err } = await runAll(
      repo,
      '--jobs',
      '4',
      '--max-run-cost-usd',
      '0.05',
      // Both budgets: those who wait look at the day again and again.
      '--max-day-cost-usd',
      '1',
    );
    expect(exitCode, err).toBe(5);
    expect(cost).toBeCloseTo(0.05, 9);
    expect(loops.every(({ reason }) => reason === 'budget')).toBe(true);
    const { out } = await cli(repo).run('status', '--json');
    expect(JSON.parse(out).tasks).toMatchObject({ running: 0 });
    // The next run has a new budget, and goes on with what this one has stopped.
    const next = await runAll(repo, '--max-run-cost-usd', '0.02');
    expect(next.err).toContain('the budget of its run was used up');
    expect(next.exitCode).toBe(5);
  });

  it('cuts agents that report at once, and exceeds it by one turn at most', async () => {
    const turn = `${usage(0.01)}\n      - wait: 150ms`;
    // The first iteration says little about those that follow.
    const later = [turn, turn, turn, turn, turn, turn].join('\n');
    await using repo = await repository(`${turn}\n  - steps:\n${later}`, 4);
    const { exitCode, cost, err } = await runAll(repo, '--jobs', '4', '--max-run-cost-usd', '0.2');
    expect(exitCode, err).toBe(5);
    expect(cost).toBeGreaterThanOrEqual(0.2 - 0.06);
    expect(cost).toBeLessThanOrEqual(0.2 + 0.01 + 1e-9);
  });

  it('counts tokens and time in the same way', async () => {
    await using repo = await repository(`${usage(0.01)}\n      - wait: 100ms`, 2);
    const tokens = await runAll(repo, '--max-run-tokens', '330');
    expect(tokens.exitCode).toBe(5);
    expect(tokens.loops.reduce((sum, { iterations }) => sum + iterations, 0)).toBe(3);
    await using slow = await repository(`${usage(0.01)}\n      - hang: true`, 1);
    const time = await runAll(slow, '--max-run-duration', '3s');
    expect(time.exitCode).toBe(5);
    expect(time.err).toContain('time budget of the run');
  });

  it('remembers the day over several runs', async () => {
    await using repo = await repository(usage(0.02), 2);
    const flags = ['--max-iterations', '2', '--max-day-cost-usd', '0.05'];
    const first = await runAll(repo, ...flags, '--limit', '1');
    expect(first.exitCode).toBe(1);
    expect(first.cost).toBeCloseTo(0.04, 9);
    const second = await runAll(repo, ...flags);
    expect(second.exitCode, second.err).toBe(5);
    expect(second.cost).toBeLessThanOrEqual(0.02);
    const { out } = await cli(repo).run('status', '--json');
    const { budget } = JSON.parse(out);
    expect(budget.dayUsd).toBeCloseTo(first.cost + second.cost, 9);
    await repo.write('loopwright.yml', 'budget: { day: { max-cost-usd: 5 } }\n');
    const { out: plain } = await cli(repo).run('status');
    expect(plain).toContain('of $5.00 used within 24 hours');
  });
});
