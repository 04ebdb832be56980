import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { connected, eventually, readEvents, servedDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { storedLoops } from '../support/invariants.ts';
import { tempDir } from '../support/temp-dir.ts';

async function project(agent: string): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write(
    'loopwright.yml',
    `agent: "command:${agent}"\nvalidation: { command: test -f done.txt }\n`,
  );
  await repo.commitAll('project');
  return repo;
}

describe('steering loops of a daemon', () => {
  it('pauses them by a selector, and goes on with all of them in the daemon', async () => {
    await using repo = await project(
      'while [ ! -f $HOME/go ]; do sleep 0.05; done; echo x > n.txt',
    );
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    await using daemon = await servedDaemon(repo);
    const { client } = await connected(repo);
    for (const title of ['one', 'two']) await client.call('addTask', { body: { title } });
    await eventually(async () => {
      const { driven } = await client.call('daemon');
      return driven.filter(({ iterations }) => iterations === 1).length === 2;
    }, 'two loops in their first iteration');
    const paused = await cli.run('pause', 'status:running');
    expect(paused.out.match(/will be paused after iteration 1/g)).toHaveLength(2);
    using reader = readEvents(daemon.registration);
    await reader.until(({ event }) => event === 'hello');
    await writeFile(path.join(repo.env['HOME'] ?? '', 'go'), '');
    const resting = new Set<unknown>();
    await reader.until(({ data }) => {
      if (data['type'] === 'loop.rested' && data['reason'] === 'user') resting.add(data['loop']);
      return resting.size === 2;
    });
    const resumed = await cli.run('resume', '--all');
    expect(resumed.err + resumed.out).toMatch(/^the daemon goes on with loop-\w+, loop-\w+\n$/);
    const again = new Set<unknown>();
    await reader.until(({ data }) => {
      if (data['type'] === 'loop.resumed') again.add(data['loop']);
      return again.size === 2;
    });
  }, 120_000);

  it('says so when there is nothing to resume, and when a daemon is asked for that is not there', async () => {
    await using repo = await project('true');
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    const { exitCode, err } = await cli.run('resume', '--all');
    expect(exitCode).toBe(3);
    expect(err).toContain('no loop rests that could continue');
    const detached = await cli.run('resume', '--all', '--detach');
    expect(detached.exitCode).toBe(3);
    expect(detached.err).toContain('loopwright daemon start');
  });

  it('guides, shares, alerts and asks by hand', async () => {
    await using repo = await project('echo x >> n.txt');
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    {
      await using opened = await openedProject(repo, { 'max-iterations': '1' });
      await opened.runText('first');
    }
    expect((await cli.run('guide', 'last', 'mind the gap')).exitCode).toBe(0);
    const shared = await cli.run('share', 'last', 'a note', '--json');
    expect(JSON.parse(shared.out).messages).toMatchObject([{ kind: 'share', body: 'a note' }]);
    expect((await cli.run('alert', 'last', 'look out')).out).toMatch(/^sent to 1 loop: loop-/);
    const asked = await cli.run('query', 'last');
    expect(asked.out).toContain('status: failed (max_iterations)');
    expect((await cli.run('share', 'all', 'x')).exitCode).toBe(3);
    const prompt = await cli.run('prompt', 'render', 'first');
    expect(prompt.out).toContain('mind the gap');
  }, 120_000);
});

describe('a daemon outside of git', () => {
  it('works on one task at a time', async () => {
    await using dir = await tempDir();
    await writeFile(
      path.join(dir.path, 'loopwright.yml'),
      'agent: "command:echo x >> n.txt"\nvalidation: { command: test -f n.txt }\n',
    );
    const home = path.join(dir.path, 'home');
    const place = { path: dir.path, env: { PATH: process.env['PATH'] ?? '', HOME: home } };
    await using daemon = await servedDaemon(place);
    const { client } = await connected(place);
    using reader = readEvents(daemon.registration);
    await reader.until(({ event }) => event === 'hello');
    await client.call('addTask', { body: { title: 'one' } });
    await reader.until(({ data }) => data['type'] === 'loop.rested');
    expect((await client.call('daemon')).limits).toEqual({ maxLoops: 1, maxAgents: 1 });
  }, 120_000);
});

describe('a loop of a daemon that waits', () => {
  it('keeps the time it waits for when the daemon ends and another begins', async () => {
    await using repo = await gitRepo();
    const script = path.join(repo.outside, 'agent.yml');
    await writeFile(
      script,
      'iterations:\n  - steps:\n      - outcome: { kind: usage_limit, reset-in: 3h, times: 9 }\n',
    );
    await repo.write(
      'loopwright.yml',
      `agent: 'scripted:${script}'\nvalidation: { command: test -f done.txt }\n`,
    );
    await repo.commitAll('project');
    const waiting = async (): Promise<number> => {
      await using _daemon = await servedDaemon(repo);
      const { client } = await connected(repo);
      const loop = await eventually(async () => {
        const { driven } = await client.call('daemon');
        return driven.find(({ status }) => status === 'waiting') ?? null;
      }, 'a loop waits');
      return Date.parse(loop.waitingUntil ?? '');
    };
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    await cli.run('task', 'add', 'be patient');
    const first = await waiting();
    expect(await waiting()).toBe(first);
    const [stored] = await storedLoops(repo);
    expect(stored?.loop).toMatchObject({ status: 'paused', reason: 'interrupted' });
    const starts = stored?.events.filter(({ event }) => event.type === 'agent.started');
    expect(starts).toHaveLength(1);
  }, 120_000);
});
