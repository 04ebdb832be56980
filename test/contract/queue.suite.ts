import { describe, expect, test } from 'vitest';
import type { QueueClaim, QueueClaimInput } from '../../src/ports/queue.ts';
import type { Store } from '../../src/ports/store.ts';
import { addLoop, addQueued, append, startIteration, type StoreFactory } from './store-fixture.ts';

/** What every `Queue` promises, whatever keeps it. */
export function describeQueue(name: string, create: StoreFactory): void {
  describe(`${name}: entries`, () => entryRules(create));
  describe(`${name}: claims`, () => claimRules(create));
  describe(`${name}: a lost claim`, () => lostClaims(create));
}

function entryRules(create: StoreFactory): void {
  test('a loop is in the queue once; enqueueing again moves it and keeps its lease', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    await claim(store, { owner: 'a', now: 50 });
    await store.write((tx) => tx.queue.enqueue('loop-1', 70));
    expect(await entries(store)).toEqual([
      { loopId: 'loop-1', dueAt: 70, owner: 'a', leaseUntil: 150 },
    ]);
  });

  test('a loop that is not stored cannot be queued', async () => {
    await using fixture = await create();
    const queued = fixture.store.write((tx) => tx.queue.enqueue('loop-9', 1));
    await expect(queued).rejects.toMatchObject({ code: 'store.missing_reference' });
  });

  test('entries are listed longest due first', async () => {
    await using fixture = await create();
    await addQueued(fixture.store, 'loop-1', 30);
    await addQueued(fixture.store, 'loop-2', 10);
    await addQueued(fixture.store, 'loop-3', 20);
    const order = (await entries(fixture.store)).map(({ loopId }) => loopId);
    expect(order).toEqual(['loop-2', 'loop-3', 'loop-1']);
  });
}

function claimRules(create: StoreFactory): void {
  test('the loop longest due is taken first, and none before it is due', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 30);
    await addQueued(store, 'loop-2', 10);
    await addQueued(store, 'loop-3', 60);
    expect((await claim(store, { owner: 'a', now: 50 }))?.loopId).toBe('loop-2');
    expect((await claim(store, { owner: 'a', now: 50 }))?.loopId).toBe('loop-1');
    expect(await claim(store, { owner: 'a', now: 50 })).toBeNull();
    expect((await claim(store, { owner: 'a', now: 60 }))?.loopId).toBe('loop-3');
  });

  test('a loop asked for by name is taken even before it is due', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    await addQueued(store, 'loop-2', 1000);
    expect((await claim(store, { owner: 'a', now: 50, loopId: 'loop-2' }))?.loopId).toBe('loop-2');
    expect(await claim(store, { owner: 'a', now: 50, loopId: 'loop-9' })).toBeNull();
  });

  test('of many who ask at once, each loop goes to one', async () => {
    await using fixture = await create();
    const stores = [fixture.store, await fixture.open(), await fixture.open()];
    for (const number of [1, 2, 3, 4, 5]) await addQueued(fixture.store, `loop-${number}`, number);
    const asked = Array.from({ length: 12 }, (_, index) =>
      claim(stores[index % stores.length]!, { owner: `owner-${index}`, now: 50 }),
    );
    const claims = (await Promise.all(asked)).filter((result) => result !== null);
    const taken = claims.map(({ loopId }) => loopId).toSorted();
    expect(taken).toEqual(['loop-1', 'loop-2', 'loop-3', 'loop-4', 'loop-5']);
  });

  test('a live lease is passed over, by name too, and an ended one is not', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    await claim(store, { owner: 'a', now: 50 });
    expect(await claim(store, { owner: 'b', now: 149 })).toBeNull();
    expect(await claim(store, { owner: 'b', now: 149, loopId: 'loop-1' })).toBeNull();
    expect((await claim(store, { owner: 'b', now: 150 }))?.owner).toBe('b');
  });

  test('whoever asks for the next loop is not given its own again', async () => {
    await using fixture = await create();
    await addQueued(fixture.store, 'loop-1', 10);
    await claim(fixture.store, { owner: 'a', now: 50 });
    expect(await claim(fixture.store, { owner: 'a', now: 60 })).toBeNull();
    const again = await claim(fixture.store, { owner: 'a', now: 60, loopId: 'loop-1' });
    expect(again?.token).toBe(2);
  });

  test('the lease of an owner that is gone is taken over before it ends', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    await claim(store, { owner: 'a', now: 50 });
    expect(await claim(store, { owner: 'b', now: 60, takeOver: 'c' })).toBeNull();
    const taken = await claim(store, { owner: 'b', now: 60, takeOver: 'a' });
    expect(taken).toEqual({ loopId: 'loop-1', owner: 'b', token: 2 });
  });

  test('a renewed lease lasts longer', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    const held = await mustClaim(store, { owner: 'a', now: 50 });
    expect(await store.write((tx) => tx.queue.renew(held, 500))).toBe(true);
    expect(await claim(store, { owner: 'b', now: 499 })).toBeNull();
    expect((await claim(store, { owner: 'b', now: 500 }))?.owner).toBe('b');
  });

  test('the token grows with every claim, also after the loop rested and came back', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    const token = () => store.read((tx) => tx.loops.token('loop-1'));
    expect(await token()).toBe(0);
    const first = await mustClaim(store, { owner: 'a', now: 50 });
    await store.write((tx) => tx.queue.release(first, 55));
    const second = await mustClaim(store, { owner: 'a', now: 60 });
    await store.write((tx) => tx.queue.complete(second));
    await store.write((tx) => tx.queue.enqueue('loop-1', 65));
    const third = await mustClaim(store, { owner: 'b', now: 70 });
    expect([first.token, second.token, third.token, await token()]).toEqual([1, 2, 3, 3]);
  });

  test('a completed loop is out; a released one is due again, without an owner', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    await addQueued(store, 'loop-2', 20);
    const first = await mustClaim(store, { owner: 'a', now: 50 });
    const second = await mustClaim(store, { owner: 'a', now: 50 });
    await store.write(async (tx) => {
      await tx.queue.complete(first);
      await tx.queue.release(second, 80);
    });
    expect(await entries(store)).toEqual([
      { loopId: 'loop-2', dueAt: 80, owner: null, leaseUntil: null },
    ]);
  });
}

function lostClaims(create: StoreFactory): void {
  test('renews nothing, completes nothing, releases nothing and appends nothing', async () => {
    await using fixture = await create();
    const { store } = fixture;
    const loop = await addQueued(store, 'loop-1', 10);
    const stalled = await mustClaim(store, { owner: 'a', now: 50 });
    await mustClaim(store, { owner: 'b', now: 500 });
    const before = await entries(store);

    expect(await store.write((tx) => tx.queue.renew(stalled, 9999))).toBe(false);
    await expect(store.write((tx) => tx.queue.complete(stalled))).rejects.toMatchObject({
      code: 'store.fenced',
    });
    await store.write((tx) => tx.queue.release(stalled, 1));
    const late = append(store, loop, [startIteration(1)], stalled.token);
    await expect(late).rejects.toMatchObject({ code: 'store.fenced' });

    expect(await entries(store)).toEqual(before);
    expect(await store.read((tx) => tx.loops.get('loop-1'))).toEqual(loop);
  });

  test('is lost even when the same owner claimed the loop again', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    const stalled = await mustClaim(store, { owner: 'a', now: 50 });
    await mustClaim(store, { owner: 'a', now: 60, loopId: 'loop-1' });
    expect(await store.write((tx) => tx.queue.renew(stalled, 9999))).toBe(false);
  });

  test('is refused together with the rows it came with', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    const stalled = await mustClaim(store, { owner: 'a', now: 50 });
    await mustClaim(store, { owner: 'b', now: 500 });
    const late = store.write(async (tx) => {
      await tx.tasks.add('t-late', { title: 'follow-up' }, 1);
      await tx.queue.complete(stalled);
    });
    await expect(late).rejects.toMatchObject({ code: 'store.fenced' });
    expect(await store.read((tx) => tx.tasks.get('t-late'))).toBeNull();
  });

  test('of a loop that left the queue is lost too', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addLoop(store, 'loop-0');
    await addQueued(store, 'loop-1', 10);
    const held = await mustClaim(store, { owner: 'a', now: 50 });
    await store.write((tx) => tx.queue.complete(held));
    expect(await store.write((tx) => tx.queue.renew(held, 9999))).toBe(false);
    expect(await entries(store)).toEqual([]);
  });
}

type Ask = Omit<QueueClaimInput, 'lease'> & { readonly now: number };

/** Leases last 100. */
function claim(store: Store, { now, ...ask }: Ask): Promise<QueueClaim | null> {
  return store.write((tx) => tx.queue.claim({ ...ask, lease: { now, until: now + 100 } }));
}

async function mustClaim(store: Store, ask: Ask): Promise<QueueClaim> {
  const held = await claim(store, ask);
  if (held === null) throw new Error('nothing to claim');
  return held;
}

async function entries(store: Store) {
  return store.read((tx) => tx.queue.entries());
}
