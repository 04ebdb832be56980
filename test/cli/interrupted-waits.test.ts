import { writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/daemon.ts';
import { agentWith } from '../support/failing-provider.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

const check = ['--validate', 'test -f done.txt'];
const down = ['--api-retries', '0', '--probe-delay', '60s'];

async function tasks(repo: GitRepo, count: number): Promise<void> {
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  for (let number = 1; number <= count; number++) await cli.run('task', 'add', `task ${number}`);
}

async function statuses(repo: GitRepo): Promise<readonly string[]> {
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  const { loops } = JSON.parse((await cli.run('loop', 'list', '--json')).out);
  return loops.map(
    ({ status, reason }: { status: string; reason: string }) => `${status} (${reason})`,
  );
}

async function allWait(repo: GitRepo): Promise<void> {
  const areWaiting = async () => {
    const all = await statuses(repo);
    return all.length > 0 && all.every((each) => each.startsWith('waiting'));
  };
  await eventually(areWaiting, 'all loops wait');
}

function expectPaused(text: string, count: number): void {
  expect(text.match(/is paused \(interrupted\)/g)).toHaveLength(count);
  expect(text).not.toContain('pausing after this iteration');
  const next = count === 1 ? /^ +loopwright loop resume/gm : /^next: loopwright run\b/gm;
  expect(text.match(next)).toHaveLength(1);
}

describe('Ctrl-C while every loop waits', () => {
  it.each([
    ['an outage', '529\n', [...down, '--jobs', '2'], /is down since/],
    ['a usage window', '429\nreset 3600\n', [], /usage/],
    ['a rate limit', '429\n', [], /rate/],
  ])('for %s pauses them at once and says once how to continue', async (_, state, flags, waits) => {
    await using repo = await gitRepo();
    const agent = await agentWith(repo);
    await writeFile(agent.down, state);
    await tasks(repo, 2);
    const run = realCli(repo.path, repo.env, ['run', ...check, ...flags]);
    await run.printed((text) => waits.test(text));
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    await allWait(repo);
    run.child.kill('SIGINT');
    const { exitCode, out, err } = await run.ended;
    expect(exitCode, out + err).toBe(130);
    const all = await statuses(repo);
    expect(new Set(all)).toEqual(new Set(['paused (interrupted)']));
    expectPaused(out + err, all.length);
    expect((await cli.run('status')).out).not.toMatch(/^running$/m);
  });

  it.each([
    ['a backoff', 'command:exit 3', ['--error-backoff', '600s'], /crashed|exit code 3/],
    [
      'the delay between iterations',
      'command:date +%N > n.txt',
      ['--iteration-delay', '600s'],
      /iteration-delay/,
    ],
  ])('for %s pauses it', async (_, agent, flags, waits) => {
    await using repo = await gitRepo();
    const argv = ['run', 'wait', '--agent', agent, ...check, ...flags];
    const run = realCli(repo.path, repo.env, argv);
    await run.printed((text) => waits.test(text));
    await allWait(repo);
    run.child.kill('SIGINT');
    const { exitCode, out, err } = await run.ended;
    expect(exitCode, out + err).toBe(130);
    expect(err).not.toContain('pausing after this iteration');
    expect(await statuses(repo)).toEqual(['paused (interrupted)']);
  });

  it('for disk space says that nothing was begun', async () => {
    await using repo = await gitRepo();
    await tasks(repo, 1);
    const argv = ['run', '--agent', 'command:true', ...check, '--wait', '--min-disk', '900tb'];
    const run = realCli(repo.path, repo.env, argv);
    await run.printed((text) => /disk left/.test(text));
    run.child.kill('SIGINT');
    const { exitCode, err } = await run.ended;
    expect(exitCode, err).toBe(130);
    expect(err).toContain('no loop was begun');
    expect(err).toContain('loopwright run');
  });

  it('also pauses loops that a kill had left and that wait for a slot', async () => {
    await using repo = await gitRepo();
    const agent = await agentWith(repo);
    await writeFile(agent.down, '529\n');
    await tasks(repo, 3);
    const argv = ['run', '--jobs', '3', ...check, ...down];
    const killed = realCli(repo.path, repo.env, argv);
    await killed.printed((text) => text.includes('3 loops wait') || text.includes('is down since'));
    await allWait(repo);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const left = await statuses(repo);
    const { out: shown } = await memoryCli({ cwd: repo.path, env: repo.env }).run('status');
    expect(shown).not.toMatch(/^running$/m);
    expect(shown.match(/loopwright run\b/g)).toHaveLength(1);
    const run = realCli(repo.path, repo.env, argv);
    await run.printed((text) => text.includes('is down since'));
    run.child.kill('SIGINT');
    const { exitCode, out, err } = await run.ended;
    expect(exitCode, out + err).toBe(130);
    expect(await statuses(repo)).toEqual(left.map(() => 'paused (interrupted)'));
    expectPaused(out + err, left.length);
  });
});
