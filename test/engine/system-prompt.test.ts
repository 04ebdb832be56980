import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startModelServer,
  type ModelServer,
} from '../../src/adapters/model-server/model-server.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** A stand-in for an agent CLI that keeps its arguments and its prompt, and ends as a crash. */
async function fakeCli(repo: GitRepo): Promise<string> {
  const file = path.join(repo.outside, 'cli');
  const script = `#!/bin/sh\nprintf '%s\\0' "$@" > "${repo.outside}/argv"\ncat > "${repo.outside}/stdin"\nexit 1\n`;
  await writeFile(file, script, { mode: 0o755 });
  return file;
}

async function sentBy(agent: string, systemPrompt: string | null = null) {
  const repo = await gitRepo();
  const program = await fakeCli(repo);
  const type =
    systemPrompt === null ? '' : `types: { ralph: { system-prompt: "${systemPrompt}" } }\n`;
  await repo.write(
    'loopwright.yml',
    `agent: ${agent}\nagents: { ${agent}: { kind: ${agent}, command: ${program} } }\nvalidation: { command: "false" }\n${type}`,
  );
  await repo.commitAll('project');
  const rendered = await memoryCli({ cwd: repo.path, env: repo.env }).run(
    'run',
    'work',
    '--dry-run',
    '--json',
  );
  await using project = await openedProject(repo, { 'max-iterations': '1' });
  const loop = await project.runText('work');
  const dir = await project.engine.artifacts.iterationDir(loop.id, 1);
  return {
    [Symbol.asyncDispose]: () => repo[Symbol.asyncDispose](),
    preview: JSON.parse(rendered.out),
    prompt: await readFile(path.join(dir, 'prompt.md'), 'utf8'),
    iteration: loop.iterations[0],
    system: await readFile(path.join(dir, 'system-prompt.md'), 'utf8').catch(() => null),
    argv: (await readFile(path.join(repo.outside, 'argv'), 'utf8')).split('\0'),
    stdin: await readFile(path.join(repo.outside, 'stdin'), 'utf8'),
  };
}

const help = '<task-done>t-';

describe('the help for tags', () => {
  it.each(['claude', 'codex', 'pi'])(
    'is in the system prompt of %s, and kept',
    async (agent) => {
      await using sent = await sentBy(agent);
      expect(sent.stdin).not.toContain(help);
      expect(sent.prompt).toBe(sent.stdin);
      expect(sent.argv.filter((arg) => arg.includes('<task-done>'))).toHaveLength(1);
      expect(sent.system).toContain(help);
      expect(sent.iteration?.systemHash).toMatch(/^[0-9a-f]{64}$/);
      expect(sent.preview.systemPrompt).toContain(help);
      expect(sent.preview.prompt).not.toContain(help);
    },
    60_000,
  );

  it.each(['gemini', 'opencode'])(
    'ends the prompt of %s',
    async (agent) => {
      await using sent = await sentBy(agent);
      expect(sent.stdin).toContain(help);
      expect(sent.prompt).toContain(help);
      expect(sent.system).toBeNull();
      expect(sent.preview).toMatchObject({ systemPrompt: null });
      expect(sent.preview.prompt).toContain(help);
    },
    60_000,
  );

  it('ends the prompt when the system prompt is too long for an argument', async () => {
    await using sent = await sentBy('claude', 'x'.repeat(40_000));
    expect(sent.stdin).toContain(help);
    expect(sent.argv).not.toContain('--append-system-prompt');
    expect(sent.system).toBeNull();
  }, 60_000);

  it('is in the system prompt of the native agent', async () => {
    await using repo = await gitRepo();
    const base = server.base('ok', 'system-prompt');
    await repo.write(
      'loopwright.yml',
      `agent: native\nagents: { native: { kind: native, base-url: "${base}" } }\nvalidation: { command: test -f hello.txt }\n`,
    );
    await repo.commitAll('project');
    const withKey = { ...repo, env: { ...repo.env, ANTHROPIC_API_KEY: 'key' } };
    await using project = await openedProject(withKey, { model: 'scripted' });
    await project.runText('work');
    // The endpoint is asked before whether it knows the model.
    const first = server.requests('system-prompt').find(({ method }) => method === 'POST');
    expect(first?.ask?.system).toContain(help);
    expect(first?.ask?.messages.join()).not.toContain(help);
    const shown = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'task',
      'add',
      'more',
      '--json',
    );
    const { id } = JSON.parse(shown.out);
    const { out } = await memoryCli({ cwd: repo.path, env: repo.env }).run('prompt', 'render', id);
    expect(out.split('----- system prompt, sent beside the prompt -----')[1]).toContain(
      `<task-done>${id}`,
    );
  }, 60_000);
});
