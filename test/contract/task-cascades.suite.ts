import { describe, expect, test } from 'vitest';
import type { Store } from '../../src/ports/store.ts';
import type { StoreFactory } from './store-fixture.ts';
import { add, edit, get, list, move, ready, statuses } from './task-steps.ts';

/** What every `Tasks` promises about how a change of one task reaches its relatives. */
export function describeTaskCascades(name: string, create: StoreFactory): void {
  describe(`${name}: parents`, () => parentRules(create));
  describe(`${name}: failure below a parent`, () => failureRules(create));
  describe(`${name}: holding a subtree`, () => holdRules(create));
  describe(`${name}: deleting`, () => deleteRules(create));
}

function parentRules(create: StoreFactory): void {
  test('a parent without a validation is done with its last child, and so is its own parent', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    expect(await ready(store)).toEqual(['c1', 'c2']);
    await move(store, 'c1', 'done');
    expect(await get(store, 'p')).toMatchObject({
      status: 'pending',
      children: 2,
      openChildren: 1,
    });
    await move(store, 'c2', 'done');
    expect(await statuses(store)).toEqual({
      g: 'done',
      p: 'done',
      c1: 'done',
      c2: 'done',
      after: 'pending',
    });
    expect(await ready(store)).toEqual(['after']);
  });

  test('a parent with a validation becomes ready instead, and only then', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await edit(store, 'p', { validation: 'make check' });
    await move(store, 'c1', 'done');
    expect(await ready(store)).toEqual(['c2']);
    await move(store, 'c2', 'done', { now: 70 });
    expect(await get(store, 'p')).toMatchObject({ status: 'pending', readySince: 70 });
    expect(await ready(store)).toEqual(['p']);
    await edit(store, 'p', { validation: null });
    expect(await statuses(store)).toMatchObject({ p: 'done', g: 'done' });
  });

  test('a parent waits for its own dependencies too', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await add(store, 'x');
    await edit(store, 'p', { after: ['x'] });
    await move(store, 'c1', 'done');
    await move(store, 'c2', 'done');
    expect(await statuses(store)).toMatchObject({ p: 'pending' });
    expect(await ready(store)).toEqual(['x']);
    await move(store, 'x', 'done');
    expect(await statuses(store)).toMatchObject({ p: 'done', g: 'done' });
  });

  test('a done parent opens again when a child is reset or a new one comes', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await move(store, 'c1', 'done');
    await move(store, 'c2', 'done');
    await move(store, 'c1', 'pending');
    expect(await statuses(store)).toMatchObject({ g: 'pending', p: 'pending', after: 'pending' });
    expect(await get(store, 'after')).toMatchObject({ blockers: 1 });
    await move(store, 'c1', 'done');
    expect(await statuses(store)).toMatchObject({ g: 'done' });
    await add(store, 'c3', { title: 'c3', parentId: 'p' });
    expect(await statuses(store)).toMatchObject({ g: 'pending', p: 'pending' });
  });

  test('a draft parent stays one until it is released', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await edit(store, 'p', { status: 'draft' });
    await move(store, 'c1', 'done');
    await move(store, 'c2', 'done');
    expect(await statuses(store)).toMatchObject({ p: 'draft', g: 'pending' });
    await move(store, 'p', 'pending');
    expect(await statuses(store)).toMatchObject({ p: 'done', g: 'done' });
  });

  test('moving the last open child opens all its new ancestors before it finishes the old parent', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await add(store, 'a1', { title: 'a1', parentId: 'a', status: 'done' });
    await add(store, 'b');
    await add(store, 'b1', { title: 'b1', parentId: 'b' });
    await add(store, 'b2', { title: 'b2', parentId: 'b1', status: 'done' });
    await add(store, 'open', { title: 'open', parentId: 'a' });
    // Waits for both, and would be finished if a were done while b is still to be opened.
    await add(store, 'both', { title: 'both', after: ['a', 'b'] });
    await add(store, 'part', { title: 'part', parentId: 'both', status: 'done' });
    expect(await statuses(store)).toMatchObject({ a: 'pending', b: 'done', both: 'pending' });
    await edit(store, 'open', { parentId: 'b1' });
    expect(await statuses(store)).toMatchObject({ a: 'done', b: 'pending', both: 'pending' });
  });
}

function failureRules(create: StoreFactory): void {
  test('blocks every ancestor, names the child, and ends with a later success', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await fail(store, 'c1');
    expect(await statuses(store)).toMatchObject({
      g: 'blocked',
      p: 'blocked',
      c1: 'failed',
      c2: 'pending',
    });
    expect((await get(store, 'g')).reason).toBe('subtask c1 “c1” failed');
    expect(await ready(store)).toEqual(['c2']);
    await move(store, 'c2', 'done');
    await move(store, 'c1', 'done');
    expect(await statuses(store)).toMatchObject({ g: 'done', p: 'done' });
    expect((await get(store, 'g')).reason).toBeNull();
  });

  test('ends with a reset as well, and only when no other child is failed', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await fail(store, 'c1');
    await fail(store, 'c2');
    expect((await get(store, 'p')).reason).toBe('subtask c1 “c1” failed');
    await move(store, 'c1', 'pending');
    expect(await get(store, 'p')).toMatchObject({
      status: 'blocked',
      reason: 'subtask c2 “c2” failed',
    });
    await move(store, 'c2', 'cancelled');
    expect(await statuses(store)).toMatchObject({ g: 'pending', p: 'pending', c2: 'cancelled' });
  });

  test('does not end what a person has to look at', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await move(store, 'p', 'blocked', { reason: 'decide' });
    await fail(store, 'c1');
    await move(store, 'c1', 'done');
    expect(await get(store, 'p')).toMatchObject({ status: 'blocked', reason: 'decide' });
    expect(await statuses(store)).toMatchObject({ g: 'pending' });
  });

  test('goes with the child to another parent, and away with a deleted one', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await add(store, 'other');
    await fail(store, 'c1');
    await edit(store, 'c1', { parentId: 'other' });
    expect(await statuses(store)).toMatchObject({ g: 'pending', p: 'pending', other: 'blocked' });
    await store.write(({ tasks }) => tasks.delete('c1'));
    expect(await statuses(store)).toMatchObject({ other: 'pending' });
    expect(await ready(store)).toContain('other');
  });
}

function holdRules(create: StoreFactory): void {
  test.each(['paused', 'cancelled'] as const)(
    'a %s ancestor holds everything below it',
    async (status) => {
      await using fixture = await create();
      const { store } = fixture;
      await family(store);
      await move(store, 'g', status);
      await move(store, 'p', 'paused');
      expect(await get(store, 'c1')).toMatchObject({ held: 2, readySince: null });
      expect(await ready(store)).toEqual([]);
      await add(store, 'c3', { title: 'c3', parentId: 'p' });
      expect((await get(store, 'c3')).held).toBe(2);
      await move(store, 'g', 'pending');
      await move(store, 'p', 'pending', { now: 80 });
      expect(await get(store, 'c1')).toMatchObject({ held: 0, readySince: 80 });
      expect(await ready(store)).toEqual(['c1', 'c2', 'c3']);
    },
  );

  test('moving out of a held subtree sets free', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await move(store, 'g', 'paused');
    await edit(store, 'p', { parentId: null });
    expect(await ready(store)).toEqual(['c1', 'c2']);
    await edit(store, 'p', { parentId: 'g' });
    expect(await ready(store)).toEqual([]);
  });
}

function deleteRules(create: StoreFactory): void {
  test('takes the subtree along and frees what waited for it', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await add(store, 'x', { title: 'x', after: ['c1', 'c2'] });
    await store.write(({ tasks }) => tasks.delete('p'));
    expect((await list(store)).map(({ id }) => id)).toEqual(['g', 'after', 'x']);
    expect(await get(store, 'g')).toMatchObject({ children: 0, openChildren: 0 });
    expect(await ready(store)).toEqual(['g', 'x']);
    expect(await store.read(({ tasks }) => tasks.edges())).toEqual([
      { taskId: 'after', dependsOn: 'g' },
    ]);
  });

  test('of the last open child finishes the parent', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await move(store, 'c1', 'done');
    await store.write(({ tasks }) => tasks.delete('c2'));
    expect(await statuses(store)).toMatchObject({ p: 'done', g: 'done' });
  });

  test('is refused while something in the subtree is worked on', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await family(store);
    await store.write(({ tasks }) =>
      tasks.claim({ owner: 'o', now: 1, lease: { now: 1, until: 9 }, taskId: 'c1' }),
    );
    await expect(store.write(({ tasks }) => tasks.delete('g'))).rejects.toMatchObject({
      code: 'task.running',
    });
    expect(await list(store)).toHaveLength(5);
  });
}

/** g holds p, p holds c1 and c2; `after` waits for g. */
async function family(store: Store): Promise<void> {
  await add(store, 'g');
  await add(store, 'p', { title: 'p', parentId: 'g' });
  await add(store, 'c1', { title: 'c1', parentId: 'p' });
  await add(store, 'c2', { title: 'c2', parentId: 'p' });
  await add(store, 'after', { title: 'after', after: ['g'] });
}

async function fail(store: Store, id: string): Promise<void> {
  await store.write(async ({ tasks }) => {
    const claim = await tasks.claim({
      owner: 'o',
      now: 20,
      lease: { now: 20, until: 90 },
      taskId: id,
    });
    if (claim !== null)
      await tasks.transition(id, 'failed', { now: 21, claim, reason: 'tests fail' });
  });
}
