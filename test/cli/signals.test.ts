import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { waits } from './agents.ts';
import { listChildren } from '../../src/adapters/process/proc.ts';
import { realCli, realCliThrough, type RealRun } from './real-cli.ts';

const agentWaits = (text: string) => text.includes('saying     waiting now');

describe('signals to a foreground run', () => {
  it('finishes the iteration on the first Ctrl-C and says how to go on', async () => {
    await using repo = await gitRepo();
    const agent =
      'command:echo waiting now; while [ ! -f "$HOME/go" ]; do sleep 0.05; done; echo x >> n.txt';
    const argv = ['run', 'count', '--agent', agent, '--validate', 'test "$(wc -l < n.txt)" -ge 2'];
    const run = realCli(repo.path, repo.env, argv);
    await run.printed(agentWaits);
    run.child.kill('SIGINT');
    await run.printed((text) =>
      text.includes('pausing after this iteration; Ctrl-C again cuts it short'),
    );
    await repo.write('../home/go', '');
    const { exitCode, out } = await run.ended;
    expect(exitCode).toBe(130);
    expect(out).toMatch(/is paused \(interrupted\)/);
    expect(out).toContain('iterations  1 in');
    const id = /loopwright loop resume (loop-[0-9a-f]{8})/.exec(out)?.[1] ?? '';
    const resumed = await realCli(repo.path, repo.env, ['loop', 'resume', id, '--json']).ended;
    expect(resumed.exitCode).toBe(0);
    expect(JSON.parse(resumed.out)).toMatchObject({ loop: id, status: 'complete', iterations: 2 });
  });

  it.each([
    ['SIGINT twice', ['SIGINT', 'SIGINT']],
    ['SIGTERM', ['SIGTERM']],
    ['SIGHUP', ['SIGHUP']],
  ] as const)(
    'cuts the iteration on %s, keeps its files and exits with 130',
    async (_, signals) => {
      await using repo = await gitRepo();
      const run = realCli(repo.path, repo.env, ['run', 'cut me', ...waits, '--json']);
      await run.printed(agentWaits);
      for (const signal of signals) {
        run.child.kill(signal);
        await run.printed((text) =>
          text.includes(signal === 'SIGINT' ? 'pausing after' : 'cutting it short'),
        );
      }
      const { exitCode, out } = await run.ended;
      expect(exitCode).toBe(130);
      const result = JSON.parse(out);
      expect(result).toMatchObject({ status: 'paused', reason: 'interrupted', exitCode: 130 });
      expect(await repo.git('show', `${result.branch}:half.txt`)).toBe('half');
    },
  );

  it('ends any other command with 130', async () => {
    await using repo = await gitRepo();
    const run = realCli(repo.path, repo.env, ['run', 'cut me', ...waits]);
    await run.printed(agentWaits);
    const following = realCli(repo.path, repo.env, ['logs', '-f', 'last']);
    await following.printed((text) => text.includes('iteration 1'));
    following.child.kill('SIGINT');
    expect((await following.ended).exitCode).toBe(130);
    run.child.kill('SIGTERM');
    await run.ended;
  });
});

describe('the entry', () => {
  it('is silent when its reader goes away', async () => {
    await using repo = await gitRepo();
    const run = realCli(repo.path, repo.env, ['--help']);
    run.child.stdout?.destroy();
    const { err } = await run.ended;
    expect(err).toBe('');
  });

  it('never prints the value of a key', async () => {
    await using repo = await gitRepo();
    const env = { ...repo.env, OPENAI_API_KEY: 'sk-123456789-secret' };
    const argv = [
      'run',
      'leak',
      '--agent',
      'command:echo sk-123456789-secret > leak.txt; cat leak.txt',
    ];
    const { out, err } = await realCli(repo.path, env, [...argv, '--validate', 'cat leak.txt'])
      .ended;
    expect(out + err).toContain('[OPENAI_API_KEY]');
    expect(out + err).not.toContain('sk-123456789-secret');
  });
});

describe('a run whose reader has gone', () => {
  it('goes on, and its exit code tells how it ended', async () => {
    await using repo = await gitRepo();
    const limits = ['--validate', 'false', '--max-iterations', '1'];
    const argv = ['run', 'unread', '--agent', 'command:echo x > x.txt', ...limits];
    const run = realCli(repo.path, repo.env, argv);
    await run.printed((text) => text.includes('unread'));
    run.child.stdout?.destroy();
    run.child.stderr?.destroy();
    const [exitCode] = await once(run.child, 'exit');
    expect(exitCode).toBe(1);
    const { out } = await realCli(repo.path, repo.env, ['loop', 'list', '--json']).ended;
    expect(JSON.parse(out).loops).toMatchObject([{ status: 'failed', reason: 'max_iterations' }]);
  });
});

describe.skipIf(process.platform !== 'linux')('a Node that is too old and hands over', () => {
  it('takes the engine with it when it is killed', async () => {
    await using repo = await gitRepo();
    const run = await runByOldNode(repo, ['run', 'cut me', ...waits]);
    await run.printed(agentWaits);
    run.child.kill('SIGKILL');
    // Until then somebody holds the pipes.
    await run.ended;
    const status = await realCli(repo.path, repo.env, ['loop', 'list', '--json']).ended;
    expect(JSON.parse(status.out).loops).toMatchObject([{ status: 'running' }]);
  });

  it.each(['the terminal', 'kill'])('counts one Ctrl-C of %s once', async (who) => {
    await using repo = await gitRepo();
    const agent = 'command:echo waiting now; while [ ! -f "$HOME/go" ]; do sleep 0.05; done';
    const argv = ['run', 'count', '--agent', agent, '--validate', 'false'];
    const run = await runByOldNode(repo, argv);
    await run.printed(agentWaits);
    const parent = run.child.pid ?? 0;
    const hit = who === 'kill' ? [parent] : [parent, ...(listChildren(parent) ?? [])];
    for (const pid of hit) process.kill(pid, 'SIGINT');
    await run.printed((text) => text.includes('pausing after this iteration'));
    await repo.write('../home/go', '');
    const { exitCode, out, err } = await run.ended;
    expect(exitCode).toBe(130);
    expect(out).toContain('iterations  1 in');
    expect(err).not.toContain('cutting it short');
  });
});

async function runByOldNode(repo: GitRepo, argv: readonly string[]): Promise<RealRun> {
  const claim = `Object.defineProperty(process, 'versions', { value: { node: '20.0.0' } });`;
  await repo.write('../home/old.cjs', claim);
  const preload = `${repo.env['HOME']}/old.cjs`;
  const through = ([node = '', ...words]: readonly string[]): readonly [string, ...string[]] => [
    node,
    '--require',
    preload,
    ...words,
  ];
  return realCliThrough(through, repo.path, repo.env, argv);
}
