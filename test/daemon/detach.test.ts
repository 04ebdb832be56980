import { describe, expect, it, onTestFinished } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { realCli } from '../cli/real-cli.ts';
import { connected, eventually, servedDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

async function project(): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write('loopwright.yml', `agent: "command:echo x >> n.txt"\n`);
  await repo.commitAll('project');
  return repo;
}

const validate = ['--validate', 'test "$(wc -l < n.txt)" -ge 2'];

async function restOf(repo: GitRepo, id: string) {
  await using opened = await openedProject(repo, {});
  const get = () => opened.engine.store.read((tx) => tx.loops.get(id));
  await eventually(async () => (await get())?.endedAt !== null, 'the loop has ended');
  return get();
}

describe('run --detach', () => {
  it('starts a daemon, hands the work over with its flags, and comes back', async () => {
    await using repo = await project();
    const run = realCli(repo.path, repo.env, ['run', 'count', '--detach', '--json', ...validate]);
    const { exitCode, out, err } = await run.ended;
    expect(err).toBe('');
    expect(exitCode).toBe(0);
    const { loop, daemon } = JSON.parse(out);
    onTestFinished(() => {
      try {
        process.kill(daemon.pid, 'SIGKILL');
      } catch {
        // It has ended, as it should.
      }
    });
    expect(daemon.started).toBe(true);
    const ended = await restOf(repo, loop);
    expect(ended).toMatchObject({ status: 'complete', flags: { validate: validate[1] } });
    const stop = await realCli(repo.path, repo.env, ['daemon', 'stop']).ended;
    expect(stop.exitCode).toBe(0);
  }, 120_000);

  it('hands over to the daemon that is there: a text, a task, an unfinished loop, all that is ready', async () => {
    await using repo = await project();
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    await cli.run('run', 'stop early', ...validate, '--max-iterations', '1', '--mode', 'attended');
    const asking = JSON.parse((await cli.run('loop', 'show', 'last', '--json')).out);
    expect(asking.status).toBe('blocked');
    await using _daemon = await servedDaemon(repo, { takesReady: false });
    const { client } = await connected(repo);
    const text = await cli.run('run', 'count', '--detach', ...validate);
    expect(text.out).toMatch(/^loop-\w{8} runs in the daemon \(process \d+\): count\n$/);
    const [id = ''] = /loop-\w+/.exec(text.out) ?? [];
    expect(await restOf(repo, id)).toMatchObject({ status: 'complete' });

    const refused = await cli.run('run', 'stop early', '--detach', '--max-iterations', '5');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain(`loopwright loop resume ${asking.loop} --max-iterations`);
    const resumed = await cli.run('run', 'stop early', '--detach');
    expect(resumed.out).toContain(asking.loop);
    await eventually(async () => {
      const shown = await cli.run('loop', 'show', asking.loop, '--json');
      return JSON.parse(shown.out).iterations.length === 1;
    }, 'the unfinished loop has gone on');

    const added = JSON.parse(
      (await cli.run('task', 'add', 'later', '--validate', 'test -f n.txt', '--json')).out,
    );
    expect((await client.call('daemon')).takesReady).toBe(false);
    expect((await cli.run('run', '--detach')).out).toContain('works on everything that is ready');
    expect((await client.call('daemon')).takesReady).toBe(true);
    await eventually(async () => {
      const { tasks } = await client.call('tasks', { query: { limit: 100 } });
      return tasks.some((task) => task.task === added.task && task.status === 'done');
    }, 'the ready task is done');
  }, 120_000);

  it.each([
    [['run', 'x', '--detach', '--in-place'], '--detach and --in-place exclude each other'],
    [['run', '--detach', '--jobs', '3'], 'scheduler.max-agents'],
    [['run', '--detach', '--merge', 'local'], 'works by loopwright.yml'],
    [['run', 'x', '--detach'], 'there is no validation command'],
  ])('refuses what the daemon cannot do, and starts nothing: %j', async (argv, text) => {
    await using repo = await project();
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    const { exitCode, err } = await cli.run(...argv);
    expect(exitCode).toBe(3);
    expect(err).toContain(text);
    expect((await cli.run('daemon', 'status')).out + err).not.toContain('running for');
    expect(JSON.parse((await cli.run('task', 'list', '--json')).out).tasks).toEqual([]);
  });
});
