import { ranIterations } from '../core/loop/loop.ts';
import type { OutageState } from '../core/outage/outage-view.ts';
import type { Dispatcher } from '../engine/dispatcher.ts';
import type { Engine } from '../engine/engine.ts';
import type { LiveEvent } from '../ports/live.ts';
import type { Session } from '../ports/store.ts';
import type { DaemonStatus, Health } from '../protocol/http/payload.ts';
import { protocolVersion } from '../protocol/http/route.ts';
import { isoTime, isoTimeOrNull, roundUsd } from '../protocol/value.ts';
import type { Backend } from '../server/backend.ts';
import type { EventStreams } from '../server/event-stream.ts';

export type LifeInput = {
  readonly id: string;
  readonly engine: Engine;
  readonly session: Session;
  readonly dispatcher: Dispatcher;
  readonly streams: EventStreams;
  readonly drainMs?: number;
  readonly log: (text: string) => void;
  /** What the log says of an outage; null or absent: nothing. */
  readonly outageNews?: (outage: OutageState, isOver: boolean) => string | null;
};

const defaultDrainMs = 60_000;

/**
 * What a daemon is doing, and how it ends. Running until it is asked to end; then draining: loops finish their iteration;
 * then, asked again or after a while, cutting.
 */
export class DaemonLife implements Backend {
  readonly engine: Engine;
  readonly session: Session;
  readonly #input: LifeInput;
  readonly #asked = new AbortController();
  readonly #cut = new AbortController();

  constructor(input: LifeInput) {
    this.#input = input;
    this.engine = input.engine;
    this.session = input.session;
  }

  /** Aborted when it was asked to end. */
  get asked(): AbortSignal {
    return this.#asked.signal;
  }

  shutdown(now: boolean): void {
    const { dispatcher, log } = this.#input;
    const isSecond = this.#asked.signal.aborted;
    if (isSecond || now) {
      if (!this.#cut.signal.aborted) log('ending now: iterations are cut short, files are kept');
      dispatcher.interrupt('cut');
      this.#cut.abort();
    } else {
      log('ending: iterations under way come to their end; a second signal cuts them short');
      dispatcher.interrupt('finish');
    }
    this.#asked.abort();
  }

  /** Settles when nothing is driven any more; after a while what is left is cut short. */
  async drained(): Promise<void> {
    const { dispatcher, drainMs = defaultDrainMs } = this.#input;
    const settled = dispatcher.settled();
    const done = new AbortController();
    const late = this.engine.clock.sleep(drainMs, done.signal).then(
      () => this.shutdown(true),
      () => {
        // Everything came to its end in time.
      },
    );
    await settled;
    done.abort();
    await late;
  }

  health(): Health {
    return {
      id: this.#input.id,
      version: this.engine.version,
      protocol: protocolVersion,
      pid: this.session.process.pid,
      state: this.#state(),
      startedAt: isoTime(this.session.startedAt),
    };
  }

  #state(): Health['state'] {
    if (this.#cut.signal.aborted) return 'cutting';
    return this.#asked.signal.aborted ? 'draining' : 'running';
  }

  takeReady(): void {
    const { dispatcher, log } = this.#input;
    if (!dispatcher.takesReady) log('takes every task that is ready from now on');
    dispatcher.takesReady = true;
    dispatcher.wake();
  }

  async status(): Promise<DaemonStatus> {
    const { dispatcher, streams } = this.#input;
    return {
      ...this.health(),
      takesReady: dispatcher.takesReady,
      limits: dispatcher.limits,
      driven: dispatcher.driven.map((loop) => {
        return {
          loop: loop.id,
          task: loop.taskId,
          title: loop.title,
          status: loop.status,
          reason: loop.reason,
          iterations: ranIterations(loop).length,
          waitingUntil: isoTimeOrNull(loop.wait?.until ?? null),
        };
      }),
      waiting: dispatcher.waiting,
      refused: [...dispatcher.refusals],
      problem: dispatcher.problem,
      budget: await this.#budget(),
      readers: streams.readers,
    };
  }

  async #budget(): Promise<DaemonStatus['budget']> {
    const { budget } = this.engine;
    const { costUsd, tokens } = budget.used;
    const { limits } = budget;
    return {
      costUsd: roundUsd(costUsd),
      tokens,
      maxCostUsd: limits.costUsd,
      maxTokens: limits.tokens,
      maxDurationMs: limits.durationMs,
      spent: await budget.spent(),
    };
  }

  /** The log tells how loops begin and end, and what all of them wait for; the rest is in the store. */
  tell(event: LiveEvent): void {
    const { log, outageNews } = this.#input;
    if (event.kind === 'notice') log(event.text);
    if (event.kind === 'outage') {
      const news = outageNews?.(event.outage, event.isOver) ?? null;
      if (news !== null) log(news);
    }
    if (event.kind !== 'recorded') return;
    const { loop, recorded } = event;
    const { event: fact } = recorded;
    if (fact.type === 'loop.started' || fact.type === 'loop.resumed') {
      log(`${loop.id} ${loop.status}: ${loop.title}`);
    }
    if (fact.type === 'loop.merged') log(`${loop.id} merged`);
    if (fact.type === 'loop.rested') {
      log(`${loop.id} ${loop.status} (${loop.reason ?? ''}): ${fact.text}`);
    }
  }
}
