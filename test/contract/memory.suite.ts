import { describe, expect, test } from 'vitest';
import { noMetrics } from '../../src/core/memory/attempt.ts';
import type { NewAttempt, NewLearning } from '../../src/ports/memory.ts';
import { addLoop, type StoreFactory } from './store-fixture.ts';
import { shows } from '../support/shows.ts';

const hour = 3_600_000;

function newAttempt(number: number, change: Partial<NewAttempt> = {}): NewAttempt {
  return {
    taskId: 't-1',
    number,
    loopId: 'loop-1',
    sessionId: 's-1',
    model: 'default',
    startedAt: number * hour,
    durationMs: 5,
    tokensInput: null,
    tokensOutput: 7,
    costUsd: null,
    outcome: 'failed',
    errorType: 'unknown',
    report: {
      whatTried: `try ${number}`,
      whyFailed: 'why',
      errorCategory: 'unknown',
      relevantFiles: ['a', 'b'],
      stackTrace: null,
      retrySuggestion: null,
      signature: 'f00',
    },
    metrics: { ...noMetrics, totalAttempts: number, consecutiveFailures: number },
    now: number * hour + 1,
    ...change,
  };
}

function newLearning(id: string, change: Partial<NewLearning> = {}): NewLearning {
  return {
    id,
    category: 'pitfall',
    content: `Text of ${id}.`,
    tags: ['a'],
    origin: 'agent',
    createdAt: 1000,
    ...change,
  };
}

/** What every store promises of memory. */
export function describeMemory(name: string, create: StoreFactory): void {
  describe(`${name}: attempts`, () => attempts(create));
  describe(`${name}: learnings`, () => learnings(create));
}

function attempts(create: StoreFactory): void {
  test('are read back oldest first, the newest of many, without interrupted ones', async () => {
    shows('001.status-two-hours');
    await using fixture = await create();
    await addLoop(fixture.store, 'loop-1');
    const read = await fixture.store.write(async (tx) => {
      for (const number of [1, 2, 3]) await tx.attempts.record(newAttempt(number));
      await tx.attempts.record(newAttempt(4, { outcome: 'interrupted', report: null }));
      await tx.attempts.record(newAttempt(5, { outcome: 'done', report: null }));
      return {
        list: await tx.attempts.list('t-1', 3),
        count: await tx.attempts.count('t-1'),
        rate: await tx.attempts.sessionRate('s-1'),
        since: await tx.attempts.countSince(3 * hour),
      };
    });
    expect(read.list.map(({ number, report }) => [number, report?.whatTried])).toEqual([
      [2, 'try 2'],
      [3, 'try 3'],
      [5, undefined],
    ]);
    expect(read.list[0]?.report).toEqual(newAttempt(2).report);
    expect(read).toMatchObject({ count: 4, rate: { total: 4, successes: 1 }, since: 2 });
  });

  test('are replaced, not doubled', async () => {
    await using fixture = await create();
    await addLoop(fixture.store, 'loop-1');
    const list = await fixture.store.write(async (tx) => {
      await tx.attempts.record(newAttempt(1));
      await tx.attempts.record(newAttempt(1, { model: 'other' }));
      return tx.attempts.list('t-1', 9);
    });
    expect(list.map(({ model }) => model)).toEqual(['other']);
  });

  test('are pruned only where the task is finished, and what a loop reported is forgotten', async () => {
    await using fixture = await create();
    await addLoop(fixture.store, 'loop-1');
    const input = { attemptsBefore: 9 * hour, metricsBefore: 9 * hour };
    const seen = await fixture.store.write(async (tx) => {
      await tx.attempts.record(newAttempt(1));
      const open = await tx.attempts.prune({ ...input, dryRun: false });
      const forgotten = await tx.attempts.forgetReports('loop-1');
      const bare = await tx.attempts.list('t-1', 9);
      await tx.tasks.transition('t-1', 'done', { now: 1 });
      const planned = await tx.attempts.prune({ ...input, dryRun: true });
      const done = await tx.attempts.prune({ ...input, dryRun: false });
      return { open, forgotten, bare, planned, done, left: await tx.attempts.metrics('t-1') };
    });
    expect(seen).toMatchObject({
      open: { attempts: 0, metrics: 0 },
      forgotten: 1,
      bare: [{ number: 1, report: null }],
      planned: { attempts: 1, metrics: 1 },
      done: { attempts: 1, metrics: 1 },
      left: null,
    });
  });
}

function learnings(create: StoreFactory): void {
  test('are read back as they were added, and changed', async () => {
    await using fixture = await create();
    const whole: NewLearning = newLearning('l-1', {
      loopId: 'loop-9',
      iteration: 3,
      paths: ['src/a.ts'],
      scope: 't-0',
      signature: 'f00',
      status: 'active',
      byHand: true,
      lastUsedAt: 2000,
      helpful: 2,
      harmful: 1,
    });
    const read = await fixture.store.write(async (tx) => {
      await tx.learnings.add(whole);
      const before = await tx.learnings.get('l-1');
      await tx.learnings.edit('l-1', { content: 'Other.', status: 'pruned', prunedAt: 5 });
      return { before, after: await tx.learnings.get('l-1') };
    });
    expect(read.before).toEqual({
      ...whole,
      taskId: null,
      staleAt: null,
      prunedAt: null,
      supersededBy: null,
    });
    expect(read.after).toEqual({
      ...read.before,
      content: 'Other.',
      status: 'pruned',
      prunedAt: 5,
    });
  });

  test('refuse an id that is taken', async () => {
    await using fixture = await create();
    await fixture.store.write((tx) => tx.learnings.add(newLearning('l-1')));
    await expect(
      fixture.store.write((tx) => tx.learnings.add(newLearning('l-1'))),
    ).rejects.toMatchObject({ code: 'store.exists' });
  });

  test('are found by what they say, by the beginning of their id, and when they are old', async () => {
    await using fixture = await create();
    const day = 86_400_000;
    const found = await fixture.store.write(async (tx) => {
      await tx.learnings.add(newLearning('l-aa', { createdAt: 10 * day }));
      await tx.learnings.add(newLearning('l-ab', { createdAt: 10 * day, lastUsedAt: 90 * day }));
      await tx.learnings.add(newLearning('l-b', { createdAt: 95 * day, category: 'other' }));
      return {
        same: await tx.learnings.findSame('pitfall', 'Text of l-ab.'),
        other: await tx.learnings.findSame('other', 'Text of l-ab.'),
        resolved: (await tx.learnings.resolve('l-b')).id,
        old: await tx.learnings.findOld({ createdBefore: 50 * day, usedBefore: 80 * day }),
        list: (await tx.learnings.list({ limit: 2 })).map(({ id }) => id),
        counts: await tx.learnings.countByStatus(),
      };
    });
    expect(found).toEqual({
      same: 'l-ab',
      other: null,
      resolved: 'l-b',
      old: ['l-aa'],
      list: ['l-b', 'l-ab'],
      counts: { candidate: 3, active: 0, demoted: 0, pruned: 0 },
    });
    await expect(fixture.store.read((tx) => tx.learnings.resolve('l-a'))).rejects.toMatchObject({
      code: 'memory.ambiguous',
    });
    await expect(fixture.store.read((tx) => tx.learnings.resolve('l-z'))).rejects.toMatchObject({
      code: 'memory.not_found',
    });
  });

  test('become stale when another loop changed a file they name', async () => {
    await using fixture = await create();
    const stale = await fixture.store.write(async (tx) => {
      const paths = ['src/a.ts'];
      await tx.learnings.add(newLearning('l-1', { paths }));
      await tx.learnings.add(newLearning('l-2', { paths, loopId: 'loop-1' }));
      await tx.learnings.add(newLearning('l-3', { paths: ['src/a.tsx', 'lib/src/a.ts'] }));
      await tx.learnings.markStale(['src/a.ts'], 'loop-1', 7000);
      return (await tx.learnings.list({})).map(({ id, staleAt }) => `${id} ${staleAt}`);
    });
    expect(stale.toSorted()).toEqual(['l-1 7000', 'l-2 null', 'l-3 null']);
  });

  test('keep what iterations were given', async () => {
    await using fixture = await create();
    const item = {
      loopId: 'loop-1',
      iteration: 2,
      learningId: 'l-1',
      taskId: null,
      position: 1,
      withheld: true,
      injectedAt: 1000,
      vote: null,
      passed: null,
    };
    const judged = { ...item, vote: 'harmful' as const, passed: false };
    const seen = await fixture.store.write(async (tx) => {
      await tx.learnings.add(newLearning('l-1'));
      await tx.learnings.recordInjected([item]);
      await tx.learnings.recordInjected([judged]);
      const kept = await tx.learnings.injected({ learningId: 'l-1' });
      await tx.learnings.forgetInjected('loop-1');
      return { kept, left: await tx.learnings.injected({}) };
    });
    expect(seen).toEqual({ kept: [judged], left: [] });
  });
}
