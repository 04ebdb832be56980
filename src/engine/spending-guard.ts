import { budgetsAbove, exceededBudget, unpricedBudget, warnAtShare } from '../core/loop/budget.ts';
import type { Loop } from '../core/loop/loop.ts';
import {
  isUnpriced,
  nothingUsed,
  priceUsage,
  type PricedUsage,
  type PriceLookup,
  type RunUsage,
} from '../core/price/price.ts';
import type { AgentRunResult } from '../ports/agent.ts';
import type { ShippedPrices } from '../ports/prices.ts';

export type SpendingListener = {
  /** Totals of the run so far, with what they cost. */
  used(usage: PricedUsage): void;
  /** Once for each thing a person should know. */
  warn(text: string): void;
};

/**
 * Knows what an agent run costs while it runs, warns before a budget of its loop is used up, and ends the run when it
 * is. Passes the outer cut on.
 */
export class SpendingGuard implements Disposable {
  readonly #loop: Loop;
  readonly #prices: ShippedPrices;
  readonly #outer: AbortSignal;
  readonly #listener: SpendingListener;
  readonly #controller = new AbortController();
  readonly #pass = () => this.#controller.abort(this.#outer.reason);
  readonly #warned = new Set<string>();
  #lookup: PriceLookup | null = null;
  #loading: Promise<void> | null = null;
  #reported: RunUsage;
  #broken: string | null = null;

  /** `model` is the one the run is started with; null: the agent's own choice. */
  constructor(
    loop: Loop,
    model: string | null,
    prices: ShippedPrices,
    outer: AbortSignal,
    listener: SpendingListener,
  ) {
    this.#loop = loop;
    this.#prices = prices;
    this.#outer = outer;
    this.#listener = listener;
    this.#reported = { tokens: null, costUsd: null, model };
    if (outer.aborted) this.#pass();
    else outer.addEventListener('abort', this.#pass, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the run for a budget that is not its loop's alone. */
  stop(why: string): void {
    this.#break(why);
  }

  /** Totals of the run so far, as the agent reports them. */
  spent(usage: RunUsage): void {
    this.#reported = { ...usage, model: usage.model ?? this.#reported.model };
    this.#look();
    this.#loadIfNeeded();
  }

  /**
   * What the whole run used and cost. A run that was ended for its spending says so; one that was cut before its last
   * word has used what it reported until then.
   */
  async judge(
    result: AgentRunResult,
  ): Promise<{ readonly result: AgentRunResult; readonly usage: PricedUsage }> {
    const { tokens, costUsd, model, models } = result.outcome;
    const last = this.#reported;
    this.#reported = {
      tokens: tokens ?? last.tokens,
      costUsd: costUsd ?? last.costUsd,
      model: model ?? last.model,
      ...(models === undefined ? {} : { models }),
    };
    this.#loadIfNeeded();
    await this.#loading;
    const usage = this.#price();
    this.#warn(usage);
    return { result: this.#overruled(result), usage };
  }

  #overruled(result: AgentRunResult): AgentRunResult {
    if (this.#broken === null || result.outcome.kind !== 'interrupted') return result;
    return { ...result, outcome: { ...result.outcome, kind: 'budget', evidence: this.#broken } };
  }

  #price(): PricedUsage {
    const { tokens, costUsd } = this.#reported;
    if (tokens === null && costUsd === null && this.#reported.models === undefined) {
      return { ...nothingUsed, model: this.#reported.model };
    }
    return priceUsage(this.#reported, this.#loop.settings.prices, this.#lookup ?? (() => null));
  }

  /** The price list is big: it is loaded when nobody else knows a price. */
  #loadIfNeeded(): void {
    if (this.#loading !== null || !isUnpriced(this.#price())) return;
    this.#loading = this.#prices.load().then(
      (lookup) => {
        this.#lookup = lookup;
        this.#look();
      },
      (error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        this.#warnOnce(`the shipped prices cannot be read: ${reason}`);
      },
    );
  }

  #look(): void {
    const usage = this.#price();
    this.#listener.used(usage);
    const exceeded = exceededBudget(this.#loop, usage);
    if (exceeded !== null) this.#break(`${exceeded} is used up`);
    else this.#warn(usage);
  }

  #warn(usage: PricedUsage): void {
    for (const text of budgetsAbove(this.#loop, warnAtShare, usage)) this.#warnOnce(text);
    const isKnown = this.#lookup !== null || !isUnpriced(usage);
    const text = isKnown ? unpricedBudget(this.#loop, usage) : null;
    if (text !== null) this.#warnOnce(text);
  }

  /** Each budget warns once in the life of a loop. */
  #warnOnce(text: string): void {
    const name = text.split(':')[0] ?? text;
    const isOld = this.#loop.warnings.some((warning) => warning.startsWith(name));
    if (isOld || this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#listener.warn(text);
  }

  #break(why: string): void {
    if (this.#broken !== null || this.#outer.aborted) return;
    this.#broken = why;
    this.#controller.abort(new Error(why));
  }

  [Symbol.dispose](): void {
    this.#outer.removeEventListener('abort', this.#pass);
  }
}
