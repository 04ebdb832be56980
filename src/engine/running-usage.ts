import path from 'node:path';
import { isLoopwrightError } from '../core/error.ts';
import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import { openIteration, type Loop } from '../core/loop/loop.ts';
import type { PricedUsage } from '../core/price/price.ts';
import type { Engine } from './engine.ts';

const fileName = 'usage.json';
/** What an engine that dies can forget of an agent's spending is what was reported in this time. */
const everyMs = 250;

const Amount = lazy(() => z.number().nonnegative());
const TokenCounts = lazy(() =>
  z.object({
    input: Amount(),
    output: Amount(),
    cacheRead: Amount(),
    cacheWrite: Amount(),
  }),
);
const Kept = lazy(() =>
  z.object({
    try: z.number(),
    tokens: TokenCounts().nullable(),
    costUsd: Amount().nullable(),
    costSource: z.enum(['agent', 'configured', 'shipped']).nullable(),
    models: z.array(
      z.object({
        model: z.string().nullable(),
        tokens: TokenCounts(),
        costUsd: Amount().nullable(),
      }),
    ),
  }),
);

/** Keeps what a run has used so far beside its other files, for an engine that takes over from one that died. */
export class UsageKeeper {
  readonly #engine: Engine;
  readonly #file: string;
  readonly #attempt: number;
  #writtenAt: number | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(engine: Engine, dir: string, attempt: number) {
    this.#engine = engine;
    this.#file = path.join(dir, fileName);
    this.#attempt = attempt;
  }

  used({ tokens, costUsd, costSource, models }: PricedUsage): void {
    const now = this.#engine.clock.monotonic();
    if (this.#writtenAt !== null && now - this.#writtenAt < everyMs) return;
    this.#writtenAt = now;
    const kept = { try: this.#attempt, tokens, costUsd, costSource, models };
    this.#writing = this.#writing.then(() =>
      this.#engine.artifacts.write(this.#file, `${JSON.stringify(kept)}\n`),
    );
    // A disk that is full is noticed by the streams of the same run.
    this.#writing = this.#writing.catch(() => undefined);
  }

  /** Settles when nothing is being written any more. */
  async settled(): Promise<void> {
    await this.#writing;
  }
}

/** What the run under way had used when its engine died, as a fact; none when it ended in order or told nothing. */
export async function lostUsage(engine: Engine, loop: Loop): Promise<readonly LoopEvent[]> {
  const iteration = openIteration(loop);
  if (iteration === null || iteration.process === null) return [];
  const dir = await findDir(engine, loop, iteration.number);
  if (dir === null) return [];
  const text = await engine.artifacts.readTail(path.join(dir, fileName), 1024 * 1024);
  const kept = text === null ? null : parseKept(text);
  if (kept === null || kept.try !== iteration.tries) return [];
  const { try: _try, ...used } = kept;
  return [{ type: 'usage.added', purpose: 'work', ...used }];
}

/** Null when another folder is in its place: what is in there tells nothing of this run. */
async function findDir({ artifacts }: Engine, { id }: Loop, number: number) {
  try {
    return await artifacts.iterationDir(id, number);
  } catch (error) {
    if (isLoopwrightError(error) && error.code === 'artifacts.replaced') return null;
    throw error;
  }
}

/** Null for what an agent may have written in its place. */
function parseKept(text: string): z.infer<ReturnType<typeof Kept>> | null {
  try {
    return Kept().parse(JSON.parse(text));
  } catch {
    return null;
  }
}
