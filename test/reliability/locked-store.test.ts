import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { agentStarts, eventually } from '../support/invariants.ts';
import { crew, type Crew } from './crew.ts';

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
/** The lock itself is what lasts; nothing is waited for by this. */
const lockedMs = isFull ? 20_000 : 8000;
const said = 'is locked by another program; waiting for it';

/** Holds the write lock as another program would: nobody else can write meanwhile. */
async function lock(project: Crew, begin: 'immediate' | 'exclusive' = 'immediate'): Promise<void> {
  using database = new DatabaseSync(project.storeFile, { timeout: 10_000 });
  database.exec(`begin ${begin}`);
  await sleep(lockedMs);
  database.exec('rollback');
}

const run = ['run', '--jobs', '3'];

describe('a store that is locked for 20 seconds costs nobody a loop', () => {
  it('at the start of a run', async () => {
    await using project = await crew({ tasks: 3, iterations: 2 });
    const locked = lock(project);
    const started = project.start(run);
    await locked;
    const { exitCode, out, err } = await started.ended;
    expect([exitCode, err], out).toEqual([0, expect.stringContaining(said)]);
    expect(err.split(said)).toHaveLength(2);
    expect(await project.violations()).toEqual([]);
  }, 180_000);

  it('while agents work', async () => {
    await using project = await crew({ tasks: 3, iterations: 2 });
    await project.closeGate();
    const started = project.start(run);
    await eventually(
      async () => (await agentStarts(project.agentLog)).length === 3,
      'three agents work',
      90_000,
    );
    const locked = lock(project, 'exclusive');
    await project.openGate();
    await locked;
    const { exitCode, out, err } = await started.ended;
    expect([exitCode, err], out).toEqual([0, expect.stringContaining(said)]);
    expect(await project.violations()).toEqual([]);
  }, 180_000);

  it('while loops are merged', async () => {
    await using project = await crew({ tasks: 3, iterations: 1 });
    const started = project.start(run);
    await eventually(() => project.facts('loop.rested') > 0, 'a loop is complete', 90_000);
    await lock(project);
    const { exitCode, out, err } = await started.ended;
    expect(exitCode, out + err).toBe(0);
    expect(await project.violations()).toEqual([]);
  }, 180_000);

  it('and a command waits for it and says so', async () => {
    await using project = await crew({ tasks: 1, iterations: 1 });
    const locked = lock(project);
    const added = project.start(['task', 'add', 'meanwhile']);
    const listed = await project.start(['task', 'list']).ended;
    expect(listed.out).toContain('task 1');
    await locked;
    const { exitCode, err } = await added.ended;
    expect([exitCode, err]).toEqual([0, expect.stringContaining(said)]);
  }, 120_000);
});
