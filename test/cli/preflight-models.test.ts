import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

/** A repository in which a program of an agent is played by a script that counts its calls. */
async function withProgram(name: string, script: string) {
  const repo = await gitRepo();
  const bin = path.join(repo.outside, 'bin');
  await mkdir(bin);
  const calls = path.join(repo.outside, 'calls');
  await writeFile(calls, '');
  const text = `#!/bin/sh\necho "$*" >> ${calls}\n${script}\n`;
  await writeFile(path.join(bin, name), text, { mode: 0o755 });
  const env = { ...repo.env, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` };
  return {
    repo,
    cli: memoryCli({ cwd: repo.path, env }),
    calls: async () => (await readFile(calls, 'utf8')).trim().split('\n'),
  };
}

async function refusal(cli: ReturnType<typeof memoryCli>, ...argv: readonly string[]) {
  const { exitCode, out } = await cli.run('run', 'x', '--validate', 'true', '--json', ...argv);
  return { exitCode, error: JSON.parse(out).error };
}

async function expectNothing(repo: GitRepo, cli: ReturnType<typeof memoryCli>) {
  expect(JSON.parse((await cli.run('task', 'list', '--json')).out).tasks).toEqual([]);
  expect(JSON.parse((await cli.run('loop', 'list', '--json')).out).loops).toEqual([]);
  expect(await repo.git('branch', '--list', 'loopwright/*')).toBe('');
}

const listing = 'test "$1" = models && printf "fake/fake-model\\nopen/gpt-5\\n"';

describe('a model that the agent does not know', () => {
  it('is refused with the nearest name before anything exists, for opencode', async () => {
    const { repo, cli } = await withProgram('opencode', listing);
    await using _repo = repo;
    const { exitCode, error } = await refusal(
      cli,
      '--agent',
      'opencode',
      '--model',
      'fake/fake-modle',
    );
    expect(exitCode).toBe(3);
    expect(error.code).toBe('agent.unknown_model');
    expect(error.message).toContain('the agent opencode cannot use the model fake/fake-modle');
    expect(error.message).toContain('asked `opencode models`');
    expect(error.message).toContain('did you mean fake/fake-model?');
    expect(error.hint).toContain('write `model-strategy: { model: fake/fake-model }`');
    await expectNothing(repo, cli);
    await repo.write('loopwright.yml', 'models: { opencode: { medium: nope/x } }\n');
    const tier = await refusal(cli, '--agent', 'opencode');
    expect(tier.error.hint).toContain('models: { opencode: { medium: MODEL } }');
  });

  it('is refused in the words of pi, which looks its model up when it starts', async () => {
    const { repo, cli } = await withProgram(
      'pi',
      'case "$*" in *--list-models) printf "provider  model  context\\nfake  fake-model  1K\\n";; *) echo "Error: Model \\"fake-moddel\\" not found. Use --list-models." >&2; exit 1;; esac',
    );
    await using _repo = repo;
    const { exitCode, error } = await refusal(cli, '--agent', 'pi', '--model', 'fake-moddel');
    expect(exitCode).toBe(3);
    expect(error.message).toContain('Model "fake-moddel" not found');
    expect(error.message).toContain('did you mean fake/fake-model?');
    await expectNothing(repo, cli);
  });

  it('is asked for once, and a known one costs nothing from then on', async () => {
    const { repo, cli, calls } = await withProgram('opencode', `${listing}; exit 0`);
    await using _repo = repo;
    const argv = ['--agent', 'opencode', '--model', 'open/gpt-5', '--dry-run'];
    for (const _time of [1, 2, 3]) {
      const { exitCode } = await cli.run('run', 'x', '--validate', 'true', ...argv);
      expect(exitCode).toBe(0);
    }
    expect(await calls()).toEqual(['models --pure']);
  });

  it('is not asked for where none is named, nor of agents that cannot say so', async () => {
    const { repo, cli, calls } = await withProgram('opencode', listing);
    await using _repo = repo;
    const dry = ['run', 'x', '--validate', 'true', '--dry-run', '--agent'];
    expect((await cli.run(...dry, 'opencode')).exitCode).toBe(0);
    expect((await cli.run(...dry, 'command:true', '--model', 'nope')).exitCode).toBe(0);
    expect(await calls()).toEqual(['']);
  });

  it.each([
    ['fails', 'echo broken >&2; exit 1'],
    ['lists nothing', 'exit 0'],
    ['prints something else', 'echo "Usage: opencode [options]"'],
  ])('does not keep a loop from starting when the agent %s', async (_what, script) => {
    const { repo, cli } = await withProgram('opencode', script);
    await using _repo = repo;
    const argv = ['--agent', 'opencode', '--model', 'nope/x', '--dry-run'];
    expect((await cli.run('run', 'x', '--validate', 'true', ...argv)).exitCode).toBe(0);
  });

  it('an agent that never answers delays one run, for a bounded time, and says so', async () => {
    const { repo, cli, calls } = await withProgram('opencode', 'sleep 300');
    await using _repo = repo;
    const argv = ['--agent', 'opencode', '--model', 'nope/x', '--dry-run'];
    expect((await cli.run('run', 'x', '--validate', 'true', ...argv)).exitCode).toBe(0);
    expect((await cli.run('run', 'x', '--validate', 'true', ...argv)).exitCode).toBe(0);
    expect(await calls()).toHaveLength(1);
  }, 90_000);
});

async function cliFor(repo: GitRepo, url: string, provider = 'openai') {
  const agent = `{ kind: native, provider: ${provider}, base-url: '${url}', model: gpt-5x }`;
  await repo.write('loopwright.yml', `agent: house\nagents: { house: ${agent} }\n`);
  return memoryCli({ cwd: repo.path, env: repo.env });
}

describe('a model of an endpoint', () => {
  type Answer = { readonly status: number; readonly body: unknown };

  async function endpoint(answer: (url: string) => Answer | null) {
    const asked: string[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url ?? '');
      const found = answer(request.url ?? '');
      // No answer at all.
      if (found === null) return;
      response.writeHead(found.status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(found.body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
    return { asked, url: `http://127.0.0.1:${port}/v1` };
  }

  const list = { status: 200, body: { data: [{ id: 'gpt-5' }, { id: 'gpt-4' }] } };

  it('is refused when the endpoint says that there is none', async () => {
    await using repo = await gitRepo();
    const { url, asked } = await endpoint((at) =>
      at === '/v1/models'
        ? list
        : { status: 404, body: { error: { code: 'model_not_found', message: 'no gpt-5x here' } } },
    );
    const cli = await cliFor(repo, url);
    const { exitCode, error } = await refusal(cli);
    expect(exitCode).toBe(3);
    expect(error.message).toContain(`asked \`${url}/models\`: no gpt-5x here`);
    expect(error.message).toContain('did you mean gpt-5?');
    expect(error.hint).toContain('write `agents: { house: { model: gpt-5 } }`');
    expect(asked).toEqual(['/v1/models/gpt-5x', '/v1/models']);
    await expectNothing(repo, cli);
  });

  it('is refused in the way of Anthropic as well', async () => {
    await using repo = await gitRepo();
    const body = { type: 'error', error: { type: 'not_found_error', message: 'model: gpt-5x' } };
    const { url, asked } = await endpoint(() => ({ status: 404, body }));
    const cli = await cliFor(repo, url.replace('/v1', ''), 'anthropic');
    expect((await refusal(cli)).error.code).toBe('agent.unknown_model');
    expect(asked[0]).toBe('/v1/models/gpt-5x');
  });

  it.each<[string, (url: string) => { status: number; body: unknown } | null]>([
    ['has no such address', () => ({ status: 404, body: { detail: 'Not Found' } })],
    ['has a list without it', (url) => (url === '/v1/models' ? list : { status: 405, body: {} })],
    ['wants a key', () => ({ status: 401, body: { error: { code: 'invalid_api_key' } } })],
    ['never answers', () => null],
  ])('does not keep a loop from starting when the endpoint %s', async (_what, answer) => {
    await using repo = await gitRepo();
    const { url } = await endpoint(answer);
    const cli = await cliFor(repo, url);
    expect((await cli.run('run', 'x', '--validate', 'true', '--dry-run')).exitCode).toBe(0);
  });

  it('does not matter when nobody listens', async () => {
    await using repo = await gitRepo();
    const cli = await cliFor(repo, 'http://127.0.0.1:9/v1');
    expect((await cli.run('run', 'x', '--validate', 'true', '--dry-run')).exitCode).toBe(0);
  });
});
