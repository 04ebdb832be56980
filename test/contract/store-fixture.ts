import { defaultSettings } from '../../src/core/config/schema.ts';
import type { LoopEvent } from '../../src/core/loop/event.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import type { Store } from '../../src/ports/store.ts';
import type { CreatedEvent } from '../support/arbitrary-loop-events.ts';

/** An empty store and ways to look at it from outside. One per test. */
export type StoreFixture = AsyncDisposable & {
  readonly store: Store;
  /** The same data as another process sees it. The fixture closes it. */
  open(): Promise<Store>;
  /** Changes a stored event behind the store's back; null removes it. */
  tamper(loopId: string, seq: number, data: string | null): Promise<void>;
};

export type StoreFactory = () => Promise<StoreFixture>;

export function createdEvent(loopId: string, taskId: string): CreatedEvent {
  return {
    type: 'loop.created',
    loopId,
    taskId,
    title: `Title of ${loopId}`,
    loopType: 'ralph',
    agent: 'scripted',
    settings: defaultSettings(),
    flags: {},
    prompt: {
      template: null,
      systemPrompt: null,
      inputs: {},
      required: [],
      defaults: {},
      source: 'default',
    },
    options: { inPlace: false, commit: true, verify: true, keepGoing: false, verifyOnly: false },
    workspace: {
      mode: 'worktree',
      path: `/worktrees/${loopId}`,
      branch: `loopwright/${loopId}`,
      base: 'b0',
      baseRef: 'main',
    },
    attemptsBefore: 0,
    consecutiveFailures: 0,
  };
}

/** Stores a task, if it is new, and a loop for it. */
export async function addLoop(store: Store, loopId: string, taskId = 't-1'): Promise<Loop> {
  return store.write(async (tx) => {
    if ((await tx.tasks.get(taskId)) === null) await tx.tasks.add(taskId, { title: taskId }, 1);
    return tx.loops.create(createdEvent(loopId, taskId), 1000);
  });
}

export async function addQueued(store: Store, loopId: string, dueAt: number): Promise<Loop> {
  const loop = await addLoop(store, loopId);
  await store.write((tx) => tx.queue.enqueue(loopId, dueAt));
  return loop;
}

/** Appends without a claim of the queue: the token of a loop that was never claimed is 0. */
export async function append(
  store: Store,
  loop: Loop,
  events: readonly LoopEvent[],
  token = 0,
): Promise<Loop> {
  const appended = await store.write((tx) =>
    tx.loops.append({ loop, token, time: 2000, elapsedMs: 5, events }),
  );
  return appended.loop;
}

export function startIteration(number: number, attempt = number): LoopEvent {
  return {
    type: 'iteration.started',
    number,
    attempt,
    startTree: `tree-${number}`,
    startHead: null,
  };
}

export function endIteration(number: number): LoopEvent {
  return {
    type: 'iteration.ended',
    number,
    status: 'completed',
    outcome: 'failed',
    counted: true,
    durationMs: 10,
    progress: {
      iteration: number,
      command: 'scripted',
      exitCode: 0,
      durationMs: 10,
      filesChanged: ['a.txt'],
      stdout: 'out',
      stderr: '',
    },
    why: null,
  };
}

/** The events of one whole iteration, as the engine appends them. */
export function wholeIteration(number: number): readonly LoopEvent[] {
  const report = {
    overall: { passed: false },
    levels: {},
    tree: `tree-${number}`,
    durationMs: 3,
  };
  return [
    startIteration(number),
    { type: 'model.chosen', model: 'medium', reason: 'the default' },
    { type: 'prompt.built', hash: 'abc', chars: 5000, injected: [], warnings: [] },
    { type: 'hooks.ran', when: 'pre', results: [] },
    { type: 'agent.started', process: null, try: 1 },
    {
      type: 'agent.ended',
      record: {
        kind: 'done',
        exitCode: 0,
        evidence: 'result',
        tokens: { input: 10, output: 20, cacheRead: 0, cacheWrite: 0 },
        costUsd: 0.25,
        turns: 3,
        contextPercent: 12,
        sessionId: null,
        durationMs: 1000,
        finalText: 'Did some of it.\n'.repeat(50),
        claim: null,
        summary: null,
        nextModel: null,
      },
    },
    { type: 'protected.restored', paths: [] },
    {
      type: 'snapshot.taken',
      tree: `tree-${number}`,
      commit: 'c1',
      head: 'c1',
      changes: { created: ['a.txt'], modified: [], deleted: [], renamed: [], lines: 3 },
      repaired: [],
    },
    { type: 'verification.started' },
    { type: 'verification.ended', report, differsFromBase: false },
    endIteration(number),
    { type: 'hooks.ran', when: 'post', results: [] },
    {
      type: 'decision.made',
      decision: {
        continue: true,
        reason: 'the checks failed',
        source: 'strategy',
        end: null,
        feedback: 'One check failed.',
        notice: null,
        metadata: {},
        inputs: {
          completion: 'no pass',
          strategy: { name: 'until-pass', continue: true, reason: 'no pass' },
          ladder: 'none',
          progress: null,
          stopConditions: [],
          counted: 1,
          maxIterations: 100,
        },
      },
    },
    { type: 'warning.raised', text: 'the base branch moved' },
  ];
}
