import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { connected, eventually, realDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

const cliIn = (repo: GitRepo) => memoryCli({ cwd: repo.path, env: { ...repo.env, USER: 'ada' } });

describe('a mistake in the configuration', () => {
  it('keeps nobody from looking, pausing and stopping, and is told', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'agent: "command:sleep 0.2; echo x >> n.txt"\nvalidation: { command: "false" }\nstore: .loopwright/other.db\n',
    );
    await repo.commitAll('project');
    const daemon = await realDaemon(repo);
    const cli = cliIn(repo);
    await cli.run('task', 'add', 'never ends');
    const { client } = await connected(repo);
    const driven = async () => (await client.call('daemon')).driven[0]?.iterations ?? 0;
    await eventually(async () => (await driven()) > 0, 'a loop works');
    await repo.write('loopwright.yml', 'store: .loopwright/other.db\nagnt: x\n');
    const told = 'loopwright.yml:2:1: unknown key `agnt`';
    for (const line of ['status', 'loop list', 'task list', 'daemon status']) {
      const { exitCode, out } = await cli.run(...line.split(' '));
      expect({ line, exitCode, knows: out.includes('never ends') }).toEqual({
        line,
        exitCode: 0,
        knows: true,
      });
    }
    const stopped = await cli.run('stop', '--all', '--now');
    expect(stopped.exitCode).toBe(0);
    expect(stopped.out).toContain('will be stopped now');
    expect((await cli.run('daemon', 'stop', '--now')).exitCode).toBe(0);
    expect((await daemon.ended).exitCode).toBe(0);
    const run = await cli.run('run', 'something');
    expect(run.exitCode).toBe(3);
    expect(run.err).toContain(told);
  });
});

describe('a person in the worktree of a loop', () => {
  it('means the project it belongs to', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const flags = ['--agent', 'command:echo x >> n.txt', '--validate', 'false'];
    await cli.run('run', 'the work', ...flags, '--max-iterations', '1');
    const [loop] = JSON.parse((await cli.run('loop', 'list', '--json')).out).loops;
    const folder = path.join(repo.path, '.loopwright/worktrees', loop.loop);
    const { exitCode, out, err } = await realCli(folder, repo.env, ['loop', 'list']).ended;
    expect(exitCode).toBe(0);
    expect(out).toContain(loop.loop);
    expect(err).toContain(`note: this is the worktree of ${loop.loop}`);
    expect(existsSync(path.join(folder, '.loopwright'))).toBe(false);
  });
});

describe('a selector', () => {
  it('guides, approves and rejects all that are meant', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'validation: {command: test -f done}\ngates: [approval]\n');
    await repo.commitAll('config');
    const cli = cliIn(repo);
    for (const title of ['one', 'two', 'three'])
      await cli.run('run', title, '--agent', 'command:touch done; echo x >> work.txt');
    const guided = await cli.run('guide', 'status:blocked', 'mind the gap');
    expect(guided.out.match(/gets it with its next prompt/g)).toHaveLength(3);
    const status = await cli.run('status');
    expect(status.out.match(/loopwright approve loop-/g)).toHaveLength(3);
    const approved = await cli.run('approve', 'all');
    expect(approved.exitCode).toBe(0);
    expect(approved.out.match(/is complete/g)).toHaveLength(3);
    const again = await cli.run('reject', 'all', '--reason', 'no');
    expect(again.err).toContain('no such loop waits for an approval');
  });
});
