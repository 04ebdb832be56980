import type { AgentOutcome } from '../../core/agent/outcome.ts';
import type { Clock } from '../../ports/clock.ts';

export type RunLimitValues = {
  /** 0: no limit. */
  readonly maxTurns: number;
  /** Null: the agent repeats requests as often as it likes. */
  readonly apiRetries: number | null;
};

/** A longer wait for the API is the engine's, and so is one whose length is not told once it has lasted as long. */
const longestOwnWaitMs = 10_000;

/**
 * Ends a run that begins one turn too many, since most agents have no such limit, and a run that repeats a request which the engine
 * should wait for: there the wait is visible, shared by all loops of the provider, and costs nothing. Passes the outer signal on.
 */
export class RunLimits implements Disposable {
  readonly #limits: RunLimitValues;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  readonly #pass = () => this.#controller.abort(this.#outer.reason);
  readonly #clock: Clock;
  #broken: 'turns' | 'retries' | null = null;
  #wait: AbortController | null = null;

  constructor(limits: RunLimitValues, outer: AbortSignal, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#outer = outer;
    if (outer.aborted) this.#pass();
    else outer.addEventListener('abort', this.#pass, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Turns so far. */
  taken(turns: number): void {
    const { maxTurns } = this.#limits;
    if (maxTurns > 0 && turns > maxTurns) this.#end('turns');
  }

  /** The agent is about to repeat a request for the so-manieth time, after so long a wait; null: it does not tell. */
  repeats(retries: number, waitMs: number | null): void {
    const { apiRetries } = this.#limits;
    if (apiRetries === null) return;
    if (retries > apiRetries || (waitMs ?? 0) > longestOwnWaitMs) this.#end('retries');
    else if (waitMs === null) this.#endLater();
  }

  /** Something else was told: no wait lasts any longer. */
  heard(): void {
    this.#wait?.abort();
    this.#wait = null;
  }

  /** A run that was ended for its retries ended as its stream says, `judged`; any other as `overruled` says. */
  judge(judged: AgentOutcome, overruled: AgentOutcome): AgentOutcome {
    if (this.#broken === null || overruled.kind !== 'interrupted') return overruled;
    if (this.#broken === 'turns') {
      const { maxTurns: turns } = this.#limits;
      const evidence = `ended after ${turns} turns, the turn limit`;
      return { ...overruled, kind: 'max_turns', turns, evidence };
    }
    return judged.kind === 'crashed' ? { ...judged, kind: 'api_error' } : judged;
  }

  #endLater(): void {
    const wait = new AbortController();
    this.#wait = wait;
    this.#clock.sleep(longestOwnWaitMs, wait.signal).then(
      () => this.#end('retries'),
      () => {
        // The wait ended by itself.
      },
    );
  }

  #end(limit: 'turns' | 'retries'): void {
    if (this.#outer.aborted || this.#broken !== null) return;
    this.#broken = limit;
    this.#controller.abort(new Error(`the limit of ${limit} is reached`));
  }

  [Symbol.dispose](): void {
    this.heard();
    this.#outer.removeEventListener('abort', this.#pass);
  }
}
