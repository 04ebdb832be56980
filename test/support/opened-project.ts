import { runInside } from '../../src/cli/inside/run-inside.ts';
import type { FlagValues } from '../../src/core/config/flags.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { openProjectAt, type Opened } from '../../src/daemon/compose.ts';
import {
  RunControl,
  runLoops,
  type RunOptions,
  type RunOutcome,
} from '../../src/engine/run-loops.ts';
import type { LiveEvent } from '../../src/ports/live.ts';
import type { GitRepo } from './git-repo.ts';

export type TestProject = Opened & {
  readonly live: LiveEvent[];
  readonly control: RunControl;
  /** Adds a task and runs it to its rest. */
  runText(title: string, options?: TestRunOptions): Promise<Loop>;
  /** All loops of a task that is there. */
  runTask(taskId: string, options?: { readonly fresh: boolean }): Promise<readonly Loop[]>;
  runReady(options?: TestRunOptions): Promise<RunOutcome>;
  resume(loopId: string): Promise<Loop>;
  /** Resolves once a live event of this kind was seen. */
  seen(type: string): Promise<void>;
};

export type TestRunOptions = Partial<RunOptions['loop']> & {
  readonly description?: string;
  readonly jobs?: number;
};

/** A project as `run` opens it, with its live events collected. */
export async function openedProject(
  repo: Pick<GitRepo, 'path' | 'env'>,
  flags: FlagValues,
): Promise<TestProject> {
  const live: LiveEvent[] = [];
  const opened = await openProjectAt({
    cwd: repo.path,
    env: { ...repo.env },
    home: repo.env['HOME'] ?? '/nonexistent',
    version: '0.0.0-test',
    flags,
    publish: (event) => live.push(event),
    inside: runInside,
  });
  const control = new RunControl();
  const { engine } = opened;
  const optionsFor = (options: TestRunOptions): RunOptions => {
    const { jobs = 1, ...asked } = options;
    const loop = { inPlace: false, commit: true, verify: true, keepGoing: false, ...asked };
    return { loop, jobs, allowDirty: false, planFor: (task) => opened.planFor(task, loop.verify) };
  };
  return Object.assign(opened, {
    live,
    control,
    async runText(title: string, options: TestRunOptions = {}) {
      const { description = '', ...loop } = options;
      const task = await engine.store.write((tx) =>
        tx.tasks.add(engine.ids.task(), { title, description }, engine.clock.now()),
      );
      const request = { kind: 'task', taskId: task.id, fresh: false } as const;
      const { loops } = await runLoops(engine, request, optionsFor(loop), control);
      return loops[0]!;
    },
    async runTask(taskId: string, { fresh } = { fresh: false }) {
      const request = { kind: 'task', taskId, fresh } as const;
      return (await runLoops(engine, request, optionsFor({}), control)).loops;
    },
    runReady: (options: TestRunOptions = {}) =>
      runLoops(engine, { kind: 'ready', limit: null }, optionsFor(options), control),
    async seen(type: string) {
      const isThere = () =>
        live.some((event) => event.kind === 'recorded' && event.recorded.event.type === type);
      while (!isThere()) await new Promise((resolve) => setTimeout(resolve, 10));
    },
    async resume(loopId: string) {
      const request = { kind: 'loop', loopId } as const;
      return (await runLoops(engine, request, optionsFor({}), control)).loops[0]!;
    },
  });
}
