import { expect, it } from 'vitest';
import { startModelServer } from '../../src/adapters/model-server/model-server.ts';
import { findScenario, type Ask, type Reply } from '../../src/adapters/model-server/scenario.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { realCli } from '../cli/real-cli.ts';
import { realDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
/** With the usual pace three minutes, as a night would see it; else the same in short. */
const downMs = isFull ? 180_000 : 6000;
const pace = isFull ? '' : 'limits: { probe-delay: 1s, max-probe-delay: 2s, api-retries: 1 }\n';
const patience = { timeout: isFull ? 900_000 : 240_000 };

type Weather = 'up' | 'overloaded' | 'cut' | 'unsigned';

/** A model that is there or not, and everything it was asked. */
class Sky {
  weather: Weather = 'up';
  readonly calls: { readonly at: number; readonly isAnswered: boolean }[] = [];

  readonly scenario = (ask: Ask): Reply => {
    this.calls.push({ at: Date.now(), isAnswered: this.weather === 'up' });
    if (this.weather === 'overloaded') return { kind: 'status', status: 529 };
    if (this.weather === 'unsigned') return { kind: 'status', status: 401 };
    if (this.weather === 'cut') return { kind: 'cut', text: 'This stream breaks.' };
    return findScenario('ok')?.(ask) ?? { kind: 'reset' };
  };

  get lost(): number {
    return this.calls.filter(({ isAnswered }) => !isAnswered).length;
  }
}

async function project(repo: GitRepo, base: string, tasks: number, more = '') {
  await repo.write(
    'loopwright.yml',
    `agent: native\nmodel-strategy: { name: fixed, model: m }\nvalidation: { command: test -f hello.txt }\nverify: { confirm: off }\n${pace}${more}`,
  );
  await repo.commitAll('config');
  const user = {
    ...repo,
    env: { ...repo.env, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: base },
  };
  await using opened = await openedProject(user, {});
  const { store, ids, clock } = opened.engine;
  for (let n = 0; n < tasks; n++) {
    const task = { title: `task ${n}`, description: '' };
    await store.write((tx) => tx.tasks.add(ids.task(), task, clock.now()));
  }
  return user;
}

async function loopsOf(user: Pick<GitRepo, 'path' | 'env'>): Promise<readonly Loop[]> {
  await using opened = await openedProject(user, {});
  return opened.engine.store.read(async (tx) => {
    const rows = await tx.loops.list({});
    const loops = await Promise.all(rows.map(({ id }) => tx.loops.get(id)));
    return loops.filter((loop) => loop !== null);
  });
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What an outage may never leave behind. */
function expectUntouched(loops: readonly Loop[], count: number): void {
  expect(loops).toHaveLength(count);
  for (const loop of loops) {
    expect(loop).toMatchObject({ status: 'complete', consecutiveFailures: 0, errorStreak: 0 });
    const counted = loop.iterations.filter((each) => each.counted);
    expect(counted.map(({ outcome }) => outcome)).toEqual(['done']);
  }
}

function figures(sky: Sky, loops: readonly Loop[], backAt: number): string {
  const first = sky.calls.find(({ at, isAnswered }) => isAnswered && at >= backAt);
  const runs = loops.flatMap(({ iterations }) => iterations.map(({ tries }) => tries));
  const started = runs.reduce((sum, tries) => sum + tries, 0);
  return [
    `${sky.calls.length} calls`,
    `${sky.lost} lost`,
    `${started} agents for ${loops.length} loops`,
    `first agent ${((first?.at ?? Number.NaN) - backAt) / 1000} s after the provider was back`,
  ].join(', ');
}

it(
  'three loops at a time live through an outage, a kill -9 in it, and a flap',
  patience,
  async ({ annotate }) => {
    const sky = new Sky();
    await using server = await startModelServer({ scenarios: { sky: sky.scenario } });
    await using repo = await gitRepo();
    const user = await project(repo, server.base('sky', 'night'), 6);
    const args = ['run', '--jobs', '3'];
    const first = realCli(user.path, user.env, args);
    await until(() => sky.calls.length >= 3);
    sky.weather = 'overloaded';
    const downAt = Date.now();
    await first.printed((text) => /is down since [\d:]+ UTC, next try/.test(text));
    await until(() => sky.lost >= 3);
    first.child.kill('SIGKILL');
    const second = realCli(user.path, user.env, args);
    await second.printed((text) => /is down since/.test(text));
    await sleep(Math.max(0, downAt + downMs - Date.now()));
    sky.weather = 'up';
    const backAt = Date.now();
    await second.printed((text) => /answers again after/.test(text));
    sky.weather = 'cut';
    await sleep(downMs / 6);
    sky.weather = 'up';
    expect((await second.ended).exitCode).toBe(0);
    const loops = await loopsOf(user);
    expectUntouched(loops, 6);
    await annotate(`run: ${figures(sky, loops, backAt)}`);
  },
);

it('a daemon lives through the same', patience, async ({ annotate }) => {
  const sky = new Sky();
  sky.weather = 'overloaded';
  await using server = await startModelServer({ scenarios: { sky: sky.scenario } });
  await using repo = await gitRepo();
  const user = await project(repo, server.base('sky', 'daemon'), 4);
  const daemon = await realDaemon(user);
  const status = async () =>
    JSON.parse((await realCli(user.path, user.env, ['status', '--json']).ended).out);
  await until(async () => ((await status()).outages[0]?.waiting ?? 0) > 0);
  await sleep(downMs / 3);
  sky.weather = 'up';
  const backAt = Date.now();
  await until(async () => (await status()).tasks.done === 4);
  expect((await status()).outages).toEqual([]);
  daemon.child.kill('SIGTERM');
  await daemon.ended;
  const loops = await loopsOf(user);
  expectUntouched(loops, 4);
  await annotate(`daemon: ${figures(sky, loops, backAt)}`);
});

it(
  'a daemon stops a provider that wants a sign-in, and `resume --all` goes on',
  patience,
  async () => {
    const sky = new Sky();
    sky.weather = 'unsigned';
    await using server = await startModelServer({ scenarios: { sky: sky.scenario } });
    await using repo = await gitRepo();
    const few = '\nscheduler: { max-loops: 4 }\n';
    const user = await project(repo, server.base('sky', 'signin'), 8, few);
    const daemon = await realDaemon(user);
    const run = (...argv: readonly string[]) => realCli(user.path, user.env, argv).ended;
    const status = async () => JSON.parse((await run('status', '--json')).out);
    await until(async () => {
      const { active, needsYou } = await status();
      return needsYou.loops.length > 0 && active.length === 0;
    });
    // As many as were under way together, and no further one.
    expect(sky.calls.length).toBeLessThanOrEqual(4);
    expect((await status()).tasks.pending).toBeGreaterThan(0);
    sky.weather = 'up';
    expect((await run('resume', '--all')).out).toContain('the daemon goes on with');
    await until(async () => (await status()).tasks.done === 8);
    daemon.child.kill('SIGTERM');
    await daemon.ended;
    expectUntouched(await loopsOf(user), 8);
  },
);
