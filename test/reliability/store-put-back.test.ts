import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { agentStarts } from '../support/invariants.ts';
import { scenario, type Scenario } from './scenario.ts';

const text = 'count to three';

describe('a store that is put back from a copy', () => {
  it('is refused once, with what it lacks; then the loop goes on with all work in commits', async () => {
    await using project = await scenario();
    await copyAt(project, 'after:iteration.ended:1');
    // The agent of the second iteration has worked; no commit has that yet.
    await project.run(['run'], killAt('after:agent.ended:1'));
    await putBack(project);
    const before = await agentStarts(project.agentLog);
    const refused = await project.run(['run']);
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toMatch(/older than the work.* Of loop-\w+ it lacks iteration 2\./);
    expect(await agentStarts(project.agentLog)).toEqual(before);
    const again = await project.run(['run']);
    expect(again.exitCode, again.out + again.err).toBe(0);
    expect(again.err).toContain('committed what iteration 2 had left');
    await expectSound(project, ['complete']);
    const numbers = (await project.loops())[0]?.loop.iterations.map(({ number }) => number);
    expect(numbers).toEqual([1, 2, 3]);
  }, 120_000);

  it.each(['after:iteration.started:2', 'after:snapshot.taken:3'])(
    'repeats no agent for work that was merged since: copied %s',
    async (point) => {
      await using project = await scenario();
      await copyAt(project, point);
      const merged = await project.run(['run']);
      expect(merged.exitCode, merged.out + merged.err).toBe(0);
      await putBack(project);
      const before = await agentStarts(project.agentLog);
      expect((await project.run(['run'])).exitCode).toBe(3);
      const again = await project.run(['run']);
      expect(again.exitCode, again.out + again.err).toBe(2);
      expect(again.out).toMatch(/is blocked .*may have been merged/);
      expect(await agentStarts(project.agentLog)).toEqual(before);
      const [stored] = await project.loops();
      const done = await project.run(['task', 'done', stored?.loop.taskId ?? '']);
      expect(done.exitCode, done.err).toBe(0);
    },
    120_000,
  );

  it('names loops it does not know at all', async () => {
    await using project = await scenario();
    expect((await project.run(['task', 'add', 'something else'])).exitCode).toBe(0);
    await copyStore(project);
    await project.run(['run', text], killAt('after:iteration.ended:1'));
    await putBack(project);
    // The branch of a loop that the store has lost is not called an orphan.
    const told = await project.run(['doctor']);
    expect(told.out).toContain('that had been stored are not in the store');
    expect(told.out).not.toContain('branch -D');
    const refused = await project.run(['run', text]);
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toMatch(/loop-\w+ is not in it at all/);
    const doctor = await project.run(['doctor']);
    expect(doctor.out).not.toContain('that had been stored are not in the store');
  }, 120_000);
});

describe('a log of the store that is deleted', () => {
  it('between two runs: is seen before anything is spent', async () => {
    await using project = await scenario();
    await project.run(['run', text], killAt('after:iteration.ended:2'));
    const file = path.join(project.repo.path, '.loopwright/state.db');
    await rm(`${file}-wal`);
    const before = await agentStarts(project.agentLog);
    const doctor = await project.run(['doctor']);
    expect(doctor.exitCode).toBe(1);
    expect(doctor.out).toContain('that had been stored are not');
    const refused = await project.run(['run', text]);
    expect(refused.exitCode, refused.err).toBe(3);
    expect(refused.err).toContain('is older than the work');
    expect(await agentStarts(project.agentLog)).toEqual(before);
  }, 120_000);

  it.each(['-wal', '-shm'])(
    'during a run: the agent is ended, nothing stored is lost, and the next run goes on: %s',
    async (end) => {
      await using project = await scenario();
      const file = path.join(project.repo.path, '.loopwright/state.db');
      const agent = path.join(project.repo.outside, 'agent.sh');
      const flag = path.join(project.repo.outside, 'broken');
      const script = await readFile(agent, 'utf8');
      const once = `if [ "$LOOPWRIGHT_ITERATION" = 2 ] && [ ! -e '${flag}' ]; then : > '${flag}'; rm '${file}${end}'; fi`;
      await writeFile(agent, `${script}\n${once}\n`);
      const cut = await project.run(['run', text]);
      expect(cut.exitCode).toBe(3);
      expect(cut.err).toContain('was deleted or replaced while it was in use');
      expect(cut.err).toContain('Nothing is lost');
      const again = await project.run(['run']);
      expect(again.exitCode, again.out + again.err).toBe(0);
      expect(await project.violations()).toEqual([]);
    },
    120_000,
  );
});

function killAt(point: string): Readonly<Record<string, string>> {
  return { LOOPWRIGHT_FAIL_AT: `${point}:kill` };
}

/** A copy of the store as it is when the engine is killed at a point. */
async function copyAt(project: Scenario, point: string): Promise<void> {
  const { signal } = await project.run(['run', text], killAt(point));
  expect(signal).toBe('SIGKILL');
  await copyStore(project);
}

async function copyStore({ repo }: Scenario): Promise<void> {
  const copy = path.join(repo.outside, 'copy.db');
  await rm(copy, { force: true });
  using database = new DatabaseSync(path.join(repo.path, '.loopwright/state.db'));
  database.prepare('vacuum into ?').run(copy);
}

async function putBack({ repo }: Scenario): Promise<void> {
  const file = path.join(repo.path, '.loopwright/state.db');
  for (const end of ['', '-wal', '-shm']) await rm(`${file}${end}`, { force: true });
  await copyFile(path.join(repo.outside, 'copy.db'), file);
}

/** No number was used twice, and what every agent did is in the branch. */
async function expectSound(project: Scenario, statuses: readonly string[]): Promise<void> {
  const loops = await project.loops();
  expect(loops.map(({ loop }) => loop.status)).toEqual(statuses);
  const starts = await agentStarts(project.agentLog);
  expect(new Set(starts).size).toBe(starts.length);
  const files = await project.repo.git('ls-tree', '-r', '--name-only', 'trunk');
  for (const start of starts) expect(files).toContain(`note-${start.split(' ')[1] ?? '?'}.txt`);
}
