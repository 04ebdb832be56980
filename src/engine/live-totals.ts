import { nothingUsed, type PricedUsage } from '../core/price/price.ts';
import type { Engine } from './engine.ts';

/** Tells whoever watches what the run under way has used, whenever that changes. */
export class LiveTotals {
  readonly #engine: Pick<Engine, 'publish'>;
  readonly #loopId: string;
  #usage: Pick<PricedUsage, 'tokens' | 'costUsd'> = nothingUsed;
  #turns: number | null = null;

  constructor(engine: Pick<Engine, 'publish'>, loopId: string) {
    this.#engine = engine;
    this.#loopId = loopId;
  }

  used(usage: PricedUsage): void {
    this.#usage = usage;
    this.#publish();
  }

  taken(turns: number): void {
    this.#turns = turns;
    this.#publish();
  }

  #publish(): void {
    const { tokens, costUsd } = this.#usage;
    const turns = this.#turns;
    this.#engine.publish({ kind: 'usage', loopId: this.#loopId, tokens, costUsd, turns });
  }
}
