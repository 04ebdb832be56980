import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

async function project(config: string): Promise<GitRepo> {
  const repo = await gitRepo();
  await repo.write('loopwright.yml', config);
  await repo.commitAll('project');
  return repo;
}

describe('run', () => {
  it('of a task whose second loop is complete is a success', async () => {
    await using repo = await gitRepo();
    const count = `${repo.outside}/n`;
    await repo.write(
      'loopwright.yml',
      `agent: "command:echo x >> '${count}'; cp '${count}' n.txt"
validation: { command: 'test "$(wc -l < n.txt)" -ge 2' }
limits: { max-iterations: 1 }
`,
    );
    await repo.commitAll('project');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    await cli.run('task', 'add', 'count', '--max-retries', '1');
    const { exitCode, out, err } = await cli.run('run', 'count');
    expect(exitCode, out + err).toBe(0);
    expect(out + err).toContain('retry 1 of 1');
  });
});

describe('loop explain', () => {
  it('says that a condition took too long', async () => {
    await using repo = await project(
      `agent: "command:echo x >> n.txt"
validation: { command: "false" }
limits: { max-iterations: 1 }
stop: [{ on: script, command: sleep 30, timeout: 300ms }]
`,
    );
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    await cli.run('run', 'work');
    const { out } = await cli.run('loop', 'explain', 'last');
    const told = '`sleep 30` exits 0: not met (normal); `sleep 30` took longer than 0.3 s';
    expect(out.replaceAll(/\s+/g, ' ')).toContain(told);
  });
});
