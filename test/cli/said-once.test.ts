import { describe, expect, it } from 'vitest';
import { startModelServer } from '../../src/adapters/model-server/model-server.ts';
import { eventually } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';
import { neverPasses } from './agents.ts';
import { realCli } from './real-cli.ts';

async function tasks(repo: GitRepo, count: number): Promise<void> {
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  for (let number = 1; number <= count; number++) await cli.run('task', 'add', `task ${number}`);
}

describe('a key that is refused', () => {
  it('is said once, with its variable and the address; the loops are blocked (auth)', async () => {
    await using repo = await gitRepo();
    await using server = await startModelServer({
      scenarios: { unsigned: () => ({ kind: 'status', status: 401 }) },
    });
    await repo.write(
      'loopwright.yml',
      'agent: native\nmodel-strategy: { name: fixed, model: m }\nvalidation: { command: test -f x }\n',
    );
    await repo.commitAll('configuration');
    await tasks(repo, 5);
    const base = server.base('unsigned', 'all');
    const key = { ANTHROPIC_API_KEY: 'k-secret', ANTHROPIC_BASE_URL: base };
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env, ...key } });
    const { exitCode, out, err } = await cli.run('run', '--jobs', '4');
    expect(exitCode, err).toBe(2);
    const text = out + err;
    const origin = new URL(server.url).origin;
    expect(text).toContain(`the key in ANTHROPIC_API_KEY was refused by ${origin}`);
    expect(text.match(/correct it, then `loopwright run`/g)).toHaveLength(1);
    expect(text.match(/was refused by/g)).toHaveLength(1);
    expect(out).toMatch(/is blocked \(auth\)$/m);
    const status = await cli.run('status');
    expect(status.out.match(/correct it, then `loopwright run`/g)).toHaveLength(1);
  });
});

describe('a budget that cannot hold', () => {
  it.each([
    ['--max-run-cost-usd', 'budget.run.max-cost-usd'],
    ['--max-tokens', 'budget.max-tokens'],
  ])('%s over an agent that reports no usage is said once at the start', async (flag, key) => {
    await using repo = await gitRepo();
    await tasks(repo, 2);
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const argv = ['run', ...neverPasses, '--max-iterations', '1', flag, '5'];
    const { err } = await cli.run(...argv);
    const said = `${key} cannot hold for the agent command:echo x >> n.txt, which reports no usage`;
    expect(err.split(said)).toHaveLength(2);
    expect(err).toContain('--max-run-duration');
    const without = await cli.run('run', '--retry-failed', ...neverPasses, '--max-iterations', '1');
    expect(without.err).not.toContain('cannot hold');
  });
});

describe('nothing to do', () => {
  it('names --retry-failed when a task has failed, and says when none has', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const none = await cli.run('run', '--retry-failed', ...neverPasses);
    expect(none.err).toContain('no task has failed');
    await cli.run('run', 'hard', ...neverPasses, '--max-iterations', '1');
    const { exitCode, err } = await cli.run('run', ...neverPasses);
    expect(exitCode).toBe(3);
    expect(err).toContain('1 task has failed');
    expect(err).toContain('loopwright run --retry-failed');
  });
});

it('status says what was used within 24 hours without a budget too', async () => {
  await using repo = await gitRepo();
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  expect((await cli.run('status')).out).toContain('$0.00 used within 24 hours');
});

it('status says that a native agent waits for the rate limit of its provider', async () => {
  await using repo = await gitRepo();
  await using server = await startModelServer({
    scenarios: {
      busy: () => ({ kind: 'status', status: 429, retryAfter: { form: 'text', text: '30' } }),
    },
  });
  await repo.write('loopwright.yml', 'agent: native\nmodel-strategy: { name: fixed, model: m }\n');
  await repo.commitAll('configuration');
  const base = server.base('busy', 'all');
  const env = { ...repo.env, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: base };
  const run = realCli(repo.path, env, ['run', 'hard', '--validate', 'test -f x']);
  const cli = memoryCli({ cwd: repo.path, env });
  await eventually(
    async () => /driven by .*limits the rate of requests/.test((await cli.run('status')).out),
    'status says so',
  );
  // Before it, the endpoint was asked whether it knows the model.
  expect(server.requests('all').filter(({ method }) => method === 'POST')).toHaveLength(1);
  run.child.kill('SIGTERM');
  expect((await run.ended).exitCode).toBe(130);
});
