/** The agent CLIs themselves, several at a time, while their provider fails in every way it can. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findScenario } from '../../src/adapters/model-server/scenario.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { realCli } from '../cli/real-cli.ts';
import { findCli } from '../support/agent-cli/pinned.ts';
import {
  cliSetup,
  trialKey,
  trialKeyVariable,
  writeHomeFiles,
} from '../support/agent-cli/setup.ts';
import { realDaemon } from '../support/daemon.ts';
import { gitRepo, writeFileIn, type GitRepo } from '../support/git-repo.ts';
import { addTasks, expectUntouched, figures, loopsOf, Sky, sleep, until } from '../support/sky.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
/** With the usual pace three minutes, as a night would see it; else the same in short. */
const downMs = isFull ? 180_000 : 5000;
const pace = isFull ? '' : 'probe-delay: 1s, max-probe-delay: 2s';
const patience = { timeout: isFull ? 900_000 : 240_000 };

const missing = (['claude', 'codex'] as const).filter((agent) => findCli(agent) === null);
const why = `not installed: node scripts/install-agent-clis.ts ${missing.join(' ')}`;
if (missing.length > 0) process.stderr.write(`no agent CLI lives through an outage: ${why}\n`);

/** Until the provider is back: 30 s and 90 s after it went down, or at the short pace. */
const mostProbes = isFull ? 3 : 6;
const downLine = /is down since [\d:]+(?: UTC)?, next try [\d:]+ UTC, \d loops? waits?/;
/** USD. A turn costs about a twentieth of it. */
const runBudget = 0.12;

type User = Pick<GitRepo, 'path' | 'env'>;

type Options = {
  readonly agent?: 'claude' | 'codex';
  /** Further limits, as in YAML. */
  readonly limits?: string;
  /** Nothing of Codex is configured here. */
  readonly isBareCodex?: boolean;
};

/** Somebody with both agents on their PATH: Claude Code as it is, Codex with an address of its own. */
async function userOf(repo: GitRepo, base: string, options: Options = {}): Promise<User> {
  const { agent = 'claude', limits = '', isBareCodex = false } = options;
  const temp = path.join(path.dirname(repo.path), 'tmp');
  await mkdir(temp);
  const codex = cliSetup('codex', base);
  await writeHomeFiles(repo.env['HOME'] ?? '', codex);
  await repo.write(
    'loopwright.yml',
    `agent: ${agent}
agents: ${JSON.stringify(isBareCodex ? {} : { codex: codex.settings })}
types: { by-codex: { agent: codex } }
env: { pass: [${trialKeyVariable}] }
validation: { command: test -f hello.txt }
verify: { confirm: off }
limits: { ${[pace, limits].filter((each) => each !== '').join(', ')} }
`,
  );
  await repo.commitAll('config');
  const bins = (['claude', 'codex'] as const).flatMap((each) => findCli(each) ?? []);
  const programs = [...bins, path.dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'];
  return {
    path: repo.path,
    env: {
      ...repo.env,
      PATH: programs.join(':'),
      TMPDIR: temp,
      ANTHROPIC_BASE_URL: base,
      ANTHROPIC_API_KEY: trialKey,
      [trialKeyVariable]: trialKey,
    },
  };
}

/** Codex as a user sets it up for a service of their own. */
const ownCodex = (base: string) => `model = "gpt-5.4"
model_provider = "mine"
[model_providers.mine]
name = "mine"
base_url = "${base}/v1"
env_key = "${trialKeyVariable}"
wire_api = "responses"
`;

const byClaude = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ title: `task ${n} of claude` }));
const byCodex = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ title: `task ${n} of codex`, type: 'by-codex' }));

function costOf(loop: Loop | undefined): number {
  return (loop?.iterations ?? []).reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
}

/** What an outage may never do: reach a prompt, or have another model asked. */
function expectNoTrace({ calls }: Sky): void {
  const told = calls.flatMap(({ ask }) => [ask.system, ...ask.messages]);
  expect(told.filter((text) => /Scripted status|is down since|529/.test(text))).toEqual([]);
  const models = calls.map(({ ask }) => `${ask.dialect} ${ask.model}`);
  const agents = new Set(calls.map(({ ask }) => ask.dialect));
  expect(new Set(models).size).toBe(agents.size);
}

describe.skipIf(missing.length > 0)(missing.length > 0 ? why : 'for real', () => {
  it(
    'Claude Code is overloaded and then flaps, while Codex works',
    patience,
    async ({ annotate }) => {
      const sky = new Sky();
      sky.isOver = ({ dialect }) => dialect === 'anthropic';
      await using server = await sky.serve();
      await using repo = await gitRepo();
      const user = await userOf(repo, server.base('sky', 'night'));
      const ofClaude = isFull ? 4 : 3;
      const ofCodex = isFull ? 3 : 2;
      await addTasks(user, [...byClaude(ofClaude), ...byCodex(ofCodex)]);
      const run = realCli(user.path, user.env, ['run', '--jobs', '3']);
      await until(() => sky.calls.some(({ ask }) => ask.dialect === 'anthropic'));
      sky.weather = 'overloaded';
      const downAt = Date.now();
      await run.printed((text) => downLine.test(text));
      await sleep(Math.max(0, downAt + downMs - Date.now()));
      sky.weather = 'up';
      const backAt = Date.now();
      await run.printed((text) => /claude answers again after/.test(text));
      sky.weather = 'cut';
      await sleep(downMs / 6);
      sky.weather = 'up';
      const { exitCode, out, err } = await run.ended;
      expect(exitCode, out + err).toBe(0);
      const loops = await loopsOf(user);
      expectUntouched(loops, ofClaude + ofCodex);
      expectNoTrace(sky);
      // Four requests of each loop, then one at a time.
      const overloaded = sky.calls.filter(({ weather }) => weather === 'overloaded');
      expect(overloaded.length).toBeLessThanOrEqual(4 * ofClaude + mostProbes);
      const money = loops.reduce((sum, loop) => sum + costOf(loop), 0);
      await annotate(`run: ${figures(sky, loops, backAt)}, $${money.toFixed(3)}`);
    },
  );

  it(
    'a daemon waits for Codex while nothing listens at its address',
    patience,
    async ({ annotate }) => {
      const sky = new Sky();
      const first = await sky.serve();
      await using repo = await gitRepo();
      const base = first.base('sky', 'daemon');
      // Without a network Codex waits within its run; its first try is enough for the short version.
      const limits = isFull ? '' : 'api-retries: 0';
      const user = await userOf(repo, base, { agent: 'codex', limits });
      await addTasks(user, byCodex(3));
      const daemon = await realDaemon(user);
      await until(() => sky.calls.length > 0);
      await first[Symbol.asyncDispose]();
      const downAt = Date.now();
      await daemon.printed((text) => downLine.test(text));
      const knownMs = Date.now() - downAt;
      await sleep(Math.max(0, downAt + downMs - Date.now()));
      await using _second = await sky.serve(Number(new URL(base).port));
      const backAt = Date.now();
      await daemon.printed((text) => (text.match(/ complete \(/g) ?? []).length === 3);
      daemon.child.kill('SIGTERM');
      await daemon.ended;
      const loops = await loopsOf(user);
      expectUntouched(loops, 3);
      expectNoTrace(sky);
      await annotate(`daemon: known after ${knownMs / 1000} s, ${figures(sky, loops, backAt)}`);
    },
  );

  it('a sign-in of Claude Code ends, and the next run goes on by itself', patience, async () => {
    const sky = new Sky();
    await using server = await sky.serve();
    await using repo = await gitRepo();
    const user = await userOf(repo, server.base('sky', 'signin'));
    await addTasks(user, byClaude(4));
    const args = ['run', '--jobs', '3'];
    const run = realCli(user.path, user.env, args);
    await until(() => sky.calls.length > 0);
    sky.weather = 'unsigned';
    const { out, err } = await run.ended;
    expect((out + err).match(/note +claude wants a sign-in/g)).toHaveLength(1);
    // Those under way together, each with the one retry of its own; no further one.
    expect(sky.lost).toBeLessThanOrEqual(6);
    const resting = (await loopsOf(user)).filter(({ status }) => status !== 'complete');
    for (const loop of resting) expect(loop).toMatchObject({ status: 'blocked', reason: 'auth' });
    sky.weather = 'up';
    expect((await realCli(user.path, user.env, args).ended).exitCode).toBe(0);
    expectUntouched(await loopsOf(user), 4);
    expectNoTrace(sky);
  });

  it.runIf(isFull)('a rate limit is waited for as long as it says', patience, async () => {
    const sky = new Sky();
    await using server = await sky.serve();
    await using repo = await gitRepo();
    const user = await userOf(repo, server.base('sky', 'rate'));
    await addTasks(user, [...byClaude(2), ...byCodex(1)]);
    sky.weather = 'limited';
    const run = realCli(user.path, user.env, ['run', '--jobs', '3']);
    await run.printed((text) => (text.match(/waiting +rate limit/g) ?? []).length >= 3);
    sky.weather = 'up';
    expect((await run.ended).exitCode).toBe(0);
    expectUntouched(await loopsOf(user), 3);
    expectNoTrace(sky);
  });

  it.runIf(isFull)('a usage limit is waited for until the time it names', patience, async () => {
    const sky = new Sky();
    await using server = await sky.serve();
    await using repo = await gitRepo();
    const user = await userOf(repo, server.base('sky', 'usage'));
    // With a key Claude Code does not look at the window.
    const { ANTHROPIC_API_KEY: key = '', ...others } = user.env;
    const signedIn = { ...user, env: { ...others, CLAUDE_CODE_OAUTH_TOKEN: key } };
    await addTasks(signedIn, [...byClaude(1), ...byCodex(1)]);
    sky.weather = 'used-up';
    const run = realCli(signedIn.path, signedIn.env, ['run', '--jobs', '2']);
    await run.printed((text) => (text.match(/waiting +usage limit/g) ?? []).length >= 2);
    run.child.kill('SIGINT');
    await run.ended;
    for (const loop of await loopsOf(signedIn)) {
      const hours = ((loop.wait?.until ?? 0) - Date.now()) / 3_600_000;
      expect(hours).toBeGreaterThan(0.9);
      expect(hours).toBeLessThan(1.1);
      expect(loop).toMatchObject({ consecutiveFailures: 0, errorStreak: 0 });
      const iterations = loop.iterations.map(({ counted, tries }) => ({ counted, tries }));
      expect(iterations).toEqual([{ counted: false, tries: 1 }]);
    }
  });

  it.runIf(isFull)(
    'a model that the API does not know is an error of the loop',
    patience,
    async () => {
      const sky = new Sky();
      await using server = await sky.serve();
      await using repo = await gitRepo();
      const limits = 'error-backoff: 100ms, max-error-backoff: 100ms';
      const user = await userOf(repo, server.base('sky', 'unknown'), { limits });
      await addTasks(user, byCodex(2));
      sky.weather = 'unknown-model';
      sky.isOver = ({ messages }) => messages.some((text) => text.includes('task 0 of codex'));
      const { exitCode, out, err } = await realCli(user.path, user.env, ['run', '--jobs', '2'])
        .ended;
      expect(exitCode).toBe(1);
      expect(out + err).not.toMatch(downLine);
      const states = (await loopsOf(user)).map(({ status, reason }) => `${status} ${reason}`);
      expect(states.toSorted()).toEqual(['complete unproven', 'failed errors']);
    },
  );

  it("the model of the user's own settings is asked", patience, async () => {
    const sky = new Sky();
    await using server = await sky.serve();
    await using repo = await gitRepo();
    const base = server.base('sky', 'model');
    const user = await userOf(repo, base, { isBareCodex: true });
    const home = user.env['HOME'] ?? '';
    await writeFileIn(home, '.claude/settings.json', '{"model":"haiku"}');
    await writeFileIn(home, '.codex/config.toml', ownCodex(base));
    await addTasks(user, [...byClaude(1), ...byCodex(1)]);
    const { exitCode, out, err } = await realCli(user.path, user.env, ['run', '--jobs', '2']).ended;
    expect(exitCode, out + err).toBe(0);
    const models = sky.calls.map(({ ask }) => `${ask.dialect} ${ask.model}`);
    expect([...new Set(models)].toSorted()).toEqual([
      expect.stringMatching(/^anthropic claude-haiku/),
      'responses gpt-5.4',
    ]);
    expect(err).toMatch(/agent +claude, its own model \(no other is configured\)/);
    expect(err).toMatch(/agent +ended in .* · model claude-haiku/);
  });

  it('three loops of Claude Code keep the budget of a run', patience, async ({ annotate }) => {
    // The first task tells what such tasks cost; the others would never end.
    let known: string | undefined;
    const sky = new Sky((ask) => {
      const [prompt] = ask.messages;
      known ??= prompt;
      return findScenario(prompt === known ? 'ok' : 'loop')?.(ask) ?? { kind: 'reset' };
    });
    await using server = await sky.serve();
    await using repo = await gitRepo();
    const user = await userOf(repo, server.base('sky', 'budget'));
    await addTasks(user, byClaude(4));
    const args = ['run', '--jobs', '3', '--max-run-cost-usd', String(runBudget)];
    const { exitCode, out, err } = await realCli(user.path, user.env, args).ended;
    expect(exitCode, out + err).toBe(5);
    const loops = await loopsOf(user);
    const spent = loops.reduce((sum, loop) => sum + costOf(loop), 0);
    const turn = costOf(loops.find(({ status }) => status === 'complete')) / 2;
    const paid = sky.calls.length * turn;
    await annotate(
      `budget: $${spent.toFixed(4)} reported, $${paid.toFixed(4)} paid, of $${runBudget}; $${turn.toFixed(4)} a turn`,
    );
    // The turn that reaches it, and those that the two others had under way.
    expect(spent).toBeGreaterThanOrEqual(runBudget);
    expect(paid).toBeLessThan(runBudget + 3 * turn);
    expect(paid - spent).toBeLessThan(2.5 * turn);
  });
});
