import { expect, it } from 'vitest';
import { hasLivingOwner, startSession } from '../../src/engine/session.ts';
import { takeLoop } from '../../src/engine/take-loop.ts';
import type { Session } from '../../src/ports/store.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const twoHours = 2 * 60 * 60 * 1000;

it.skipIf(process.platform !== 'linux')(
  'an owner that lives keeps its loop when the clock is set two hours ahead',
  async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { agent: 'command:true', validate: 'false' });
    const loop = await project.runText('do it', { keepGoing: false });
    const { engine } = project;
    const self = await engine.supervisor.self();
    const began = (await engine.supervisor.startedAt(self)) ?? 0;
    expect(Math.abs(began - (Date.now() - process.uptime() * 1000))).toBeLessThan(5000);

    // As if the engine that drives it had begun before the clock was set.
    const session: Session = {
      id: 's-before',
      kind: 'run',
      process: self,
      version: '0',
      startedAt: began - twoHours,
      endedAt: null,
    };
    const leaseUntil = Date.now() - twoHours + engine.leaseMs / 2;
    await engine.store.write(async (tx) => {
      await tx.sessions.start(session);
      await tx.queue.enqueue(loop.id, 0);
      const now = leaseUntil - engine.leaseMs;
      await tx.queue.claim({ owner: session.id, now, leaseUntil, loopId: loop.id });
    });
    const [entry] = await engine.store.read((tx) => tx.queue.entries());
    expect(entry).toMatchObject({ owner: 's-before', leaseUntil });
    expect(await hasLivingOwner(engine, entry!)).toBe(true);
    const other = await startSession(engine, 'run');
    await expect(takeLoop(engine, other, loop.id, { why: 'resumed' })).rejects.toMatchObject({
      code: 'loop.owned',
    });

    // One that has not renewed its lease for longer than it lasts is stalled, whatever the clock says.
    const stale = { ...entry!, leaseUntil: leaseUntil - engine.leaseMs };
    expect(await hasLivingOwner(engine, stale)).toBe(false);
  },
);
