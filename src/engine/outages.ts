import { providerOf } from '../core/agent/provider.ts';
import type { Loop } from '../core/loop/loop.ts';
import { isResting } from '../core/loop/status.ts';
import {
  isGivenUp,
  lookAtOutage,
  probedLookMs,
  withProber,
  type Outage,
  type OutageLook,
  type OutageView,
} from '../core/outage/outage.ts';
import { viewOutage, type OutageState } from '../core/outage/outage-view.ts';
import type { StoreTx } from '../ports/store.ts';
import type { Engine } from './engine.ts';

/** What a loop that waits for its provider, or is about to use it, has to do. */
export async function lookForLoop(engine: Engine, loop: Loop): Promise<OutageLook> {
  const provider = providerOf(loop.settings);
  const { outage, view } = await engine.store.read((tx) => viewFor(tx, loop, provider));
  const look = lookAtOutage(outage, view);
  tellSlots(engine, outage, view, provider);
  return look;
}

/**
 * Before an agent starts: whether its provider is there, as far as is known. A loop that is to probe becomes the one that does, in
 * the same transaction in which that is decided.
 */
export async function passOutage(engine: Engine, loop: Loop): Promise<OutageLook> {
  const provider = providerOf(loop.settings);
  const known = await engine.store.read((tx) => tx.outages.get(provider));
  if (known === null) {
    engine.slots.tell({ type: 'up', provider });
    return { kind: 'over' };
  }
  const look = await engine.store.write(async (tx) => {
    const { outage, view } = await viewFor(tx, loop, provider);
    const found = lookAtOutage(outage, view);
    tellSlots(engine, found.kind === 'give-up' && !view.hasOthers ? null : outage, view, provider);
    if (outage !== null && found.kind === 'probe')
      await tx.outages.put(withProber(outage, loop.id));
    if (found.kind !== 'give-up' || view.hasOthers) return found;
    // Those that waited have given up. Whoever comes now starts anew.
    await tx.outages.end(provider);
    return { kind: 'over' } as const;
  });
  return look;
}

/**
 * An agent shows that its provider answers: an outage is over, and all who wait for it are woken, in whatever process. `isTold`: not
 * when the answer is that nobody is signed in, which is told instead.
 */
export async function endOutage(engine: Engine, provider: string, isTold = true): Promise<void> {
  const { store, slots, wakeups } = engine;
  if ((await store.read((tx) => tx.outages.get(provider))) === null) return;
  const ended = await store.write(async (tx) => {
    const outage = await tx.outages.get(provider);
    await tx.outages.end(provider);
    return { outage, loops: await loopsWaitingFor(tx, provider) };
  });
  slots.tell({ type: 'up', provider });
  if (ended.outage === null) return;
  const { since, why } = ended.outage;
  const outage = { provider, since, why, nextTry: null, waiting: ended.loops.length };
  if (isTold) engine.publish({ kind: 'outage', outage, isOver: true });
  for (const { id } of ended.loops) await wakeups.wake(id);
}

/** What earlier sessions and other engines know holds here too. What nobody waits for any longer is forgotten. */
export async function recallOutages(engine: Engine): Promise<void> {
  const { store, slots } = engine;
  if ((await store.read((tx) => tx.outages.list())).length === 0) return;
  const { now, known } = await store.write(async (tx) => {
    const time = await tx.leaseTime();
    for (const outage of await tx.outages.list()) {
      if (isGivenUp(outage, time)) await tx.outages.end(outage.provider);
    }
    return { now: time, known: await tx.outages.list() };
  });
  for (const { provider, nextAt } of known) {
    slots.tell({ type: 'down', provider, inMs: nextAt - now });
    await publishOutage(engine, provider);
  }
}

/** A usage window that was used up before a restart is still: loops and tasks of its provider wait for its reset. */
export async function recallWindows({ store, slots, clock }: Engine): Promise<void> {
  const loops = await store.read(async (tx) => {
    const rows = await tx.loops.list({ statuses: ['waiting'] });
    const ids = rows.filter(({ reason }) => reason === 'usage_limit').map(({ id }) => id);
    return Promise.all(ids.map((id) => tx.loops.get(id)));
  });
  for (const loop of loops) {
    const { until, isReset } = loop?.wait ?? {};
    if (loop === null || until === undefined || isReset !== true || until <= clock.now()) continue;
    slots.tell({ type: 'usage-limited', provider: providerOf(loop.settings), until });
  }
}

/** All providers that are down, as people see it. */
export async function readOutages(
  { store, clock }: Pick<Engine, 'store' | 'clock'>,
  provider: string | null = null,
): Promise<readonly OutageState[]> {
  const wallNow = clock.now();
  return store.read(async (tx) => {
    const now = await tx.leaseTime();
    const states: OutageState[] = [];
    for (const outage of await tx.outages.list()) {
      if (provider !== null && outage.provider !== provider) continue;
      const waiting = (await loopsWaitingFor(tx, outage.provider)).length;
      states.push(viewOutage(outage, { now, wallNow, waiting }));
    }
    return states;
  });
}

export async function publishOutage(engine: Engine, provider: string): Promise<void> {
  for (const outage of await readOutages(engine, provider)) {
    engine.publish({ kind: 'outage', outage, isOver: false });
  }
}

async function viewFor(
  tx: StoreTx,
  loop: Loop,
  provider: string,
): Promise<{ readonly outage: Outage | null; readonly view: OutageView }> {
  const now = await tx.leaseTime();
  const outage = await tx.outages.get(provider);
  const others = outage === null ? [] : await loopsWaitingFor(tx, provider);
  const view = {
    loopId: loop.id,
    now,
    isProberAtWork: outage !== null && (await isAtWork(tx, outage, now)),
    hasOthers: others.some(({ id }) => id !== loop.id),
  };
  return { outage, view };
}

async function loopsWaitingFor(tx: StoreTx, provider: string): Promise<readonly Loop[]> {
  const rows = await tx.loops.list({ statuses: ['waiting'] });
  const ids = rows.filter(({ reason }) => reason === 'outage').map(({ id }) => id);
  const loops = await Promise.all(ids.map((id) => tx.loops.get(id)));
  return loops.filter((loop) => loop !== null).filter(isOf(provider));
}

function isOf(provider: string): (loop: Loop) => boolean {
  return ({ settings }) => providerOf(settings) === provider;
}

/** Whether the loop that probes is driven by somebody, and neither rests nor waits. */
async function isAtWork(tx: StoreTx, { prober }: Outage, now: number): Promise<boolean> {
  if (prober === null) return false;
  const loop = await tx.loops.get(prober);
  if (loop === null || isResting(loop.status) || loop.wait !== null) return false;
  const entry = (await tx.queue.entries()).find(({ loopId }) => loopId === prober);
  return (entry?.leaseUntil ?? 0) > now;
}

/** The schedule knows the outage itself: that one loop lets others go first is that loop's own business. */
function tellSlots(
  { slots }: Engine,
  outage: Outage | null,
  view: OutageView,
  provider: string,
): void {
  if (outage === null) {
    slots.tell({ type: 'up', provider });
    return;
  }
  const isProbed = outage.isProbing && view.isProberAtWork && outage.prober !== view.loopId;
  const inMs = isProbed ? probedLookMs : outage.nextAt - view.now;
  slots.tell({ type: 'down', provider, inMs });
}
