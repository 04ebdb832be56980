import { expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { realDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { addTasks, expectUntouched, figures, loopsOf, Sky, sleep, until } from '../support/sky.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
/** With the usual pace three minutes, as a night would see it; else the same in short. */
const downMs = isFull ? 180_000 : 6000;
const pace = isFull ? '' : 'limits: { probe-delay: 1s, max-probe-delay: 2s, api-retries: 1 }\n';
const patience = { timeout: isFull ? 900_000 : 240_000 };

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
  await addTasks(
    user,
    Array.from({ length: tasks }, (_, n) => ({ title: `task ${n}` })),
  );
  return user;
}

it(
  'three loops at a time live through an outage, a kill -9 in it, and a flap',
  patience,
  async ({ annotate }) => {
    const sky = new Sky();
    await using server = await sky.serve();
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
  await using server = await sky.serve();
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
  const { out } = await daemon.ended;
  expect(out).toMatch(/is down since [\d:]+(?: UTC)?, next try [\d:]+ UTC, \d loops? waits?/);
  expect(out).toMatch(/answers again after/);
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
    await using server = await sky.serve();
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
