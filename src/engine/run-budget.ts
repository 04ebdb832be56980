import { totalTokens } from '../core/agent/outcome.ts';
import {
  admit,
  changeLedger,
  createLedger,
  hasLimits,
  nearLimit,
  spentText,
  toCut,
  usedSoFar,
  type Amount,
  type Candidate,
  type Ledger,
  type LedgerChange,
  type LedgerLimits,
} from '../core/budget/ledger.ts';
import type { Settings } from '../core/config/schema.ts';
import { warnAtShare } from '../core/loop/budget.ts';
import type { PricedUsage } from '../core/price/price.ts';
import type { Clock } from '../ports/clock.ts';
import type { LiveEvent, LiveListener } from '../ports/live.ts';
import type { Store } from '../ports/store.ts';

export type RunBudgetInput = {
  readonly clock: Clock;
  readonly store: Store;
  readonly publish: LiveListener;
  readonly limits: LedgerLimits;
};

type Usage = Pick<PricedUsage, 'tokens' | 'costUsd'>;
type Waiter = { readonly order: number; readonly look: () => void };

const dayMs = 86_400_000;
const minuteMs = 60_000;

/**
 * The budget of one run or one life of a daemon, and of the day: the pure ledger with those who wait for it. A loop reserves
 * before each iteration and tells when that has ended, on every path.
 */
export class RunBudget implements Disposable {
  readonly #input: RunBudgetInput;
  readonly #began: number;
  #ledger: Ledger;
  readonly #cuts = new Map<string, (why: string) => void>();
  readonly #waiters = new Set<Waiter>();
  #timer: AbortController | null = null;
  #exhausted = new AbortController();
  readonly #listeners = new Set<() => void>();
  #isWarned = false;
  /** Something was let start: from then on the time is watched. */
  #hasBegun = false;

  constructor(input: RunBudgetInput) {
    this.#input = input;
    this.#began = input.clock.monotonic();
    this.#ledger = createLedger(input.limits);
  }

  get isLimited(): boolean {
    return hasLimits(this.#ledger.limits);
  }

  get limits(): LedgerLimits {
    return this.#ledger.limits;
  }

  set limits(limits: LedgerLimits) {
    if (JSON.stringify(limits) === JSON.stringify(this.limits)) return;
    this.#tell({ type: 'limits', limits });
    this.#stopTimer();
    if (this.#hasBegun) this.#watchTime();
  }

  /** Used by this run, and by all runs of the day as far as that was looked at. */
  get used(): Amount & { readonly dayUsd: number } {
    return usedSoFar(this.#ledger);
  }

  /**
   * Aborted as soon as nothing may start any more, for one wait: a wait for something else need not go on then. When there is room
   * again the next wait gets another signal. What outlasts that uses `onExhausted`.
   */
  get exhausted(): AbortSignal {
    return this.#exhausted.signal;
  }

  /** Calls back each time the budget is used up: a limit that was raised, or a new day, makes room in between. */
  onExhausted(listener: () => void): Disposable {
    // A function of its own: the same listener may be there twice.
    const entry = () => listener();
    this.#listeners.add(entry);
    return { [Symbol.dispose]: () => void this.#listeners.delete(entry) };
  }

  holds(id: string): boolean {
    return this.#ledger.running.has(id);
  }

  /** True: reserved. False: the budget does not allow it. Rejects with the signal's reason, and reserves nothing. */
  async reserve(
    id: string,
    candidate: Candidate & { readonly order: number },
    signal: AbortSignal,
  ): Promise<boolean> {
    while (!this.holds(id)) {
      signal.throwIfAborted();
      if (this.isLimited) await this.#look();
      signal.throwIfAborted();
      const answer = admit(this.#ledger, id, candidate);
      if (answer.kind === 'admitted') {
        this.#ledger = answer.ledger;
        this.#hasBegun = true;
        this.#watchTime();
        return true;
      }
      if (answer.kind === 'refused') {
        this.#ledger = answer.ledger;
        this.#noteExhausted();
        this.#wake();
        return false;
      }
      await this.#change(candidate.order, signal);
    }
    return true;
  }

  /** Calls back when the iteration of this loop must end now. */
  onCut(id: string, cut: (why: string) => void): Disposable {
    this.#cuts.set(id, cut);
    return { [Symbol.dispose]: () => void this.#cuts.delete(id) };
  }

  /** Totals of the iteration under way. */
  spend(id: string, usage: Usage): void {
    this.#tell({ type: 'used', id, amount: amountOf(usage) });
  }

  /** The iteration has ended; `usage` null: with what it has told. `counts`: it says what such an iteration costs. */
  ended(id: string, usage: Usage | null, counts: boolean): void {
    if (!this.holds(id)) return;
    const amount = amountOf(usage ?? { tokens: null, costUsd: null });
    this.#tell({ type: 'ended', id, amount, counts });
  }

  /** To be called with every live event: judges and summaries use something beside iterations. */
  observe(event: LiveEvent): void {
    if (event.kind !== 'recorded' || event.recorded.event.type !== 'usage.added') return;
    const { purpose, tokens, costUsd } = event.recorded.event;
    // Of work it is what an engine that died has lost: it belongs to that one's run.
    if (purpose !== 'work') this.#tell({ type: 'added', amount: amountOf({ tokens, costUsd }) });
  }

  /** Why nothing may start any more, in words; null while something may. */
  async spent(): Promise<string | null> {
    if (!this.isLimited) return null;
    await this.#look();
    return spentText(this.#ledger);
  }

  /** When some of the day's use will be older than 24 hours, UTC to the minute; null: the day has no limit or no use. */
  async dayRoomAt(): Promise<number | null> {
    const { clock, store } = this.#input;
    const { dayCostUsd } = this.limits;
    const now = clock.now();
    const costSince = (time: number) => store.read((tx) => tx.loops.costSince(time));
    const used = await costSince(now - dayMs);
    if (dayCostUsd === null || used <= 0) return null;
    const isLess = async (time: number) => (await costSince(time)) < Math.min(used, dayCostUsd);
    let [tooMuch, less] = [now - dayMs, now];
    while (less - tooMuch > minuteMs) {
      const middle = Math.round((tooMuch + less) / 2);
      if (await isLess(middle)) less = middle;
      else tooMuch = middle;
    }
    return less + dayMs;
  }

  async #look(): Promise<void> {
    const { clock, store } = this.#input;
    if (this.limits.durationMs !== null) {
      this.#tell({ type: 'time', elapsedMs: clock.monotonic() - this.#began });
    }
    if (this.limits.dayCostUsd === null) return;
    const since = clock.now() - dayMs;
    const costUsd = await store.read((tx) => tx.loops.costSince(since));
    this.#tell({ type: 'day', costUsd });
  }

  #tell(change: LedgerChange): void {
    this.#ledger = changeLedger(this.#ledger, change);
    const why = this.#noteExhausted();
    for (const id of toCut(this.#ledger)) this.#cuts.get(id)?.(why ?? 'the budget is used up');
    this.#warn();
    // A look of one who waits changes nothing for the others: they would wake each other for ever.
    if (change.type === 'ended' || change.type === 'limits' || why !== null) this.#wake();
  }

  #noteExhausted(): string | null {
    const why = spentText(this.#ledger);
    const wasExhausted = this.exhausted.aborted;
    if (why !== null && !wasExhausted) {
      this.#exhausted.abort();
      for (const listener of this.#listeners) listener();
    }
    // The limit was raised, or the day went on.
    if (why === null && wasExhausted) this.#exhausted = new AbortController();
    return why;
  }

  #warn(): void {
    const near = this.#isWarned ? null : nearLimit(this.#ledger, warnAtShare);
    if (near === null) return;
    this.#isWarned = true;
    this.#input.publish({ kind: 'notice', text: `warning: ${near}` });
  }

  #wake(): void {
    const inOrder = [...this.#waiters].toSorted((a, b) => a.order - b.order);
    this.#waiters.clear();
    for (const { look } of inOrder) look();
  }

  async #change(order: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => resolve();
    const waiter = { order, look };
    this.#waiters.add(waiter);
    signal.addEventListener('abort', look, { once: true });
    await promise;
    signal.removeEventListener('abort', look);
    this.#waiters.delete(waiter);
  }

  /** The time of a run ends while agents work or wait for their provider: those that report are cut then. */
  #watchTime(): void {
    const { durationMs } = this.limits;
    if (durationMs === null || this.#timer !== null) return;
    const timer = new AbortController();
    this.#timer = timer;
    const { clock } = this.#input;
    const watch = async () => {
      for (;;) {
        const left = durationMs - (clock.monotonic() - this.#began);
        this.#tell({ type: 'time', elapsedMs: clock.monotonic() - this.#began });
        if (left <= 0) return;
        await clock.sleep(left, timer.signal);
      }
    };
    watch().catch(() => {
      // Aborted: the limits have changed, or the engine is closed.
    });
  }

  #stopTimer(): void {
    this.#timer?.abort();
    this.#timer = null;
  }

  [Symbol.dispose](): void {
    this.#stopTimer();
  }
}

function amountOf({ tokens, costUsd }: Usage): Amount {
  return { costUsd: costUsd ?? 0, tokens: tokens === null ? 0 : totalTokens(tokens) };
}

/** What the configuration allows; 0 is no limit. */
export function budgetLimitsOf({ budget }: Pick<Settings, 'budget'>): LedgerLimits {
  return {
    costUsd: limitOf(budget.run['max-cost-usd']),
    tokens: limitOf(budget.run['max-tokens']),
    durationMs: limitOf(budget.run['max-duration']),
    dayCostUsd: limitOf(budget.day['max-cost-usd']),
  };
}

function limitOf(value: number | null): number | null {
  return value === 0 ? null : value;
}
