import { writeFile } from 'node:fs/promises';
import { expect, it, onTestFailed } from 'vitest';
import { eventually, processesWith, storedLoops } from '../support/invariants.ts';
import { whyNoPrivateDisk } from '../support/private-disk.ts';
import { claim, shell, writeWork, type Call } from './night/models.ts';
import { Night } from './night/night.ts';
import { runBudgetUsd, taskNames, turnUsd, type TaskName } from './night/plan.ts';
import {
  baseViolations,
  callFigures,
  countViolations,
  memoryViolations,
  moneyOf,
  promptViolations,
  sumOf,
  titleOf,
} from './night/verdict.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
/** With the usual pace ten minutes, as a night would see it; else the same in short. */
const downMs = isFull ? 600_000 : 4000;
const windowMs = isFull ? 180_000 : 8000;
const pace = isFull ? '' : 'probe-delay: 1s, max-probe-delay: 1s, api-retries: 1, ';
const limits = `{ ${pace}idle-timeout: 4s }`;
/** A turn of the expensive task. */
const dearUsd = 0.04;
/** Agents that were cut in the middle of a turn: one by the first kill, two by the second, one by the full disk. */
const lostTurns = 4;

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const command = ['run', '--jobs', '3'] as const;

it(
  'twelve tasks, two providers, one night: everything goes wrong, and one command goes on',
  { timeout: isFull ? 1_800_000 : 300_000 },
  async ({ annotate }) => {
    await using night = await Night.begin(limits);
    const { models } = night;
    onTestFailed(() => void process.stderr.write(night.story));

    // 1. Two loops write the same file; one agent hangs; then anthropic goes down, and the engine is killed.
    models.next('errors', 0, () =>
      shell(`${night.gate('errors')}; echo errors > shared.txt; ${writeWork('errors')}`),
    );
    models.next('lexer', 0, () =>
      shell(`${night.gate('lexer')}; echo lexer > shared.txt; ${writeWork('lexer')}`),
    );
    models.next('lexer', 1, (ask) => {
      models.weather.anthropic = 'overloaded';
      return claim(ask);
    });
    models.next('numbers', 0, () => ({ kind: 'hang' }));
    models.next('numbers', 0, () => shell(`${night.gate('numbers')}; ${writeWork('numbers')}`));
    const first = night.start(...command);
    await models.asked(({ task }) => task === 'lexer');
    await night.open('errors');
    await first.printed((text) => isMerged(text, 'errors'));
    await night.open('lexer');
    await first.printed((text) => text.includes('conflicts with main in shared.txt'));
    await first.printed((text) => /anthropic is down since [\d:]+ UTC, next try/.test(text));
    const downAt = Date.now();
    await models.asked(({ task, end }) => task === 'numbers' && end === 'answered');
    first.child.kill('SIGKILL');
    await first.ended;

    // 2. Still down: openai's task goes on. It is back; then openai's window is used up, and the engine is killed again.
    models.next('columns', 0, () => shell(`${night.gate('columns')}; ${writeWork('columns')}`));
    models.next('columns', 1, () => models.closeWindow('openai', windowMs));
    for (const task of ['bench', 'commas'] as const)
      models.next(task, 0, () => shell(`${night.gate('work')}; ${writeWork(task)}`));
    await night.open('numbers');
    const second = night.start(...command);
    await second.printed((text) => /anthropic is down since/.test(text));
    await second.printed((text) => isMerged(text, 'numbers'));
    await sleep(Math.max(0, downAt + downMs - Date.now()));
    models.weather.anthropic = 'up';
    const backAt = Date.now();
    await second.printed((text) => /anthropic answers again after/.test(text));
    const isBack = ({ provider, end, at }: Call) =>
      provider === 'anthropic' && end === 'answered' && at >= backAt;
    await models.asked(isBack);
    const firstAgentMs = (models.calls.find(isBack)?.at ?? Number.NaN) - backAt;
    for (const task of ['columns', 'bench', 'commas'] as const)
      await models.asked((call) => call.task === task && call.end === 'answered');
    await night.open('columns');
    await second.printed((text) => /waiting +usage/.test(text));
    second.child.kill('SIGKILL');
    await second.ended;
    const closedCalls = models.calls.length;

    // 3. The window is still closed; anthropic's tasks go on until its sign-in has expired.
    models.next('commas', 1, (ask) => {
      models.weather.anthropic = 'unsigned';
      return claim(ask);
    });
    await night.open('work');
    const third = await night.run(...command);
    expect(third.exitCode, third.err).toBe(2);
    expect(third.err.match(/anthropic wants a sign-in \(/g)).toHaveLength(1);
    const early = models.calls
      .slice(closedCalls)
      .filter(({ provider, at }) => provider === 'openai' && at < models.resetAt);
    expect(early).toEqual([]);
    const unsigned = await restsOf(night);
    expect(unsigned).toMatchObject({ lexer: 'blocked conflict' });
    // The second of two may not have been begun.
    const { lexer: _, ...others } = unsigned;
    expect(new Set(Object.values(others))).toEqual(new Set(['blocked auth']));

    // 4. Signed in again; the second of two agents fills the disk.
    models.weather.anthropic = 'up';
    const why = whyNoPrivateDisk();
    let works = 0;
    for (const task of ['fuzz', 'dates'] as const) {
      if (why !== null) break;
      models.next(task, 0, () => {
        if (works++ === 0) return shell(writeWork(task));
        // It must not come to an end of its own: an end that can be stored is an iteration like any other.
        models.next(task, 1, () => ({ kind: 'hang' }));
        return shell(`${night.gate('disk')}; ${night.fill()}`);
      });
    }
    for (let turn = 0; turn < 20; turn++)
      models.next('docs', turn, () => shell('echo more >> notes.txt', 4750));
    if (why === null) {
      const fourth = night.start(...command);
      await fourth.printed((text) => isMerged(text, 'fuzz') || isMerged(text, 'dates'));
      await night.open('disk');
      const full = await fourth.ended;
      expect(full.exitCode, full.out + full.err).toBe(4);
      expect(Object.values(await restsOf(night)).toSorted()).toEqual([
        'blocked conflict',
        'paused disk',
      ]);
      const refused = await night.run(...command);
      expect(refused.exitCode, refused.out + refused.err).toBe(3);
      await night.makeRoom();
      models.forget('fuzz', 'dates');
    } else await annotate(`no full disk in this night: ${why}`);

    // 5. There is space again, and the budget of the run is reached.
    const paidCalls = models.calls.length;
    const evening = await night.run(...command);
    expect(evening.exitCode, evening.out + evening.err).toBe(5);
    expect(evening.err).toContain('`loopwright run` continues');
    const spent = sumOf(models.calls.slice(paidCalls));
    expect(spent).toBeGreaterThanOrEqual(runBudgetUsd - dearUsd);
    expect(spent).toBeLessThanOrEqual(runBudgetUsd + dearUsd);
    expect(await restsOf(night)).toEqual({ lexer: 'blocked conflict', docs: 'stopped budget' });

    // 6. The morning: one command goes on with everything that needs no person.
    await night.run('status');
    const last = await night.run(...command);
    expect(last.exitCode, last.out + last.err).toBe(0);
    expect(await restsOf(night)).toEqual({ lexer: 'blocked conflict' });

    // 7. A person resolves the conflict.
    const [conflict] = (await storedLoops(night.view))
      .map(({ loop }) => loop)
      .filter(({ reason }) => reason === 'conflict');
    await night.shell(
      `cd '${conflict?.workspace.path}'; git rebase -q main || true; cat shared.txt; ` +
        'printf "errors\\nlexer\\n" > shared.txt; git add shared.txt; GIT_EDITOR=true git rebase --continue',
    );
    const merged = await night.run('merge', conflict?.id ?? '');
    expect(merged.exitCode, merged.out + merged.err).toBe(0);

    expect(await restsOf(night)).toEqual({});
    expect(await baseViolations(night, taskNames)).toEqual([]);
    // What the budget has cut is an iteration like any other.
    expect(await countViolations(night, { docs: 2 })).toEqual([]);
    expect(await memoryViolations(night, ['docs'])).toEqual([]);
    expect(promptViolations(models.calls)).toEqual([]);
    await eventually(() => processesWith(night.token).length === 0, 'all processes end');
    const { charged, recorded } = await moneyOf(night);
    // Each of two kills, and the full disk, may lose what was not told yet: a turn of each agent at work.
    expect(recorded).toBeLessThanOrEqual(charged + 1e-9);
    expect(charged - recorded).toBeLessThanOrEqual(lostTurns * turnUsd + 1e-9);
    const figures = callFigures(models.calls);
    await annotate(
      `${figures.made} calls, ${figures.lost} lost, ${figures.repeated} repeated; ` +
        `$${charged.toFixed(2)} charged, $${recorded.toFixed(2)} recorded; ` +
        `the run that reached its budget of $${runBudgetUsd.toFixed(2)} spent $${spent.toFixed(2)}; ` +
        `first agent ${(firstAgentMs / 1000).toFixed(1)} s after the provider was back`,
    );
    // For whoever writes the page about it.
    const file = process.env['NIGHT_STORY'];
    if (file !== undefined) await writeFile(file, night.story);
  },
);

/** The loop of a task, as the plain lines of a run name it, is merged. */
function isMerged(text: string, task: TaskName): boolean {
  const [, id] = new RegExp(`(loop-[0-9a-f]{8}) · ${task}$`, 'm').exec(text) ?? [];
  return id !== undefined && new RegExp(`^${id} +merged +into main`, 'm').test(text);
}

/** Why each task rests that has a loop and is not in the base. */
async function restsOf(night: Night): Promise<Partial<Record<TaskName, string>>> {
  const loops = (await storedLoops(night.view)).map(({ loop }) => loop);
  const open = loops.filter(({ mergedInto }) => mergedInto === null);
  return Object.fromEntries(open.map((loop) => [titleOf(loop), `${loop.status} ${loop.reason}`]));
}
