import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TaskFilter } from '../../src/ports/store.ts';
import type { StoreFactory } from './store-fixture.ts';
import { add, edit, get, list, move, ready, resolve } from './task-steps.ts';
import { operations, runAgainstModel } from './tasks-property.ts';

/** What every `Tasks` promises, whatever keeps it. Claims and cascades have suites of their own. */
export function describeTasks(name: string, create: StoreFactory): void {
  describe(`${name}: fields`, () => fieldRules(create));
  describe(`${name}: dependencies`, () => dependencyRules(create));
  describe(`${name}: references`, () => referenceRules(create));
  describe(`${name}: the order of ready tasks`, () => orderRules(create));
  describe(`${name}: any history`, () => modelRule(create));
}

function fieldRules(create: StoreFactory): void {
  test('a task has its fields, and defaults for the rest', async () => {
    await using fixture = await create();
    const stored = await add(fixture.store, 't-1', { title: ' Add\nlogin ' }, 5);
    expect(stored).toEqual(await get(fixture.store, 't-1'));
    expect(stored).toEqual({
      id: 't-1',
      title: 'Add login',
      description: '',
      parentId: null,
      priority: 'normal',
      type: null,
      validation: null,
      maxRetries: 0,
      retries: 0,
      status: 'pending',
      reason: null,
      guidance: [],
      summary: null,
      blockers: 0,
      children: 0,
      openChildren: 0,
      held: 0,
      readySince: 5,
      createdAt: 5,
      updatedAt: 5,
    });
  });

  test('editing changes what is named and nothing else', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 't-1', { title: 'A', description: 'Old', type: 'plan', validation: 'make' });
    const edited = await store.write(({ tasks }) =>
      tasks.edit('t-1', { title: 'B', validation: null, maxRetries: 2, priority: 'high' }, 9),
    );
    expect(edited).toMatchObject({
      title: 'B',
      description: 'Old',
      type: 'plan',
      validation: null,
      maxRetries: 2,
      priority: 'high',
      updatedAt: 9,
    });
    expect((await resolve(store, 'b')).id).toBe('t-1');
  });

  test('a task needs a title and a sensible number of retries', async () => {
    await using fixture = await create();
    await expect(add(fixture.store, 't-1', { title: ' \n' })).rejects.toMatchObject({
      code: 'task.title',
    });
    await expect(add(fixture.store, 't-1', { title: 'A', maxRetries: -1 })).rejects.toMatchObject({
      code: 'task.max_retries',
    });
    expect(await list(fixture.store)).toEqual([]);
  });

  test('an id is given once', async () => {
    await using fixture = await create();
    await add(fixture.store, 't-1');
    await expect(add(fixture.store, 't-1')).rejects.toMatchObject({ code: 'store.exists' });
  });

  test('guidance is kept in order, with its time', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 't-1');
    await store.write(({ tasks }) => tasks.guide('t-1', 'Use “zod”.', 2));
    await store.write(({ tasks }) => tasks.guide('t-1', 'Not yup.', 3));
    expect((await get(store, 't-1')).guidance).toEqual([
      { time: 2, text: 'Use “zod”.' },
      { time: 3, text: 'Not yup.' },
    ]);
  });

  test('a status changes only as the table says, and its reason and summary with it', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 't-1');
    expect(await move(store, 't-1', 'blocked', { reason: 'no key' })).toMatchObject({
      reason: 'no key',
    });
    expect(await move(store, 't-1', 'pending')).toMatchObject({ reason: null });
    expect(await move(store, 't-1', 'done', { summary: 'Did it.' })).toMatchObject({
      summary: 'Did it.',
    });
    await expect(move(store, 't-1', 'failed')).rejects.toMatchObject({ code: 'task.transition' });
    expect(await move(store, 't-1', 'pending')).toMatchObject({ summary: null, retries: 0 });
    await expect(move(store, 't-1', 'running')).rejects.toMatchObject({ code: 'task.transition' });
    expect(await move(store, 't-1', 'paused')).toMatchObject({ retries: 0 });
    await move(store, 't-1', 'failed');
    expect(await move(store, 't-1', 'pending', { retry: true })).toMatchObject({ retries: 1 });
    const log = await store.read(({ tasks }) => tasks.log('t-1'));
    expect(log.map(({ type, text }) => `${type}: ${text}`)).toEqual([
      'task.blocked: no key',
      'task.pending: by hand',
      'task.done: by hand',
      'task.pending: by hand',
      'task.paused: by hand',
      'task.failed: by hand',
      'task.pending: by hand',
    ]);
  });

  test('lists are in the order of creation and can be narrowed', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 't-9', { title: 'first' });
    await add(store, 't-1', { title: 'second', parentId: 't-9' });
    await add(store, 't-5', { title: 'third', status: 'draft' });
    const ids = async (filter: TaskFilter) => (await list(store, filter)).map(({ id }) => id);
    expect(await ids({})).toEqual(['t-9', 't-1', 't-5']);
    expect(await ids({ status: 'draft' })).toEqual(['t-5']);
    expect(await ids({ parentId: null })).toEqual(['t-9', 't-5']);
    expect(await ids({ parentId: 't-9', status: 'pending' })).toEqual(['t-1']);
    expect(await store.read(({ tasks }) => tasks.counts())).toEqual({
      draft: 1,
      pending: 2,
      blocked: 0,
      running: 0,
      paused: 0,
      done: 0,
      failed: 0,
      cancelled: 0,
      ready: 1,
    });
  });
}

function dependencyRules(create: StoreFactory): void {
  test('a task waits for what it depends on, and again when that is reset', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await add(store, 'b', { title: 'b', status: 'done' });
    await add(store, 'c', { title: 'c', after: ['a', 'b', 'a'] }, 3);
    expect(await get(store, 'c')).toMatchObject({ blockers: 1, readySince: null });
    await move(store, 'a', 'done', { now: 50 });
    expect(await get(store, 'c')).toMatchObject({ blockers: 0, readySince: 50 });
    await move(store, 'b', 'pending', { now: 60 });
    expect(await get(store, 'c')).toMatchObject({ blockers: 1, readySince: null });
    const related = await store.read(async ({ tasks }) => ({
      dependencies: (await tasks.dependenciesOf('c')).map(({ id }) => id),
      dependents: (await tasks.dependentsOf('a')).map(({ id }) => id),
      edges: await tasks.edges(),
    }));
    expect(related).toEqual({
      dependencies: ['a', 'b'],
      dependents: ['c'],
      edges: [
        { taskId: 'c', dependsOn: 'a' },
        { taskId: 'c', dependsOn: 'b' },
      ],
    });
  });

  test('can be added and removed; doing so twice is doing it once', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    await add(store, 'b');
    for (let time = 0; time < 2; time += 1) {
      await store.write(({ tasks }) => tasks.addDependency('b', 'a', 5));
      expect((await get(store, 'b')).blockers).toBe(1);
    }
    for (let time = 0; time < 2; time += 1) {
      await store.write(({ tasks }) => tasks.removeDependency('b', 'a', 6));
      expect(await get(store, 'b')).toMatchObject({ blockers: 0, readySince: 6 });
    }
  });

  test('that would make a cycle is refused with the cycle, and nothing changes', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a', { title: 'Parse' });
    await add(store, 'b', { title: 'Lex', after: ['a'] });
    const cycle = {
      code: 'task.cycle',
      message: expect.stringContaining('Parse → Lex → Parse'),
    };
    await expect(
      store.write(({ tasks }) => tasks.addDependency('a', 'b', 5)),
    ).rejects.toMatchObject(cycle);
    await expect(edit(store, 'a', { title: 'Changed', after: ['b'] })).rejects.toMatchObject({
      code: 'task.cycle',
    });
    await expect(
      store.write(({ tasks }) => tasks.addDependency('a', 'a', 5)),
    ).rejects.toMatchObject({
      code: 'task.cycle',
    });
    expect(await get(store, 'a')).toMatchObject({ title: 'Parse', blockers: 0 });
  });

  test('on an ancestor or a descendant is refused, whichever way it comes about', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'p');
    await add(store, 'c', { title: 'c', parentId: 'p' });
    await add(store, 'd');
    await store.write(({ tasks }) => tasks.addDependency('d', 'p', 5));
    const refused = { code: 'task.cycle' };
    await expect(
      add(store, 'n', { title: 'n', parentId: 'c', after: ['p'] }),
    ).rejects.toMatchObject(refused);
    await expect(
      add(store, 'n', { title: 'n', parentId: 'c', after: ['d'] }),
    ).rejects.toMatchObject(refused);
    await expect(edit(store, 'c', { after: ['p'] })).rejects.toMatchObject(refused);
    await expect(edit(store, 'p', { after: ['c'] })).rejects.toMatchObject(refused);
    await expect(edit(store, 'd', { parentId: 'p' })).rejects.toMatchObject(refused);
    await expect(edit(store, 'p', { parentId: 'c' })).rejects.toMatchObject(refused);
    await expect(edit(store, 'p', { parentId: 'p' })).rejects.toMatchObject(refused);
  });

  test('on something that is not stored is refused', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a');
    const unknown = { code: 'task.not_found' };
    await expect(add(store, 'b', { title: 'b', after: ['x'] })).rejects.toMatchObject(unknown);
    await expect(add(store, 'b', { title: 'b', parentId: 'x' })).rejects.toMatchObject(unknown);
    await expect(
      store.write(({ tasks }) => tasks.addDependency('a', 'x', 5)),
    ).rejects.toMatchObject(unknown);
    await expect(edit(store, 'x', { title: 'b' })).rejects.toMatchObject(unknown);
    expect(await store.read(({ tasks }) => tasks.get('x'))).toBeNull();
  });
}

function referenceRules(create: StoreFactory): void {
  test('resolve exact, then by prefix, then by slug; else with the nearest', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 't-11', { title: 'Add login' });
    await add(store, 't-111', { title: 'Add logout' });
    await add(store, 't-222', { title: 'Add logout' });
    expect((await resolve(store, 't-11')).title).toBe('Add login');
    expect((await resolve(store, 't-2')).id).toBe('t-222');
    expect((await resolve(store, 'Add Login')).id).toBe('t-11');
    await expect(resolve(store, 't-1')).rejects.toMatchObject({ code: 'task.ambiguous' });
    await expect(resolve(store, 'add-logout')).rejects.toMatchObject({ code: 'task.ambiguous' });
    await expect(resolve(store, 'add-logn')).rejects.toMatchObject({
      code: 'task.not_found',
      hint: 'Did you mean t-11 “Add login”?',
    });
    for (const hostile of ['', '%', 't_1', "' or 1=1 --"]) {
      await expect(resolve(store, hostile)).rejects.toMatchObject({ code: 'task.not_found' });
    }
  });
}

function orderRules(create: StoreFactory): void {
  const minute = 60_000;

  test('is priority at equal age, then creation', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'z', { title: 'z', priority: 'low' });
    await add(store, 'c', { title: 'c' });
    await add(store, 'b', { title: 'b' });
    await add(store, 'a', { title: 'a', priority: 'critical' });
    await add(store, 'd', { title: 'd', priority: 'high' });
    expect(await ready(store)).toEqual(['a', 'd', 'c', 'b', 'z']);
  });

  test('lets age outweigh priority, and follows a change of priority', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'old', { title: 'old', priority: 'low' }, 0);
    await add(store, 'soon', { title: 'soon', priority: 'critical' }, 59 * minute);
    await add(store, 'late', { title: 'late', priority: 'critical' }, 61 * minute);
    expect(await ready(store)).toEqual(['soon', 'old', 'late']);
    await edit(store, 'soon', { priority: 'normal' });
    expect(await ready(store)).toEqual(['old', 'late', 'soon']);
  });

  test('counts from when a task became ready, not from when it was written', async () => {
    await using fixture = await create();
    const { store } = fixture;
    await add(store, 'a', { title: 'a' }, 0);
    await add(store, 'b', { title: 'b', after: ['a'] }, 1);
    await add(store, 'c', { title: 'c' }, 2);
    await move(store, 'a', 'done', { now: 3 });
    expect(await ready(store)).toEqual(['c', 'b']);
    expect(await store.read(({ tasks }) => tasks.ready(1))).toHaveLength(1);
  });
}

function modelRule(create: StoreFactory): void {
  test('leaves exactly what the rules say when everything is looked up anew', async () => {
    await using fixture = await create();
    const numRuns = process.env['LOOPWRIGHT_TEST_FULL'] === undefined ? 100 : 2000;
    await fc.assert(
      fc.asyncProperty(operations, (steps) => runAgainstModel(fixture.store, steps)),
      { numRuns },
    );
  }, 600_000);
}
