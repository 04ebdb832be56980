import { describe, expect, test } from 'vitest';
import type { Task } from '../../src/core/task/task.ts';
import type { ClaimInput, Store, TaskClaim } from '../../src/ports/store.ts';
import type { StoreFactory } from './store-fixture.ts';
import { add, get } from './task-steps.ts';

/** What every `Tasks` promises about who may work on what. */
export function describeTaskClaims(name: string, create: StoreFactory): void {
  describe(`${name}: a claim`, () => claimRules(create));
  describe(`${name}: a claim by name`, () => namedRules(create));
  describe(`${name}: a lease`, () => leaseRules(create));
  describe(`${name}: a claim that was lost`, () => fencingRules(create));
}

function claimRules(create: StoreFactory): void {
  test('takes the first ready task and makes it running', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await add(store, 'b', { title: 'b', priority: 'high' });
    expect(await claim(store)).toEqual({ taskId: 'b', owner: 'o', token: 1 });
    expect(await get(store, 'b')).toMatchObject({ status: 'running', updatedAt: 10 });
    expect(await claim(store)).toMatchObject({ taskId: 'a' });
    expect(await claim(store)).toBeNull();
    expect(await claimOf(store, 'b')).toEqual({ taskId: 'b', owner: 'o', token: 1 });
    expect(await claimOf(store, 'none')).toBeNull();
  });

  test('is never given to two workers, however many ask at once', async () => {
    await using fixture = await create();
    const stores = [fixture.store, await fixture.open(), await fixture.open()];
    const size = 30;
    for (let index = 0; index < size; index += 1) await add(fixture.store, `t-${index}`);
    const asked = Array.from({ length: size + 10 }, (_, index) =>
      claim(stores[index % stores.length]!, { owner: `o${index}` }),
    );
    const claims = (await Promise.all(asked)).filter((taken) => taken !== null);
    expect(new Set(claims.map(({ taskId }) => taskId)).size).toBe(size);
    expect(claims).toHaveLength(size);
  });

  test('is refused a parent while children are open, and for ever when it has no validation', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'p', { title: 'p', validation: 'make' });
    await add(store, 'q');
    await add(store, 'pc', { title: 'pc', parentId: 'p' });
    await add(store, 'qc', { title: 'qc', parentId: 'q' });
    expect(await claim(store, { taskId: 'p' })).toBeNull();
    expect(await claim(store, { taskId: 'q' })).toBeNull();
    await store.write(({ tasks }) => tasks.transition('pc', 'done', { now: 2 }));
    expect(await claim(store, { taskId: 'p' })).toMatchObject({ taskId: 'p' });
    expect(await claim(store)).toMatchObject({ taskId: 'qc' });
    expect(await claim(store)).toBeNull();
  });

  test('given back keeps its place in the order', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a', { title: 'a' }, 1);
    await add(store, 'b', { title: 'b' }, 2);
    const taken = await claim(store);
    await store.write(({ tasks }) => tasks.release(taken!));
    expect(await get(store, 'a')).toMatchObject({ status: 'pending', readySince: 1 });
    expect(await claim(store)).toMatchObject({ taskId: 'a', token: 2 });
  });
}

function namedRules(create: StoreFactory): void {
  test.each(['pending', 'paused', 'failed', 'blocked'] as const)(
    'takes a %s task',
    async (status) => {
      await using fixture = await create();
      const { store } = fixture;
      await add(store, 'a');
      if (status !== 'pending') {
        const held = await claim(store);
        await store.write(({ tasks }) =>
          tasks.transition('a', status, { now: 11, claim: held!, reason: 'because' }),
        );
      }
      expect(await claim(store, { taskId: 'a' })).toMatchObject({ taskId: 'a' });
      expect(await get(store, 'a')).toMatchObject({ status: 'running', reason: null });
    },
  );

  test.each(['draft', 'done', 'cancelled'] as const)('does not take a %s task', async (status) => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a', { title: 'a', status: status === 'cancelled' ? 'pending' : status });
    if (status === 'cancelled')
      await store.write(({ tasks }) => tasks.transition('a', status, { now: 2 }));
    expect(await claim(store, { taskId: 'a' })).toBeNull();
    expect(await claim(store, { taskId: 'nobody' })).toBeNull();
  });

  test('takes a task whose dependencies are open: a person asked for it', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await add(store, 'b', { title: 'b', after: ['a'] });
    expect(await claim(store, { taskId: 'b' })).toMatchObject({ taskId: 'b' });
    await store.write(async ({ tasks }) => tasks.release((await tasks.claimOf('b'))!));
    expect(await get(store, 'b')).toMatchObject({ status: 'pending', readySince: null });
  });

  test('of a failed child opens its ancestors again', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'p');
    await add(store, 'c', { title: 'c', parentId: 'p' });
    const held = await claim(store);
    await store.write(({ tasks }) => tasks.transition('c', 'failed', { now: 11, claim: held! }));
    expect((await get(store, 'p')).status).toBe('blocked');
    await claim(store, { taskId: 'c' });
    expect((await get(store, 'p')).status).toBe('pending');
  });

  test('does not take what somebody holds, unless the lease ended or the holder is known to be gone', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await claim(store, { owner: 'first', leaseUntil: 100 });
    expect(await claim(store, { owner: 'second', taskId: 'a', now: 99 })).toBeNull();
    expect(
      await claim(store, { owner: 'second', taskId: 'a', now: 99, takeOver: 'third' }),
    ).toBeNull();
    expect(
      await claim(store, {
        owner: 'second',
        taskId: 'a',
        now: 99,
        takeOver: 'first',
        leaseUntil: 200,
      }),
    ).toEqual({ taskId: 'a', owner: 'second', token: 2 });
    expect(await claim(store, { owner: 'third', taskId: 'a', now: 200 })).toEqual({
      taskId: 'a',
      owner: 'third',
      token: 3,
    });
    const log = await store.read(({ tasks }) => tasks.log('a'));
    expect(log.map(({ type, text }) => `${type} ${text}`)).toEqual([
      'task.claimed by first',
      'task.taken_over from first',
      'task.claimed by second',
      'lease.expired the lease of second ended',
      'task.claimed by third',
    ]);
  });

  test('of no name also takes the tasks of a holder that is gone', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await claim(store, { owner: 'first' });
    expect(await claim(store, { owner: 'second' })).toBeNull();
    expect(await claim(store, { owner: 'second', takeOver: 'first' })).toMatchObject({
      taskId: 'a',
    });
  });
}

function leaseRules(create: StoreFactory): void {
  test('that ended returns the task to pending and says so in its log', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await add(store, 'b');
    await claim(store, { leaseUntil: 100 });
    await claim(store, { leaseUntil: 200 });
    expect(await expire(store, 99)).toEqual([]);
    expect(await expire(store, 100)).toEqual(['a']);
    expect(await get(store, 'a')).toMatchObject({ status: 'pending', readySince: 1 });
    expect((await get(store, 'b')).status).toBe('running');
    const log = await store.read(({ tasks }) => tasks.log('a'));
    expect(log.at(-1)).toEqual({ time: 100, type: 'lease.expired', text: 'the lease of o ended' });
    expect(await expire(store, 100)).toEqual([]);
  });

  test('can be renewed by its holder alone', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    const held = (await claim(store, { leaseUntil: 100 }))!;
    const renew = (by: TaskClaim) => store.write(({ tasks }) => tasks.renew(by, 300));
    expect(await renew({ ...held, owner: 'other' })).toBe(false);
    expect(await renew({ ...held, token: 7 })).toBe(false);
    expect(await renew(held)).toBe(true);
    expect(await expire(store, 200)).toEqual([]);
    expect(await expire(store, 300)).toEqual(['a']);
    expect(await renew(held)).toBe(false);
  });
}

function fencingRules(create: StoreFactory): void {
  test('changes nothing any more', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    const lost = (await claim(store, { owner: 'first', leaseUntil: 100 }))!;
    await expire(store, 100);
    await expect(finish(store, lost)).rejects.toMatchObject({ code: 'store.fenced' });
    const held = (await claim(store, { owner: 'second', now: 101, leaseUntil: 200 }))!;
    await expect(finish(store, lost)).rejects.toMatchObject({ code: 'store.fenced' });
    await store.write(({ tasks }) => tasks.release(lost));
    expect(await get(store, 'a')).toMatchObject({ status: 'running' });
    expect(await finish(store, held)).toMatchObject({ status: 'done' });
    await expect(finish(store, held)).rejects.toMatchObject({ code: 'store.fenced' });
  });

  test('includes one whose task a person has moved on', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    const held = (await claim(store))!;
    await store.write(({ tasks }) =>
      tasks.transition('a', 'cancelled', { now: 12, reason: 'not needed' }),
    );
    await expect(finish(store, held)).rejects.toMatchObject({ code: 'store.fenced' });
    expect(await get(store, 'a')).toMatchObject({ status: 'cancelled', reason: 'not needed' });
  });
}

type Ask = Partial<Omit<ClaimInput, 'lease'>> & { readonly leaseUntil?: number };

function claim(store: Store, ask: Ask = {}): Promise<TaskClaim | null> {
  const { leaseUntil = 100, now = 10, ...input } = ask;
  const lease = { now, until: leaseUntil };
  return store.write(({ tasks }) => tasks.claim({ owner: 'o', now, lease, ...input }));
}

function claimOf(store: Store, id: string): Promise<TaskClaim | null> {
  return store.read(({ tasks }) => tasks.claimOf(id));
}

function expire(store: Store, now: number): Promise<readonly string[]> {
  return store.write(({ tasks }) => tasks.expireLeases(now, now));
}

function finish(store: Store, held: TaskClaim): Promise<Task> {
  return store.write(({ tasks }) =>
    tasks.transition(held.taskId, 'done', { now: 150, claim: held }),
  );
}
