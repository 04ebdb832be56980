import { createRandom } from '../../src/adapters/clock/seeded-random.ts';
import { isWithheld } from '../../src/core/memory/rank/hold-out.ts';
import { estimateLift, type Lift } from '../../src/core/memory/rank/lift.ts';
import type { Learning, LearningStatus } from '../../src/core/memory/learning.ts';
import { countChars } from '../../src/core/text/code-points.ts';
import { defaultMemoryBudget, renderMemory } from '../../src/core/memory/render-memory.ts';
import { statusFromVotes } from '../../src/core/memory/votes.ts';
import type { Random } from '../../src/ports/clock.ts';
import type { Store, StoreTx } from '../../src/ports/store.ts';

/** What a simulated year came to. */
export type Year = {
  readonly iterations: number;
  readonly learnings: Readonly<Record<LearningStatus, number>>;
  /** CPU milliseconds of each search. */
  readonly searches: readonly number[];
  /** Characters of each memory block that was not empty. */
  readonly blocks: readonly number[];
  /** Of useful, useless and harmful learnings about the task's own subject. */
  readonly lifts: Readonly<Record<Kind, Lift>>;
  /** Share of each kind's learnings that are demoted. */
  readonly demoted: Readonly<Record<Kind, number>>;
};

type Kind = 'useful' | 'useless' | 'harmful';
type Trial = { readonly withheld: boolean; readonly succeeded: boolean };

const day = 86_400_000;
const perTask = 5;
const start = Date.UTC(2026, 0, 1);
/** The lifecycle's defaults: older than 90 days and unused for 30. */
const keep = { created: 90 * day, unused: 30 * day };

/**
 * Tasks over 365 days, five iterations each, on the real store, index, rendering, hold-out and votes. The agent is a
 * scripted one: it succeeds in a quarter of its iterations, in over half with a useful learning about the subject at
 * hand, in a tenth with a harmful one. Of its failures, every eighth leaves a learning. Repeats for the same seed.
 */
export async function simulateYear(store: Store, tasks: number, seed = 1): Promise<Year> {
  const world = createWorld(createRandom(seed), Math.max(20, Math.round(tasks / 25)));
  for (let task = 0; task < tasks; task++) {
    const now = start + Math.floor((task * 365 * day) / tasks);
    const isWeek = task % Math.max(1, Math.round(tasks / 52)) === 0;
    await store.write(async (tx) => {
      const subject = Math.floor(world.random.next() * world.subjects.length);
      for (let i = 1; i <= perTask; i++) await iterate(tx, world, { task, subject, i, now });
      if (isWeek) await prune(tx, now);
    });
  }
  return summarise(store, world, tasks);
}

type Subject = { readonly words: readonly string[]; readonly path: string };
type World = {
  readonly random: Random;
  readonly subjects: readonly Subject[];
  /** What each learning is in truth, and about what. */
  readonly truth: Map<string, { readonly kind: Kind; readonly subject: number }>;
  readonly trials: Readonly<Record<Kind, Trial[]>>;
  readonly searches: number[];
  readonly blocks: number[];
};

function createWorld(random: Random, count: number): World {
  const subjects = Array.from({ length: count }, () => {
    const words = Array.from({ length: 6 }, () => name(random));
    return { words, path: `src/${words[0]}/${words[1]}.ts` };
  });
  const trials = { useful: [], useless: [], harmful: [] };
  return { random, subjects, truth: new Map(), trials, searches: [], blocks: [] };
}

function name(random: Random): string {
  const syllables = ['ba', 'ko', 'lu', 'mi', 'ne', 'ra', 'so', 'ti', 'va', 'ze', 'du', 'fo'];
  const pick = () => syllables[Math.floor(random.next() * syllables.length)] ?? '';
  return pick() + pick() + pick() + pick();
}

type Step = {
  readonly task: number;
  readonly subject: number;
  readonly i: number;
  readonly now: number;
};

function loopOf({ task }: Step): string {
  return `loop-${task}`;
}

async function iterate(tx: StoreTx, world: World, step: Step): Promise<void> {
  const { random, truth } = world;
  const found = await search(tx, world, step);
  const isHeld = ({ id }: Learning) => isWithheld(loopOf(step), step.i, id);
  const given = found.filter((learning) => !isHeld(learning));
  measureBlock(world, given, step);
  const kindOf = ({ id }: Learning): Kind | null => {
    const known = truth.get(id);
    return known?.subject === step.subject ? known.kind : null;
  };
  const isHarmed = given.some((learning) => kindOf(learning) === 'harmful');
  const isHelped = given.some((learning) => kindOf(learning) === 'useful');
  const succeeded = random.next() < (isHarmed ? 0.1 : isHelped ? 0.55 : 0.25);
  const breaks = !succeeded && random.next() < (isHarmed ? 0.5 : 0.05);
  for (const learning of found) {
    const kind = kindOf(learning);
    const withheld = isHeld(learning);
    if (kind !== null) world.trials[kind].push({ withheld, succeeded });
    if (!withheld) await vote(tx, learning, { succeeded, breaks, step });
  }
  if (!succeeded && random.next() < 0.125) await teach(tx, world, step);
}

async function search(tx: StoreTx, world: World, step: Step): Promise<readonly Learning[]> {
  const { words, path } = world.subjects[step.subject] ?? { words: [], path: '' };
  const query = {
    title: `Fix ${words[2]} in ${words[0]}`,
    description: `The ${words[3]} of ${path} fails since ${words[4]} was changed.`,
    signature: null,
    scope: null,
    limit: 5,
    now: step.now,
  };
  const before = process.cpuUsage();
  const results = await tx.learningIndex.search(query);
  const { user, system } = process.cpuUsage(before);
  world.searches.push((user + system) / 1000);
  const learnings = await Promise.all(results.map(({ id }) => tx.learnings.get(id)));
  return learnings.filter((learning) => learning !== null);
}

function measureBlock({ blocks }: World, learnings: readonly Learning[], { i }: Step): void {
  const status = {
    iteration: i,
    maxIterations: 100,
    attempt: i,
    consecutiveFailures: 0,
    runTotal: 0,
    runSuccesses: 0,
    model: 'default',
    modelReason: '',
    stuckAfter: 3,
  };
  const { text } = renderMemory({ attempts: [], learnings, status, budget: defaultMemoryBudget });
  if (text !== '') blocks.push(countChars(text));
}

type Outcome = { readonly succeeded: boolean; readonly breaks: boolean; readonly step: Step };

/** As the engine votes: a loop does not confirm what it wrote itself. */
async function vote(tx: StoreTx, learning: Learning, outcome: Outcome): Promise<void> {
  const isOwn = learning.loopId === loopOf(outcome.step);
  const votes = {
    helpful: learning.helpful + (outcome.succeeded && !isOwn ? 1 : 0),
    harmful: learning.harmful + (outcome.breaks ? 1 : 0),
  };
  const status = statusFromVotes({ ...learning, ...votes }, 3);
  await tx.learnings.edit(learning.id, {
    lastUsedAt: outcome.step.now,
    ...votes,
    ...(status === learning.status ? {} : { status }),
  });
}

async function teach(tx: StoreTx, { random, subjects, truth }: World, step: Step): Promise<void> {
  const { words, path } = subjects[step.subject] ?? { words: [], path: '' };
  const chance = random.next();
  const kind = chance < 0.5 ? 'useful' : chance < 0.85 ? 'useless' : 'harmful';
  const id = `l-${step.task}-${step.i}`;
  const own = Array.from({ length: 6 }, () => name(random)).join(' ');
  truth.set(id, { kind, subject: step.subject });
  await tx.learnings.add({
    id,
    category: 'pitfall',
    origin: 'agent',
    loopId: loopOf(step),
    createdAt: step.now,
    content: `${words[0]} ${words[2]} needs ${words[5]}: ${own}`,
    tags: [path],
    paths: [path],
  });
}

async function prune(tx: StoreTx, now: number): Promise<void> {
  const old = { createdBefore: now - keep.created, usedBefore: now - keep.unused };
  for (const id of await tx.learnings.findOld(old)) {
    await tx.learnings.edit(id, { status: 'pruned', prunedAt: now });
  }
}

async function summarise(store: Store, world: World, tasks: number): Promise<Year> {
  const { learnings, demoted } = await store.read(async (tx) => ({
    learnings: await tx.learnings.countByStatus(),
    demoted: await tx.learnings.list({ statuses: ['demoted'] }),
  }));
  const total = (kind: Kind) => [...world.truth.values()].filter((each) => each.kind === kind);
  return {
    iterations: tasks * perTask,
    learnings,
    searches: world.searches,
    blocks: world.blocks,
    lifts: perKind((kind) => estimateLift(world.trials[kind])),
    demoted: perKind((kind) => {
      const own = demoted.filter(({ id }) => world.truth.get(id)?.kind === kind);
      return own.length / Math.max(1, total(kind).length);
    }),
  };
}

function perKind<T>(of: (kind: Kind) => T): Readonly<Record<Kind, T>> {
  return { useful: of('useful'), useless: of('useless'), harmful: of('harmful') };
}
