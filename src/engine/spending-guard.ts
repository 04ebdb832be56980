import { totalTokens, type AgentOutcome } from '../core/agent/outcome.ts';
import { loopCost, loopTokens, type Loop } from '../core/loop/loop.ts';
import type { AgentRunResult } from '../ports/agent.ts';

/** Ends an agent run as soon as the usage it reports breaks a budget of its loop. Passes the outer cut on. */
export class SpendingGuard implements Disposable {
  readonly #loop: Loop;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  readonly #pass = () => this.#controller.abort(this.#outer.reason);
  #broken: string | null = null;

  constructor(loop: Loop, outer: AbortSignal) {
    this.#loop = loop;
    this.#outer = outer;
    if (outer.aborted) this.#pass();
    else outer.addEventListener('abort', this.#pass, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Totals of the run so far. */
  spent(tokens: AgentOutcome['tokens'], costUsd: number | null): void {
    const { 'max-cost-usd': maxCost, 'max-tokens': maxTokens } = this.#loop.settings.budget;
    const cost = (loopCost(this.#loop) ?? 0) + (costUsd ?? 0);
    const earlier = loopTokens(this.#loop);
    const used =
      (earlier === null ? 0 : totalTokens(earlier)) + (tokens === null ? 0 : totalTokens(tokens));
    if (isOver(cost, maxCost)) this.#break('the cost budget is used up');
    else if (isOver(used, maxTokens)) this.#break('the token budget is used up');
  }

  /** A run that was ended for its spending says so. */
  judge(result: AgentRunResult): AgentRunResult {
    if (this.#broken === null || result.outcome.kind !== 'interrupted') return result;
    return { ...result, outcome: { ...result.outcome, kind: 'budget', evidence: this.#broken } };
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

function isOver(used: number, limit: number | null): boolean {
  return limit !== null && limit > 0 && used >= limit;
}
