import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixFailure, rightFix, wrongFix } from '../../src/adapters/model-server/fix-scenario.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../src/adapters/model-server/model-server.ts';
import { say, type Ask, type Reply } from '../../src/adapters/model-server/scenario.ts';
import { findSandboxFault } from '../../src/adapters/process/sandbox.ts';
import { hasProof } from '../../src/core/loop/proof.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const key = 'correct-horse-battery-staple-4711';
const check =
  'test -f greet.sh || exit 1; got=$(sh greet.sh); echo "got: $got; wanted: hello world"; test "$got" = "hello world"';

/** Works, and judges its own work: it lets nothing pass that does not say please. */
function judged({ messages, step }: Ask): Reply {
  const told = messages.join('\n');
  const judges = /^VERDICT (\w+) PASS$/m.exec(told);
  const isPolite = told.includes('please');
  if (step === 0) {
    const file = judges === null ? 'hello.txt' : 'judge-was-here';
    const content = isPolite ? 'hello, please\n' : 'hello\n';
    const shell = `printf '${content}' > ${file}`;
    return { kind: 'acts', acts: [{ kind: 'shell', command: shell }] };
  }
  if (judges === null) return say('Done.');
  const verdict = `VERDICT ${judges[1]} ${isPolite ? 'PASS' : 'FAIL'}`;
  return say(`${isPolite ? 'Good.' : 'It must say please.'}\n\n${verdict}`);
}

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ scenarios: { judged } });
});
afterAll(() => server[Symbol.asyncDispose]());

const endpoints = [
  ['anthropic', 'ANTHROPIC', ''],
  ['openai', 'OPENAI', '/v1'],
] as const;

/** A user with nothing but a key and an address in the environment. */
function withModel(repo: GitRepo, scenario: string, runId: string, prefix: string, suffix: string) {
  const address = `${server.base(scenario, runId)}${suffix}`;
  return {
    ...repo,
    env: { ...repo.env, [`${prefix}_API_KEY`]: key, [`${prefix}_BASE_URL`]: address },
  };
}

describe('a loop with the native agent', () => {
  it.each(endpoints)(
    'mends on %s what its first iteration got wrong',
    async (name, prefix, suffix) => {
      await using repo = await gitRepo();
      const user = withModel(repo, 'fix', `loop-${name}`, prefix, suffix);
      await using project = await openedProject(user, {
        agent: 'native',
        validate: check,
        model: 'm',
      });
      const loop = await project.runText('greet the world');
      expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
      expect(hasProof(loop)).toBe(true);
      expect(loop.iterations.map(({ outcome }) => outcome)).toEqual(['failed', 'done']);
      const branch = loop.workspace.branch ?? '';
      expect(`${await repo.git('show', `${branch}~1:greet.sh`)}\n`).toBe(wrongFix);
      expect(`${await repo.git('show', `${branch}:greet.sh`)}\n`).toBe(rightFix);

      const state = path.join(repo.path, '.loopwright');
      const prompts = (await readdir(state, { recursive: true })).filter((file) =>
        file.endsWith('/prompt.md'),
      );
      const texts = await Promise.all(
        prompts.toSorted().map((file) => readFile(path.join(state, file), 'utf8')),
      );
      expect(texts.map((text) => text.includes(fixFailure))).toEqual([false, true]);
      const agent = loop.iterations[1]?.agent;
      expect(agent).toMatchObject({ kind: 'done', turns: 3, tokens: { input: 3000, output: 300 } });
      await expectNowhere(state, key);
      expect(JSON.stringify(project.live)).not.toContain(key);
    },
  );

  it('is judged by a fresh run of the model, whose words go into the next prompt and whose files go nowhere', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'gates: [{type: llm-judge, criteria: It is polite.}]\n');
    await repo.commitAll('config');
    const user = withModel(repo, 'judged', 'judged', 'ANTHROPIC', '');
    const flags = { agent: 'native', validate: 'test -f hello.txt', model: 'm' };
    await using project = await openedProject(user, flags);
    const loop = await project.runText('say hello');
    expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
    expect(loop.iterations.map(({ gates }) => gates?.[0]?.reason)).toEqual([
      'the judge says fail',
      'the judge says pass',
    ]);
    expect(loop.iterations[1]?.usage?.map(({ purpose }) => purpose)).toEqual(['work', 'judge']);
    const files = await repo.git('ls-tree', '--name-only', loop.workspace.branch ?? '');
    expect(files).not.toContain('judge-was-here');
    expect(await repo.git('show', `${loop.workspace.branch}:hello.txt`)).toBe('hello, please');
  });

  it('works in a sandbox', async ({ skip }) => {
    const fault = findSandboxFault();
    skip(fault !== null, fault ?? '');
    await using repo = await gitRepo();
    const user = withModel(repo, 'bash', 'walled', 'OPENAI', '/v1');
    const flags = {
      agent: 'native',
      validate: 'test -f hello.txt',
      model: 'm',
      sandbox: 'bubblewrap',
    };
    await using project = await openedProject(user, flags);
    expect(await project.runText('say hello')).toMatchObject({ status: 'complete' });
  });

  it('is blocked by a key that is refused, and says so', async () => {
    await using repo = await gitRepo();
    const user = withModel(repo, '401', 'refused', 'ANTHROPIC', '');
    await using project = await openedProject(user, { agent: 'native', validate: check });
    const loop = await project.runText('greet the world');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'auth' });
    expect(server.requests('refused')).toHaveLength(1);
  });

  it('is blocked without a key, with the variable to set', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { agent: 'native', validate: check });
    const loop = await project.runText('greet the world');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'auth' });
    expect(loop.iterations[0]?.agent?.evidence).toBe('there is no API key: set ANTHROPIC_API_KEY');
  });
});

async function expectNowhere(folder: string, text: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const bytes = await readFile(path.join(entry.parentPath, entry.name));
    expect(bytes.includes(text), `${entry.parentPath}/${entry.name}`).toBe(false);
  }
}
