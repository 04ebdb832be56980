import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ModelKnowledge } from '../../core/preflight/model-knowledge.ts';
import type { Clock } from '../../ports/clock.ts';
import { askForModel, type AskedFrom, type ModelSource } from './model-question.ts';
import { ownPid } from '../process/own-process.ts';

export type ModelAsk = {
  readonly source: ModelSource;
  readonly model: string;
  readonly from: AskedFrom;
};

type Options = {
  /** Where answers are kept from one run to the next. */
  readonly folder: string;
  readonly clock: Clock;
  readonly tell: (text: string) => void;
};

/** A run is not kept waiting for longer. */
const programWaitMs = 15_000;
const endpointWaitMs = 2000;
/** Waiting that a person notices is said. */
const silentMs = 1500;

const dayMs = 86_400_000;
/** How long an answer is taken for true without asking again. A plain no is asked for every time. */
const keptMs = { known: 7 * dayMs, unsure: dayMs / 24 } as const;

/**
 * What agents say about models. Each is asked once: the answer is kept, and one that comes late is there for the next run.
 * Disposing ends questions that are still open.
 */
export class KnownModels implements AsyncDisposable {
  readonly #options: Options;
  readonly #closing = new AbortController();
  readonly #asked = new Map<string, Promise<ModelKnowledge>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Settles within seconds, with `unsure` when nothing is known by then; `onLate` hears of an answer after that. */
  async ask(ask: ModelAsk, onLate: (answer: ModelKnowledge) => void): Promise<ModelKnowledge> {
    const key = keyOf(ask);
    const kept = await this.#read(key);
    if (kept !== null) return kept;
    const answer = this.#asked.get(key) ?? this.#start(key, ask);
    const waitMs = ask.source.kind === 'program' ? programWaitMs : endpointWaitMs;
    const first = await this.#within(answer, Math.min(silentMs, waitMs));
    if (first !== null) return first;
    this.#options.tell(`asking ${askedOf(ask)} whether it knows the model ${ask.model}`);
    const second = await this.#within(answer, waitMs - silentMs);
    if (second !== null) return second;
    // The next run does not wait for it again, unless the answer comes after all.
    await this.#keep(key, 'unsure');
    void answer.then(onLate);
    return { kind: 'unsure' };
  }

  #start(key: string, ask: ModelAsk): Promise<ModelKnowledge> {
    const { source, model, from } = ask;
    const answer = askForModel(source, model, from, this.#closing.signal)
      // An agent that cannot be asked is one that says nothing: whoever starts it finds out why.
      .catch((): ModelKnowledge => ({ kind: 'unsure' }))
      .then(async (knowledge) => {
        if (!this.#closing.signal.aborted) await this.#keep(key, knowledge.kind);
        // What is wrong may be put right, and is asked for again.
        if (knowledge.kind === 'unknown') this.#asked.delete(key);
        return knowledge;
      });
    this.#asked.set(key, answer);
    return answer;
  }

  /** Null: not in time. */
  async #within(answer: Promise<ModelKnowledge>, waitMs: number): Promise<ModelKnowledge | null> {
    const done = new AbortController();
    const late = this.#options.clock.sleep(waitMs, done.signal).then(
      () => null,
      () => null,
    );
    const first = await Promise.race([answer, late]);
    done.abort();
    return first;
  }

  async #read(key: string): Promise<ModelKnowledge | null> {
    // Without the file, or with half of one, the question is asked again.
    const text = await readFile(this.#file(key), 'utf8').catch(() => '');
    const [kind, time] = text.split(' ');
    if (kind !== 'known' && kind !== 'unsure') return null;
    const age = this.#options.clock.now() - Number(time);
    return age >= 0 && age < keptMs[kind] ? { kind } : null;
  }

  /** A cache that cannot be written is asked for again, and nothing else is lost. */
  async #keep(key: string, kind: ModelKnowledge['kind']): Promise<void> {
    const file = this.#file(key);
    const fresh = `${file}.${ownPid}`;
    try {
      if (kind === 'unknown') {
        await rm(file, { force: true });
        return;
      }
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await writeFile(fresh, `${kind} ${this.#options.clock.now()}`, { mode: 0o600 });
      await rename(fresh, file);
    } catch {
      // Read-only or full.
    }
  }

  #file(key: string): string {
    return path.join(this.#options.folder, key);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#asked.values());
  }
}

function askedOf({ source }: ModelAsk): string {
  return source.kind === 'program' ? source.question.argv[0] : 'the endpoint';
}

/** Other settings, keys or folders of the agent may mean other models. */
function keyOf({ source, model, from }: ModelAsk): string {
  const asked = source.kind === 'program' ? source.question.argv : source.settings;
  const env = Object.entries(from.env).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([source.kind, asked, model, from.folder, env]);
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
