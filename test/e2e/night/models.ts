import type { Ask, Reply, Usage } from '../../../src/adapters/model-server/scenario.ts';
import { isTaskName, type Provider, type TaskName } from './plan.ts';

type Weather = 'up' | 'overloaded' | 'unsigned' | 'window';

export type Call = {
  readonly at: number;
  readonly provider: Provider;
  readonly task: TaskName;
  /** Results of tools that the agent sent along. */
  readonly step: number;
  /** What the model did: answer, fail, or never answer. */
  readonly end: 'answered' | 'lost' | 'hung';
  readonly costUsd: number;
  readonly prompt: string;
};

/** What a model does instead of its usual reply. */
type Special = (ask: Ask) => Reply;

const usage: Usage = { input: 1000, output: 100, cacheRead: 0, cacheWrite: 0 };

/** Two scripted models, each there or not, and everything they were asked. */
export class NightModels {
  readonly weather: Record<Provider, Weather> = { anthropic: 'up', openai: 'up' };
  readonly calls: Call[] = [];
  /** When the usage window opens again: a whole second, as providers name it. */
  resetAt = 0;
  readonly #specials = new Map<string, Special[]>();
  #watchers: (() => void)[] = [];

  /** The next request of a task at this step gets that reply. Several queue up. */
  next(task: TaskName, step: number, special: Special): void {
    const key = `${task} ${step}`;
    this.#specials.set(key, [...(this.#specials.get(key) ?? []), special]);
  }

  /** What was meant for a task and not asked for is not meant any more. */
  forget(...tasks: readonly TaskName[]): void {
    for (const key of this.#specials.keys())
      if (tasks.some((task) => key.startsWith(`${task} `))) this.#specials.delete(key);
  }

  /** From now on the window of a provider is used up, for as long: that is also the answer to this request. */
  closeWindow(provider: Provider, forMs: number): Reply {
    this.weather[provider] = 'window';
    this.resetAt = Math.ceil((Date.now() + forMs) / 1000) * 1000;
    return this.#usedUp();
  }

  /** Resolves when a request that fits was made, since the call of that number if it is given. */
  async asked(fits: (call: Call) => boolean, since = 0): Promise<void> {
    while (!this.calls.slice(since).some(fits)) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#watchers.push(resolve);
      await promise;
    }
  }

  readonly scenarioOf =
    (provider: Provider) =>
    (ask: Ask): Reply => {
      const prompt = ask.messages.join('\n');
      const task = /^\*\*Title:\*\* (\S+)$/m.exec(prompt)?.[1] ?? '';
      if (!isTaskName(task)) throw new Error(`no task of this night asks: ${prompt.slice(0, 200)}`);
      const reply = this.#reply(provider, task, ask);
      const { step } = ask;
      this.calls.push({ at: Date.now(), provider, task, step, prompt, ...endOf(reply) });
      const watchers = this.#watchers;
      this.#watchers = [];
      // The answer is on its way before anything follows from it.
      setImmediate(() => {
        for (const watcher of watchers) watcher();
      });
      return reply;
    };

  #reply(provider: Provider, task: TaskName, ask: Ask): Reply {
    const { step } = ask;
    const key = `${task} ${step}`;
    const isOpen = this.weather[provider] === 'window' && Date.now() >= this.resetAt;
    const weather = isOpen ? 'up' : this.weather[provider];
    const waiting = this.#specials.get(key) ?? [];
    // A request that fails is made again, and finds what was meant for it.
    if (weather === 'overloaded') return { kind: 'status', status: 529 };
    if (weather === 'unsigned') return { kind: 'status', status: 401 };
    if (waiting.length > 0) {
      this.#specials.set(key, waiting.slice(1));
      const reply = waiting[0]?.(ask);
      if (reply !== undefined) return reply;
    }
    if (weather === 'window') return this.#usedUp();
    return step === 0 ? shell(writeWork(task)) : claim(ask);
  }

  #usedUp(): Reply {
    const resetInMs = this.resetAt - Date.now();
    return { kind: 'status', status: 429, problem: 'usage', resetInMs };
  }
}

/** The usual end of a run. */
export function claim({ messages }: Ask): Reply {
  const id = /^\*\*ID:\*\* (t-[0-9a-f]{8})$/m.exec(messages.join('\n'))?.[1] ?? '';
  const text = `The work is done.\n<task-done>${id}</task-done>`;
  return { kind: 'text', stop: 'end', text, usage };
}

export function shell(command: string, input = usage.input): Reply {
  return { kind: 'acts', acts: [{ kind: 'shell', command }], usage: { ...usage, input } };
}

export function writeWork(task: TaskName): string {
  return `mkdir -p work && echo "${task} is done" > work/${task}.txt`;
}

function endOf(reply: Reply): Pick<Call, 'end' | 'costUsd'> {
  if (reply.kind === 'hang') return { end: 'hung', costUsd: 0 };
  if (reply.kind !== 'text' && reply.kind !== 'acts') return { end: 'lost', costUsd: 0 };
  const { input = 0, output = 0 } = reply.usage ?? {};
  return { end: 'answered', costUsd: (input * 8 + output * 20) / 1e6 };
}
