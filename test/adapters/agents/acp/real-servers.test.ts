/** One native server and two adapters, for real, against the scripted model. Part of `npm run test:full`. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveAgent } from '../../../../src/adapters/agents/registry.ts';
import {
  startModelServer,
  type ModelServer,
} from '../../../../src/adapters/model-server/model-server.ts';
import { createSupervisor } from '../../../../src/adapters/process/supervisor.ts';
import type { AgentOutcomeKind } from '../../../../src/core/agent/outcome.ts';
import {
  acpServers,
  installServer,
  type AcpServer,
} from '../../../support/agent-cli/acp-servers.ts';
import { gitRepo } from '../../../support/git-repo.ts';
import { livingIn } from '../../process/fixture.ts';
import { runOnce, type Played } from '../agent-run.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const supervisor = createSupervisor();
let model: ModelServer;
beforeAll(async () => {
  model = await startModelServer();
});
afterAll(async () => {
  await model[Symbol.asyncDispose]();
  await supervisor[Symbol.asyncDispose]();
});

type Expected = Readonly<Record<AcpServer['name'], readonly AgentOutcomeKind[]>>;

/** Where an agent hides what happened, the guess of the heuristics is what is expected. */
const scenarios: readonly (readonly [scenario: string, expected: Expected])[] = [
  ['ok', { gemini: ['done'], 'codex-acp': ['done'], 'pi-acp': ['done'] }],
  ['401', { gemini: ['auth'], 'codex-acp': ['auth'], 'pi-acp': ['api_error'] }],
  ['429ra1', { gemini: ['rate_limited'], 'codex-acp': ['rate_limited'], 'pi-acp': ['api_error'] }],
  ['refusal', { gemini: ['refused'], 'codex-acp': ['refused'], 'pi-acp': ['api_error'] }],
];

async function play(
  server: AcpServer,
  bin: string,
  scenario: string,
): Promise<Played & { text: string | null }> {
  await using repo = await gitRepo();
  const runId = path.basename(path.dirname(repo.path));
  const base = model.base(scenario, runId);
  const home = repo.env['HOME'] ?? '';
  for (const [name, content] of Object.entries(server.homeFiles(base))) {
    const file = path.join(home, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, content);
  }
  const agent = await resolveAgent(`acp:${server.command}`, {}, { supervisor, folder: repo.path });
  // codex makes no helpers below a temporary folder, and its home must not look like one.
  const temp = path.join(repo.outside, 'tmp');
  await mkdir(temp);
  const env = {
    TMPDIR: temp,
    PATH: [bin, path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    HOME: home,
    TERM: 'dumb',
    LANG: 'C.UTF-8',
    ...server.env(base),
  };
  const cwd = repo.path;
  const played = await runOnce(agent, cwd, { env, timeoutMs: 180_000, graceMs: 5000 });
  expect(livingIn(cwd)).toEqual([]);
  const text = await readFile(path.join(cwd, 'hello.txt'), 'utf8').catch(() => null);
  return { ...played, text };
}

describe.runIf(isFull).each(acpServers)('$name over ACP', (server) => {
  test.for(scenarios)('%s', { timeout: 600_000 }, async ([scenario, expected], { skip }) => {
    const installed = installServer(server);
    if ('why' in installed) return skip(installed.why);
    const { outcome, activities, text } = await play(server, installed.bin, scenario);
    expect(expected[server.name], outcome.evidence).toContain(outcome.kind);
    expect(outcome.confidence).toBe('low');
    if (scenario !== 'ok') return;
    expect(text).toBe('hello\n');
    expect(outcome.finalText).toContain('Done: wrote hello.txt.');
    const kinds = activities.map(({ kind }) => kind);
    expect(kinds.some((kind) => kind === 'editing' || kind === 'running')).toBe(true);
  });
});
