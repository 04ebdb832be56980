import type { Engine } from './engine.ts';

const graceMs = 2000;

/**
 * Ends what engines that are gone have left running: agents, checks, setup commands and hooks alike, by the mark of their engine. It
 * matters only where containment is weak and the watchdog was killed together with its engine.
 */
export async function endLeftPrograms(engine: Engine): Promise<void> {
  const { store, supervisor, clock, publish } = engine;
  const open = await store.read((tx) => tx.sessions.open());
  const self = await supervisor.self();
  for (const { id, process } of open) {
    // Of another machine or boot, or where start times are unknown: nothing can be said of its processes.
    const isHere = process.host === self.host && process.bootId === self.bootId;
    if (!isHere || process.startTime === null || (await supervisor.isAlive(process))) continue;
    if (await supervisor.endLeftover(process, graceMs)) {
      const text = 'ended programs that an engine which is gone had left running';
      publish({ kind: 'notice', text });
    }
    await store.write((tx) => tx.sessions.end(id, clock.now()));
  }
}
