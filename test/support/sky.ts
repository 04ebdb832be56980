/** A model that is there or not, for tests of outages: what it answers, what it was asked, and what may never come of it. */
import { expect } from 'vitest';
import {
  startModelServer,
  type ModelServer,
} from '../../src/adapters/model-server/model-server.ts';
import { findScenario, type Ask, type Reply } from '../../src/adapters/model-server/scenario.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import type { GitRepo } from './git-repo.ts';
import { openedProject } from './opened-project.ts';

export type Weather =
  | 'up'
  | 'overloaded'
  | 'cut'
  | 'unsigned'
  | 'limited'
  | 'used-up'
  | 'unknown-model';

export type Call = {
  readonly at: number;
  readonly weather: Weather;
  readonly ask: Ask;
};

export class Sky {
  weather: Weather = 'up';
  /** What a model that is up does. */
  readonly #work: (ask: Ask) => Reply;
  /** Which requests have this weather; all others are answered. */
  isOver: (ask: Ask) => boolean = () => true;
  readonly calls: Call[] = [];

  constructor(work: (ask: Ask) => Reply = findScenario('ok') ?? (() => ({ kind: 'reset' }))) {
    this.#work = work;
  }

  readonly scenario = (ask: Ask): Reply => {
    const weather = this.isOver(ask) ? this.weather : 'up';
    this.calls.push({ at: Date.now(), weather, ask });
    switch (weather) {
      case 'up':
        return this.#work(ask);
      case 'overloaded':
        return { kind: 'status', status: 529 };
      case 'unsigned':
        return { kind: 'status', status: 401 };
      case 'limited':
        return { kind: 'status', status: 429, retryAfter: { form: 'text', text: '3' } };
      case 'used-up':
        return { kind: 'status', status: 429, problem: 'usage' };
      case 'unknown-model':
        return { kind: 'status', status: 404 };
      case 'cut':
        // An agent may ask for the same without a stream.
        return ask.isStream ? { kind: 'cut', text: 'This stream breaks.' } : { kind: 'reset' };
    }
  };

  serve(port = 0): Promise<ModelServer> {
    return startModelServer({ scenarios: { sky: this.scenario }, port });
  }

  /** Requests that were not answered. */
  get lost(): number {
    return this.calls.filter(({ weather }) => weather !== 'up').length;
  }

  /** Milliseconds until the first request that was answered from then on. */
  firstAfter(time: number): number {
    const first = this.calls.find(({ at, weather }) => weather === 'up' && at >= time);
    return (first?.at ?? Number.NaN) - time;
  }
}

export async function loopsOf(user: Pick<GitRepo, 'path' | 'env'>): Promise<readonly Loop[]> {
  await using opened = await openedProject(user, {});
  return opened.engine.store.read(async (tx) => {
    const rows = await tx.loops.list({});
    const loops = await Promise.all(rows.map(({ id }) => tx.loops.get(id)));
    return loops.filter((loop) => loop !== null);
  });
}

export async function addTasks(
  user: Pick<GitRepo, 'path' | 'env'>,
  tasks: readonly { readonly title: string; readonly type?: string }[],
): Promise<void> {
  await using opened = await openedProject(user, {});
  const { store, ids, clock } = opened.engine;
  for (const task of tasks) {
    await store.write((tx) => tx.tasks.add(ids.task(), { description: '', ...task }, clock.now()));
  }
}

export async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 50));
}

export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What an outage may never leave behind. */
export function expectUntouched(loops: readonly Loop[], count: number): void {
  expect(loops).toHaveLength(count);
  for (const loop of loops) {
    expect(loop).toMatchObject({ status: 'complete', consecutiveFailures: 0, errorStreak: 0 });
    const counted = loop.iterations.filter((each) => each.counted);
    expect(counted.map(({ outcome }) => outcome)).toEqual(['done']);
  }
}

/** Agents that were started, over all iterations. */
export function startedAgents(loops: readonly Loop[]): number {
  return loops
    .flatMap(({ iterations }) => iterations.map(({ tries }) => tries))
    .reduce((sum, tries) => sum + tries, 0);
}

export function figures(sky: Sky, loops: readonly Loop[], backAt: number): string {
  return [
    `${sky.calls.length} calls`,
    `${sky.lost} lost`,
    `${startedAgents(loops)} agents for ${loops.length} loops`,
    `first agent ${sky.firstAfter(backAt) / 1000} s after the provider was back`,
  ].join(', ');
}
