/** The public API. Everything else is internal. */
import { homedir } from 'node:os';
import type { FlagValues } from './core/config/flags.ts';
import { runExitCodes } from './core/loop/finishing.ts';
import { combineExitCodes } from './core/loop/status.ts';
import { wallClockMs } from './adapters/clock/wall-clock.ts';
import { openProjectAt, type Opened } from './daemon/compose.ts';
import { loopFiles } from './engine/loop-files.ts';
import { RunControl, runLoops, type RunRequest } from './engine/run-loops.ts';
import { addTask, findMeantTask } from './engine/text-task.ts';
import { liveEventLine, type EventLine } from './protocol/event-line.ts';
import { loopResult, type RunResult } from './protocol/loop-result.ts';
import type { LiveEvent } from './ports/live.ts';
import { packageVersion } from './package-version.ts';

export { LoopwrightError } from './core/error.ts';
export {
  renderMemory,
  type MemoryBudget,
  type MemoryContext,
  type RenderedMemory,
} from './core/memory/render-memory.ts';
export type { FailureNote, PastAttempt } from './core/memory/attempt.ts';
export type { InjectedLearning } from './core/memory/learning.ts';
export type { LoopStatus } from './core/memory/render-status.ts';
export {
  selectModel,
  type ModelChoice,
  type ModelRequest,
  type SimilarTask,
} from './core/model/select-model.ts';
export { createProgressStrategy } from './core/progress/registry.ts';
export type { ProgressEntry } from './core/progress/entry.ts';
export type { ProgressStrategy } from './core/progress/strategy.ts';
export { createLoopStrategy } from './core/strategy/registry.ts';
export type { LoopStrategyConfig } from './core/strategy/strategy-config.ts';
export type {
  IterationCompleteEvent,
  IterationSummary,
  LoopDecision,
  LoopEndEvent,
  LoopStrategy,
} from './core/strategy/strategy.ts';
export { parseSigils, type Sigils } from './core/transcript/sigils.ts';
export { parseTests } from './core/verdict/test-output/parse-tests.ts';
export type { TestRun } from './core/verdict/test-output/test-run.ts';
export type { EventLine } from './protocol/event-line.ts';
export type { LoopResult, RunResult } from './protocol/loop-result.ts';

export type RunInput = {
  /** Where the repository or folder is; the current folder by default. */
  readonly cwd?: string;
  /** What to do, in words: an unfinished loop of a task with exactly this title goes on, else a task is made. */
  readonly text?: string;
  readonly description?: string;
  /** An existing task, by id. Without `text` and `task`, everything that is ready is run. */
  readonly task?: string;
  /** Settings by flag name, as on the command line: `{ agent: 'command:...', validate: 'npm test' }`. */
  readonly settings?: FlagValues;
  readonly inPlace?: boolean;
  readonly allowDirty?: boolean;
  readonly commit?: boolean;
  readonly verify?: boolean;
  readonly keepGoing?: boolean;
  /** Starts another loop even if one is unfinished. */
  readonly fresh?: boolean;
  /** Loops started at most, when running everything that is ready. */
  readonly limit?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Cuts the iteration short; the loop rests paused and nothing is lost. */
  readonly signal?: AbortSignal;
  /** Every stored event with its sequence, and live lines with `seq: null`, in order. */
  readonly onEvent?: (event: EventLine) => void;
};

/** Does what `loopwright run` does. Throws `LoopwrightError` for what a person must put right first. */
export async function run(input: RunInput): Promise<RunResult> {
  const { env = process.env } = input;
  const control = new RunControl();
  const listener = createListener(input.onEvent, control);
  await using opened = await openProjectAt({
    cwd: input.cwd ?? process.cwd(),
    env,
    home: env['HOME'] ?? homedir(),
    version: packageVersion(),
    flags: input.settings ?? {},
    publish: (event) => listener.tell(event),
    inside: async (call) => (await import('./cli/inside/run-inside.ts')).runInside(call),
  });
  const loop = {
    inPlace: input.inPlace ?? false,
    commit: input.commit ?? true,
    verify: input.verify ?? true,
    keepGoing: input.keepGoing ?? false,
  };
  using _signal = cutOnAbort(control, input.signal);
  const outcome = await runLoops(
    opened.engine,
    await requestOf(opened, input, loop.verify),
    {
      loop,
      allowDirty: input.allowDirty ?? false,
      planFor: (task) => opened.planFor(task, loop.verify, loop.inPlace),
    },
    control,
  );
  listener.rethrow();
  const loops = [];
  for (const each of outcome.loops) {
    loops.push(loopResult(each, (await loopFiles(opened.project, each)).changed));
  }
  const codes = runExitCodes(outcome);
  return { loops, exitCode: codes.length === 0 ? 3 : combineExitCodes(codes) };
}

/** A listener that throws cuts the loop short, which then rests; what it threw is thrown at the end. */
function createListener(onEvent: RunInput['onEvent'], control: RunControl) {
  const thrown: unknown[] = [];
  return {
    tell(event: LiveEvent): void {
      try {
        onEvent?.(liveEventLine(event, wallClockMs()));
      } catch (error) {
        thrown.push(error);
        control.interrupt('cut');
      }
    },
    rethrow(): void {
      if (thrown.length > 0) throw thrown[0];
    },
  };
}

async function requestOf(opened: Opened, input: RunInput, verify: boolean): Promise<RunRequest> {
  const { engine } = opened;
  const { text, task, fresh = false, limit = null } = input;
  if (task !== undefined) {
    const found = await engine.store.read((tx) => tx.tasks.resolve(task));
    return { kind: 'task', taskId: found.id, fresh };
  }
  if (text === undefined) return { kind: 'ready', limit };
  const known = fresh ? null : await findMeantTask(engine, text);
  if (known !== null) return { kind: 'task', taskId: known.id, fresh: false };
  await opened.planFor({ type: null, validation: null }, verify);
  const added = await addTask(engine, { title: text, description: input.description ?? '' });
  return { kind: 'task', taskId: added.id, fresh: true };
}

function cutOnAbort(control: RunControl, signal: AbortSignal | undefined): Disposable {
  const cut = () => control.interrupt('cut');
  if (signal?.aborted === true) cut();
  signal?.addEventListener('abort', cut, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener('abort', cut) };
}
