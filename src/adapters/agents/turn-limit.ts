import type { AgentOutcome } from '../../core/agent/outcome.ts';

/** Ends a run that begins one turn too many, since most agents have no such limit. Passes the outer signal on. */
export class TurnLimit implements Disposable {
  readonly #max: number;
  readonly #outer: AbortSignal;
  readonly #controller = new AbortController();
  readonly #pass = () => this.#controller.abort(this.#outer.reason);
  #isBroken = false;

  /** 0 is no limit. */
  constructor(max: number, outer: AbortSignal) {
    this.#max = max;
    this.#outer = outer;
    if (outer.aborted) this.#pass();
    else outer.addEventListener('abort', this.#pass, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  taken(turns: number): void {
    if (this.#max === 0 || turns <= this.#max || this.#outer.aborted || this.#isBroken) return;
    this.#isBroken = true;
    this.#controller.abort(new Error('the turn limit is reached'));
  }

  /** A run that was ended for its turns says so. */
  judge(outcome: AgentOutcome): AgentOutcome {
    if (!this.#isBroken || outcome.kind !== 'interrupted') return outcome;
    const evidence = `ended after ${this.#max} turns, the turn limit`;
    return { ...outcome, kind: 'max_turns', turns: this.#max, evidence };
  }

  [Symbol.dispose](): void {
    this.#outer.removeEventListener('abort', this.#pass);
  }
}
