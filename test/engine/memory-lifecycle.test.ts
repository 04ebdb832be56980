import { describe, expect, it } from 'vitest';
import { mergeLearnings } from '../../src/core/memory/merge-learnings.ts';
import type { Learning } from '../../src/core/memory/learning.ts';
import { defaultSettings } from '../../src/core/config/schema.ts';
import { forgetLoop } from '../../src/engine/forget-loop.ts';
import { mergeMemory } from '../../src/engine/merge-memory.ts';
import { pruneMemory } from '../../src/engine/prune-memory.ts';
import type { NewLearning } from '../../src/ports/memory.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

const day = 86_400_000;

function newLearning(number: number, change: Partial<NewLearning> = {}): NewLearning {
  return {
    id: `l-${String(number).padStart(6, '0')}`,
    category: 'pitfall',
    content: `Lesson ${number}.`,
    tags: ['a', 'b'],
    origin: 'agent',
    status: 'active',
    createdAt: number * 1000,
    ...change,
  };
}

function stored(number: number, change: Partial<NewLearning> = {}): Learning {
  const blank = {
    taskId: null,
    loopId: null,
    iteration: null,
    paths: [],
    scope: null,
    signature: null,
    lastUsedAt: null,
    helpful: 0,
    harmful: 0,
    status: 'active' as const,
    byHand: false,
    staleAt: null,
    prunedAt: null,
    supersededBy: null,
  };
  return { ...blank, ...newLearning(number, change) };
}

describe('merging learnings', () => {
  it('puts those of a category together that share half of their tags', () => {
    const merges = mergeLearnings([
      stored(1, { helpful: 1 }),
      stored(2, { helpful: 3, tags: ['B', 'a'] }),
      stored(3, { category: 'other' }),
      stored(4, { tags: ['c', 'd', 'e'] }),
      stored(5, { tags: [] }),
    ]);
    expect(merges).toEqual([
      {
        originals: ['l-000001', 'l-000002'],
        merged: {
          category: 'pitfall',
          content: 'Lesson 2. Lesson 1.',
          tags: ['a', 'b'],
          paths: [],
          scope: null,
          signature: null,
          helpful: 4,
          harmful: 0,
          lastUsedAt: null,
        },
      },
    ]);
  });

  it('does not depend on the order they come in', () => {
    const learnings = Array.from({ length: 30 }, (_, index) =>
      stored(index + 1, { tags: ['a', `t${index % 3}`] }),
    );
    expect(mergeLearnings(learnings.toReversed())).toEqual(mergeLearnings(learnings));
  });

  it('makes none longer than a learning may be', () => {
    const learnings = Array.from({ length: 20 }, (_, index) =>
      stored(index + 1, { content: `${index} ${'x'.repeat(250)}` }),
    );
    for (const { merged } of mergeLearnings(learnings)) {
      expect(merged.content.length).toBeLessThanOrEqual(600);
    }
  });
});

describe('memory over time', () => {
  it('is merged when there is too much of it, keeps the originals, and can be taken apart again', async () => {
    shows('001.summarised-above');
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {});
    const { engine } = project;
    const settings = { ...defaultSettings().memory, 'summarise-above': 3 };
    const merge = () =>
      engine.store.write((tx) => mergeMemory(engine, tx, settings, engine.clock.now()));
    const add = (...learnings: readonly NewLearning[]) =>
      engine.store.write(async (tx) => {
        for (const learning of learnings) await tx.learnings.add(learning);
      });
    const loopId = 'loop-00000001';
    await add(newLearning(1), newLearning(2, { loopId }), newLearning(3, { byHand: true }));
    expect(await merge()).toBe(0);
    await add(newLearning(4, { category: 'other' }));
    expect(await merge()).toBe(1);
    // Not again before ten further iterations.
    await add(...[5, 6, 7, 8].map((number) => newLearning(number)));
    expect(await merge()).toBe(0);

    const merged = await engine.store.read(async (tx) => {
      const first = await tx.learnings.get('l-000001');
      return tx.learnings.get(first?.supersededBy ?? '');
    });
    expect(merged).toMatchObject({ origin: 'merge', content: 'Lesson 2. Lesson 1.' });
    const forgotten = await engine.store.write((tx) =>
      forgetLoop(tx, loopId, { demoteAfter: 3, now: 1 }),
    );
    expect(forgotten.learnings).toEqual(['l-000002']);
    const [first, second, gone] = await engine.store.read(async (tx) => [
      await tx.learnings.get('l-000001'),
      await tx.learnings.get('l-000002'),
      await tx.learnings.get(merged?.id ?? ''),
    ]);
    expect(first).toMatchObject({ status: 'active', supersededBy: null, prunedAt: null });
    expect([second, gone]).toEqual([null, null]);
  });

  it('takes back the votes of a forgotten loop, with the status they led to', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {});
    const loopId = 'loop-00000001';
    const voted = await project.engine.store.write(async (tx) => {
      await tx.learnings.add(newLearning(1, { helpful: 1 }));
      await tx.learnings.add(newLearning(2, { harmful: 3, status: 'demoted' }));
      await tx.learnings.add(newLearning(3, { helpful: 1, byHand: true }));
      const given = { taskId: null, withheld: false, injectedAt: 1, passed: true };
      const item = { ...given, loopId, iteration: 1 };
      await tx.learnings.recordInjected([
        { ...item, learningId: 'l-000001', position: 1, vote: 'helpful' },
        { ...item, learningId: 'l-000002', position: 2, vote: 'harmful' },
        { ...item, learningId: 'l-000003', position: 3, vote: 'helpful' },
      ]);
      const { votes } = await forgetLoop(tx, loopId, { demoteAfter: 3, now: 1 });
      return { votes, learnings: await tx.learnings.list({}) };
    });
    expect(voted.votes).toBe(3);
    expect(
      voted.learnings.map(({ id, status, helpful, harmful }) => [id, status, helpful, harmful]),
    ).toEqual([
      ['l-000003', 'active', 0, 0],
      ['l-000002', 'candidate', 0, 2],
      ['l-000001', 'candidate', 0, 0],
    ]);
  });

  it('gives up old learnings nobody used, and old attempts of finished tasks', async () => {
    shows('001.pruned-reports', '001.pruned-learnings', '001.learnings-soft-delete');
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x > work.txt',
      validate: 'test -f work.txt',
    });
    const { engine } = project;
    const loop = await project.runText('write it');
    const now = engine.clock.now();
    await engine.store.write(async (tx) => {
      await tx.learnings.add(newLearning(1, { createdAt: now - 91 * day }));
      await tx.learnings.add(
        newLearning(2, { createdAt: now - 91 * day, lastUsedAt: now - 5 * day }),
      );
      await tx.learnings.add(newLearning(3, { createdAt: now - 80 * day }));
    });
    const settings = defaultSettings();
    const soon = { ...settings, memory: { ...settings.memory, 'keep-reports': -60_000 } };
    const planned = await pruneMemory(engine, soon, { dryRun: true });
    expect(planned).toEqual({ attempts: 1, metrics: 0, learnings: ['l-000001'], artifacts: [] });
    expect(await pruneMemory(engine, soon, { dryRun: false })).toEqual(planned);
    const left = await engine.store.read(async (tx) => ({
      pruned: await tx.learnings.get('l-000001'),
      attempts: await tx.attempts.count(loop.taskId),
      metrics: await tx.attempts.metrics(loop.taskId),
    }));
    expect(left.pruned?.status).toBe('pruned');
    expect(left.attempts).toBe(0);
    expect(left.metrics).toMatchObject({ totalAttempts: 1, suggestedModel: 'default' });
    expect(await pruneMemory(engine, soon, { dryRun: false })).toMatchObject({ learnings: [] });
  });
});

describe('a learning that names a file', () => {
  it('becomes stale when a person changed that file since, and not when a loop of ours did', async () => {
    shows('001.staleness');
    await using repo = await gitRepo();
    await repo.write('src/by-hand.ts', 'one');
    await repo.write('src/by-loop.ts', 'one');
    await repo.commitAll('project');
    await using project = await openedProject(repo, {
      agent: 'command:echo two > src/by-loop.ts; echo "$LOOPWRIGHT_TASK" >> n.txt',
      validate: 'grep -q "$LOOPWRIGHT_TASK" n.txt',
      merge: 'local',
    });
    const { store } = project.engine;
    const first = await project.runText('one');
    expect(first.mergedInto).toBe('main');
    await store.write(async (tx) => {
      const paths = { hand: ['src/by-hand.ts'], loop: ['src/by-loop.ts'] };
      await tx.learnings.add(newLearning(1, { paths: paths.hand }));
      await tx.learnings.add(newLearning(2, { paths: paths.loop, loopId: first.id }));
    });
    await repo.write('src/by-hand.ts', 'two');
    await repo.commitAll('by hand');
    await project.runText('two');
    const learnings = await store.read((tx) => tx.learnings.list({}));
    const stale = learnings.map(({ id, staleAt }) => [id, staleAt !== null]);
    expect(Object.fromEntries(stale)).toEqual({ 'l-000001': true, 'l-000002': false });
  });
});
