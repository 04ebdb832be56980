import type { Hook } from '../core/config/section/hooks.ts';
import { dueHooks, type FactHook } from '../core/hook/due-hooks.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Clock } from '../ports/clock.ts';
import type { LiveEvent } from '../ports/live.ts';
import type { Supervisor } from '../ports/process.ts';

export type FactHooksOptions = {
  readonly clock: Clock;
  readonly supervisor: Pick<Supervisor, 'run'>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly commandOf: (hook: Hook) => string;
  readonly warn: (text: string) => void;
};

const maxPending = 200;
const goodbyeMs = 30_000;

/**
 * Runs the user's commands that follow a fact: the start and end of a loop, tests, progress, errors, changed files, rebase, merge.
 * They run one after the other beside the loops, which never wait for them; one that fails or takes too long is told.
 */
export class FactHooks implements AsyncDisposable {
  readonly #options: FactHooksOptions;
  readonly #closing = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #pending = 0;

  constructor(options: FactHooksOptions) {
    this.#options = options;
  }

  /** To be called with every live event. Returns at once. */
  observe(event: LiveEvent): void {
    if (event.kind !== 'recorded') return;
    for (const name of dueHooks(event.recorded)) {
      for (const hook of event.loop.settings.hooks[name]) this.#plan(name, hook, event.loop);
    }
  }

  #plan(name: FactHook, hook: Hook, loop: Loop): void {
    const { warn } = this.#options;
    if (this.#pending >= maxPending) {
      warn(`warning: hooks pile up; the ${name} hook of ${loop.id} is left out`);
      return;
    }
    this.#pending += 1;
    this.#running = this.#running.then(async () => {
      await this.#run(name, this.#options.commandOf(hook), hook.timeout, loop).catch(
        (error: unknown) => {
          const why = error instanceof Error ? error.message : String(error);
          warn(`warning: the ${name} hook of ${loop.id} failed: ${why}`);
        },
      );
      this.#pending -= 1;
    });
  }

  async #run(name: FactHook, command: string, timeoutMs: number, loop: Loop): Promise<void> {
    const { supervisor, env, cwd } = this.#options;
    const spec = {
      argv: ['sh', '-c', command] as const,
      cwd,
      env: { ...env, LOOPWRIGHT_LOOP: loop.id, LOOPWRIGHT_TASK: loop.taskId },
      stdin: `${JSON.stringify(aboutLoop(name, loop))}\n`,
      stdoutFile: null,
      stderrFile: null,
      tailBytes: 1000,
      timeoutMs,
      graceMs: 1000,
    };
    const { end, stderrTail } = await supervisor.run(spec, {}, this.#closing.signal);
    if (end.kind === 'exited' && end.code === 0) return;
    const code = end.kind === 'exited' ? `exit code ${end.code}` : end.kind;
    throw new Error([code, stderrTail.trim().slice(-200)].filter((part) => part !== '').join(': '));
  }

  /** What is under way has a moment to end. */
  async [Symbol.asyncDispose](): Promise<void> {
    const done = new AbortController();
    const late = this.#options.clock.sleep(goodbyeMs, done.signal).then(
      () => this.#closing.abort(),
      () => {
        // All of them ended in time.
      },
    );
    await this.#running;
    done.abort();
    await late;
  }
}

function aboutLoop(hook: FactHook, loop: Loop) {
  const { id, taskId, title, status, reason, text } = loop;
  const last = loop.iterations.at(-1);
  return {
    hook,
    loop: id,
    task: taskId,
    title,
    status,
    reason,
    text,
    iteration: last?.number ?? null,
    branch: loop.workspace.branch,
    worktree: loop.workspace.path,
  };
}
