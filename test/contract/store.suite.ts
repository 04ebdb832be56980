import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fold } from '../../src/core/loop/evolve.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import type { Store } from '../../src/ports/store.ts';
import { arbitraryBatches, arbitraryCreated } from '../support/arbitrary-loop-events.ts';
import {
  addLoop,
  addQueued,
  append,
  createdEvent,
  endIteration,
  startIteration,
  wholeIteration,
  type StoreFactory,
} from './store-fixture.ts';

/** What every `Store` promises, whatever keeps it. */
export function describeStore(name: string, create: StoreFactory): void {
  describe(`${name}: transactions`, () => transactions(create));
  describe(`${name}: loops`, () => loops(create));
  describe(`${name}: log`, () => log(create));
  describe(`${name}: sessions, requests, baselines`, () => smallAggregates(create));
}

function transactions(create: StoreFactory): void {
  test('everything in a write is gone when its work throws', async () => {
    await using fixture = await create();
    const failed = fixture.store.write(async (tx) => {
      await tx.tasks.add('t-1', { title: 'lost' }, 1);
      await tx.loops.create(createdEvent('loop-1', 't-1'), 1);
      await tx.queue.enqueue('loop-1', 1);
      throw new Error('in the middle');
    });
    await expect(failed).rejects.toThrow('in the middle');
    expect(await contents(fixture.store)).toEqual({ tasks: [], loops: [], queue: [] });
  });

  test('an iteration, its progress and its place in the queue commit together or not at all', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addQueued(store, 'loop-1', 10);
    const claim = await claimNext(store);
    const loop = await append(
      store,
      await getLoop(store, 'loop-1'),
      [startIteration(1)],
      claim.token,
    );

    const failed = store.write(async (tx) => {
      const input = { loop, token: claim.token, time: 3000, elapsedMs: 1 };
      await tx.loops.append({ ...input, events: [endIteration(1)] });
      await tx.queue.release(claim, 99);
      throw new Error('before the end');
    });
    await expect(failed).rejects.toThrow('before the end');

    const stored = await getLoop(store, 'loop-1');
    expect(stored).toEqual(loop);
    expect(stored.progress).toEqual([]);
    expect(await store.read((tx) => tx.queue.entries())).toEqual([
      { loopId: 'loop-1', dueAt: 10, owner: 'me', leaseUntil: 1000 },
    ]);
  });

  test('writes of one store take turns', async () => {
    await using fixture = await create();
    const { store } = fixture;
    let inside = 0;
    const numbers = Array.from({ length: 10 }, (_, index) => index);
    await Promise.all(
      numbers.map((number) =>
        store.write(async (tx) => {
          inside += 1;
          expect(inside).toBe(1);
          await tx.tasks.add(`t-${number}`, { title: `${number}` }, number);
          inside -= 1;
        }),
      ),
    );
    expect((await contents(store)).tasks).toHaveLength(10);
  });

  test('a read sees one state although another store commits in between', async () => {
    await using fixture = await create();
    await addLoop(fixture.store, 'loop-1');
    const other = await fixture.open();
    const seen = await fixture.store.read(async (tx) => {
      const before = await tx.loops.list({});
      await addLoop(other, 'loop-2');
      return [before.length, (await tx.loops.list({})).length];
    });
    expect(seen).toEqual([1, 1]);
    expect((await contents(fixture.store)).loops).toEqual(['loop-2', 'loop-1']);
  });

  test('a read changes nothing', async () => {
    await using fixture = await create();
    await addLoop(fixture.store, 'loop-1');
    const changed = fixture.store.read((tx) => tx.loops.delete('loop-1'));
    await Promise.allSettled([changed]);
    expect((await contents(fixture.store)).loops).toEqual(['loop-1']);
  });

  test('a transaction that is kept beyond its end is dead', async () => {
    await using fixture = await create();
    const kept = await fixture.store.write(async (tx) => tx);
    await expect(kept.tasks.add('t-1', { title: 'late' }, 1)).rejects.toThrow();
    expect((await contents(fixture.store)).tasks).toEqual([]);
  });

  test('what was written is there after closing and opening again', async () => {
    await using fixture = await create();
    const loop = await append(
      fixture.store,
      await addLoop(fixture.store, 'loop-1'),
      wholeIteration(1),
    );
    await fixture.store[Symbol.asyncDispose]();
    expect(await getLoop(await fixture.open(), 'loop-1')).toEqual(loop);
  });
}

function loops(create: StoreFactory): void {
  test('an id that is taken is refused as such', async () => {
    await using fixture = await create();
    await addLoop(fixture.store, 'loop-1');
    await expect(addLoop(fixture.store, 'loop-1')).rejects.toMatchObject({ code: 'store.exists' });
  });

  test('a loop of an unknown task is refused', async () => {
    await using fixture = await create();
    const created = fixture.store.write((tx) => tx.loops.create(createdEvent('loop-1', 't-9'), 1));
    await expect(created).rejects.toMatchObject({ code: 'store.missing_reference' });
  });

  test('append is refused after another owner claimed the loop', async () => {
    await using fixture = await create();
    const { store } = fixture;
    const loop = await addQueued(store, 'loop-1', 10);
    const first = await claimNext(store);
    const second = await store.write((tx) =>
      tx.queue.claim({ owner: 'you', lease: { now: 2000, until: 3000 } }),
    );
    const late = append(store, loop, [startIteration(1)], first.token);
    await expect(late).rejects.toMatchObject({ code: 'store.fenced' });
    expect(await getLoop(store, 'loop-1')).toEqual(loop);
    await append(store, loop, [startIteration(1)], second!.token);
  });

  test('append to a loop that went on elsewhere is a conflict', async () => {
    await using fixture = await create();
    const loop = await addLoop(fixture.store, 'loop-1');
    const current = await append(fixture.store, loop, [startIteration(1)]);
    const stale = append(fixture.store, loop, [startIteration(1)]);
    await expect(stale).rejects.toMatchObject({ code: 'store.conflict' });
    expect(await getLoop(fixture.store, 'loop-1')).toEqual(current);
  });

  test('append to a loop that is gone says so', async () => {
    await using fixture = await create();
    const loop = await addLoop(fixture.store, 'loop-1');
    await fixture.store.write((tx) => tx.loops.delete('loop-1'));
    const late = append(fixture.store, loop, [startIteration(1)]);
    await expect(late).rejects.toMatchObject({ code: 'store.missing' });
  });

  test('the time of a batch is counted once', async () => {
    await using fixture = await create();
    const loop = await addLoop(fixture.store, 'loop-1');
    const { loop: next, recorded } = await fixture.store.write((tx) =>
      tx.loops.append({ loop, token: 0, time: 9, elapsedMs: 7.6, events: wholeIteration(1) }),
    );
    expect(next.activeMs).toBe(8);
    expect(recorded.map((event) => event.elapsedMs)).toEqual([8, ...Array(13).fill(0)]);
    expect(recorded.map((event) => event.seq)).toEqual(recorded.map((_, index) => index + 2));
  });

  test('iterations are read one by one', async () => {
    await using fixture = await create();
    const events = [...wholeIteration(1), ...wholeIteration(2)];
    const loop = await append(fixture.store, await addLoop(fixture.store, 'loop-1'), events);
    const found = await fixture.store.read((tx) => tx.loops.iteration('loop-1', 2));
    expect(found).toEqual(loop.iterations[1]);
    expect(await fixture.store.read((tx) => tx.loops.iteration('loop-1', 3))).toBeNull();
  });

  test('an iteration number that comes twice is refused', async () => {
    await using fixture = await create();
    const loop = await append(
      fixture.store,
      await addLoop(fixture.store, 'loop-1'),
      wholeIteration(1),
    );
    const twice = append(fixture.store, loop, [startIteration(1)]);
    await expect(twice).rejects.toMatchObject({ code: 'store.exists' });
  });

  test('lists are newest first, with the owner, filtered and cut', async () => {
    await using fixture = await create();
    const { store } = fixture;
    const ended = await addLoop(store, 'loop-b', 't-1');
    await addLoop(store, 'loop-c', 't-2');
    await addQueued(store, 'loop-a', 10);
    await claimNext(store);
    await append(store, ended, [
      { type: 'loop.rested', status: 'failed', reason: 'stuck', text: 'went in circles' },
    ]);
    const list = (filter: Parameters<typeof listIds>[1]) => listIds(store, filter);

    expect(await list({})).toEqual(['loop-a', 'loop-c', 'loop-b']);
    expect(await list({ limit: 1 })).toEqual(['loop-a']);
    expect(await list({ taskId: 't-1' })).toEqual(['loop-a', 'loop-b']);
    expect(await list({ statuses: ['failed', 'complete'] })).toEqual(['loop-b']);
    expect(await list({ statuses: [] })).toEqual([]);
    const [row] = await store.read((tx) => tx.loops.list({ limit: 1 }));
    expect(row).toEqual({
      id: 'loop-a',
      taskId: 't-1',
      title: 'Title of loop-a',
      status: 'pending',
      reason: null,
      iterations: 0,
      branch: 'loopwright/loop-a',
      costUsd: null,
      createdAt: 1000,
      updatedAt: 1000,
      owner: 'me',
    });
  });

  test('attempts are counted over all loops of a task', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await append(store, await addLoop(store, 'loop-1'), [startIteration(1), startIteration(2)]);
    await append(store, await addLoop(store, 'loop-2'), [startIteration(1, 3)]);
    await append(store, await addLoop(store, 'loop-3', 't-2'), [startIteration(1)]);
    expect(await store.read((tx) => tx.loops.countAttempts('t-1'))).toBe(3);
    expect(await store.read((tx) => tx.loops.countAttempts('t-2'))).toBe(1);
    expect(await store.read((tx) => tx.loops.countAttempts('t-3'))).toBe(0);
  });

  test('deleting a loop takes everything of it and nothing else', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await append(store, await addQueued(store, 'loop-1', 1), wholeIteration(1));
    const other = await append(store, await addQueued(store, 'loop-2', 1), wholeIteration(1));
    const request = { id: 'r-1', loopId: 'loop-1', kind: 'pause', when: 'cut', now: 1 } as const;
    await store.write((tx) => tx.requests.add(request));
    await store.write((tx) => tx.loops.delete('loop-1'));

    const left = await store.read(async (tx) => ({
      loop: await tx.loops.get('loop-1'),
      iteration: await tx.loops.iteration('loop-1', 1),
      events: await tx.loops.events('loop-1', 0, 10),
      requests: await tx.requests.pending('loop-1'),
      queue: (await tx.queue.entries()).map((entry) => entry.loopId),
    }));
    const nothing = { loop: null, iteration: null, events: [], requests: [], queue: ['loop-2'] };
    expect(left).toEqual(nothing);
    expect(await getLoop(store, 'loop-2')).toEqual(other);
  });
}

function log(create: StoreFactory): void {
  test('folding the log gives the projection, for any events in any batches', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await store.write((tx) => tx.tasks.add('t-1', { title: 'task' }, 1));
    const created = arbitraryCreated('loop-1', 't-1');
    const property = fc.asyncProperty(created, arbitraryBatches, async (first, batches) => {
      let loop = await store.write((tx) => tx.loops.create(first, 1));
      for (const events of batches) loop = await append(store, loop, events);

      const state = await store.read(async (tx) => ({
        events: await tx.loops.events('loop-1', 0, 1000),
        stored: await tx.loops.get('loop-1'),
        broken: await tx.loops.verifyChain('loop-1'),
      }));
      await store.write((tx) => tx.loops.delete('loop-1'));
      expect(state.stored).toEqual(fold(state.events));
      expect(state.stored).toEqual(loop);
      expect(state.events).toHaveLength(1 + batches.flat().length);
      expect(state.broken).toBeNull();
    });
    await fc.assert(property, { numRuns: 60 });
  });

  test('events are read in pages', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await append(store, await addLoop(store, 'loop-1'), wholeIteration(1));
    const page = (since: number) => store.read((tx) => tx.loops.events('loop-1', since, 6));
    const pages = [await page(0), await page(6), await page(12), await page(15)];
    expect(pages.map((events) => events.map(({ seq }) => seq))).toEqual([
      [1, 2, 3, 4, 5, 6],
      [7, 8, 9, 10, 11, 12],
      [13, 14, 15],
      [],
    ]);
    expect(
      pages
        .flat()
        .slice(1)
        .map(({ event }) => event),
    ).toEqual(wholeIteration(1));
  });

  test.each([
    ['changed', 5, '{"type":"hooks.ran","when":"pre","results":[1]}'],
    ['removed', 5, null],
    ['cut off', 15, null],
    ['changed at its beginning', 1, '{}'],
  ])('a log that was %s is found out', async (_, seq, data) => {
    await using fixture = await create();
    await append(fixture.store, await addLoop(fixture.store, 'loop-1'), wholeIteration(1));
    const verify = () => fixture.store.read((tx) => tx.loops.verifyChain('loop-1'));
    expect(await verify()).toBeNull();
    await fixture.tamper('loop-1', seq, data);
    expect(await verify()).toBe(seq);
  });

  test('an event that is not readable is a corrupt store', async () => {
    await using fixture = await create();
    await addLoop(fixture.store, 'loop-1');
    await fixture.tamper('loop-1', 1, '{"type":');
    const events = fixture.store.read((tx) => tx.loops.events('loop-1', 0, 1));
    await expect(events).rejects.toMatchObject({ code: 'store.corrupt' });
  });

  test('a value of ten megabytes comes back whole', async () => {
    await using fixture = await create();
    const text = 'ä\0'.repeat(5_000_000);
    const loop = await addLoop(fixture.store, 'loop-1');
    await append(fixture.store, loop, [{ type: 'warning.raised', text }]);
    const stored = await getLoop(fixture.store, 'loop-1');
    expect(stored.warnings[0] === text).toBe(true);
  });
}

function smallAggregates(create: StoreFactory): void {
  test('a session is stored with its process and its end', async () => {
    await using fixture = await create();
    const { store } = fixture;
    const process = { pid: 7, startTime: '123', bootId: null, host: 'here' };
    const session = {
      id: 's-1',
      kind: 'run',
      process,
      version: '1.0.0',
      startedAt: 5,
      endedAt: null,
    } as const;
    await store.write((tx) => tx.sessions.start(session));
    expect(await store.read((tx) => tx.sessions.get('s-1'))).toEqual(session);
    await store.write((tx) => tx.sessions.end('s-1', 9));
    expect(await store.read((tx) => tx.sessions.get('s-1'))).toEqual({ ...session, endedAt: 9 });
    expect(await store.read((tx) => tx.sessions.get('s-2'))).toBeNull();
  });

  test('requests wait, oldest first, until they are handled', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await addLoop(store, 'loop-1');
    const late = { id: 'r-1', loopId: 'loop-1', kind: 'cancel', when: 'cut', now: 20 } as const;
    const early = { id: 'r-2', loopId: 'loop-1', kind: 'pause', when: 'finish', now: 10 } as const;
    await store.write((tx) => tx.requests.add(late));
    await store.write((tx) => tx.requests.add(early));
    const pending = () => store.read((tx) => tx.requests.pending('loop-1'));
    expect(await pending()).toEqual([early, late]);
    await store.write((tx) => tx.requests.handled('r-2', 30));
    expect(await pending()).toEqual([late]);
  });

  test('a baseline is found by its key and replaced', async () => {
    await using fixture = await create();
    const { store } = fixture;
    const report = { overall: { passed: true }, levels: {}, tree: 'x', durationMs: 1 };
    await store.write((tx) => tx.baselines.put('k', { state: 'green', report }, 1));
    await store.write((tx) => tx.baselines.put('k', { state: 'red', report }, 2));
    expect(await store.read((tx) => tx.baselines.get('k'))).toEqual({ state: 'red', report });
    expect(await store.read((tx) => tx.baselines.get('other'))).toBeNull();
  });
}

async function contents(store: Store) {
  return store.read(async (tx) => ({
    tasks: (await tx.tasks.list({})).map(({ id }) => id),
    loops: (await tx.loops.list({})).map(({ id }) => id),
    queue: (await tx.queue.entries()).map(({ loopId }) => loopId),
  }));
}

async function listIds(store: Store, filter: Parameters<ListLoops>[0]): Promise<readonly string[]> {
  return (await store.read((tx) => tx.loops.list(filter))).map(({ id }) => id);
}
type ListLoops = Parameters<Parameters<Store['read']>[0]>[0]['loops']['list'];

async function getLoop(store: Store, id: string): Promise<Loop> {
  const loop = await store.read((tx) => tx.loops.get(id));
  if (loop === null) throw new Error(`no loop ${id}`);
  return loop;
}

async function claimNext(store: Store) {
  const input = { owner: 'me', lease: { now: 100, until: 1000 } };
  const claim = await store.write((tx) => tx.queue.claim(input));
  if (claim === null) throw new Error('nothing to claim');
  return claim;
}
