import { afterEach, describe, expect, it, vi } from 'vitest';
import { hasLivingOwner, leaseOf, startSession } from '../../src/engine/session.ts';
import { takeLoop } from '../../src/engine/take-loop.ts';
import type { QueueEntry } from '../../src/ports/queue.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const hour = 60 * 60 * 1000;

afterEach(() => {
  vi.restoreAllMocks();
});

/** As after `date --set`, and back when it is called with 0. */
function setClock(byMs: number): void {
  vi.restoreAllMocks();
  const real = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => real() + byMs);
}

describe('an owner that lives', () => {
  it.each([2, -5, 24])('keeps its loop when the clock is set by %s hours', async (hours) => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { agent: 'command:true', validate: 'false' });
    const { id: loopId } = await project.runText('do it', { keepGoing: false });
    const { engine } = project;
    const owner = await startSession(engine, 'run');
    const other = await startSession(engine, 'run');
    await using taken = await takeLoop(engine, owner, loopId, { why: 'resumed' });
    setClock(hours * hour);
    expect(await hasLivingOwner(engine, await entryOf(loopId))).toBe(true);
    await expect(takeLoop(engine, other, loopId, { why: 'mine' })).rejects.toMatchObject({
      code: 'loop.owned',
    });
    const expired = await engine.store.write(async (tx) =>
      tx.tasks.expireLeases(await tx.leaseTime(), engine.clock.now()),
    );
    expect(expired).toEqual([]);
    await taken.before('commit');

    async function entryOf(id: string): Promise<QueueEntry> {
      const entries = await engine.store.read((tx) => tx.queue.entries());
      return entries.find((entry) => entry.loopId === id)!;
    }
  });

  it('is as good as gone when it has not renewed its lease for as long as it lasts', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { agent: 'command:true', validate: 'false' });
    const { engine } = project;
    const { id: owner } = await startSession(engine, 'run');
    const { now } = await engine.store.read((tx) => leaseOf(tx, 1000));
    const entry = { loopId: 'loop-1', dueAt: 0, owner };
    expect(await hasLivingOwner(engine, { ...entry, leaseUntil: now + 60_000 })).toBe(true);
    expect(await hasLivingOwner(engine, { ...entry, leaseUntil: now })).toBe(false);
  });
});
