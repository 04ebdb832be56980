import type { Settings } from '../core/config/schema.ts';
import type { LoopOptions } from '../core/loop/event.ts';
import { createdLoop } from '../core/loop/fresh.ts';
import type { Loop } from '../core/loop/loop.ts';
import {
  declaredIn,
  findSetupFault,
  manifestNames,
  type SetupFault,
} from '../core/verdict/setup-fault.ts';
import type { Check } from '../core/verdict/report.ts';
import { planWorkspace } from './create-loop.ts';
import type { Engine } from './engine.ts';
import { runCommands } from './level/commands.ts';
import { defaultLoopType } from './plan-loop.ts';
import { withThrowaway, type SetUp } from './throwaway-worktree.ts';

/** What one try of the checks in a fresh worktree has shown. */
export type Trial =
  /** They ran; red is as good as green here. `check` is the first that failed, else the last. */
  | { readonly kind: 'ran'; readonly check: Check }
  | { readonly kind: 'broken'; readonly check: Check; readonly fault: SetupFault }
  | { readonly kind: 'setup-failed'; readonly command: string; readonly output: string }
  | {
      readonly kind: 'timed-out';
      readonly what: 'setup' | 'check';
      readonly command: string;
      readonly afterMs: number;
    }
  | { readonly kind: 'cut' };

export type TrialStep = 'worktree' | 'setup' | 'check';

export type TrialRules = {
  /** Each command ends after this time at the latest. */
  readonly limitMs: number;
  show(step: TrialStep, command: string | null): void;
};

const options: LoopOptions = {
  inPlace: false,
  commit: true,
  verify: true,
  keepGoing: false,
  verifyOnly: false,
};

/**
 * Runs the checks once on the commit that loops start from, in a worktree that is made, set up and removed like that of
 * a loop. Stores nothing. The worktree, its branch and every process are gone when this settles, also after `signal`.
 */
export async function tryChecks(
  engine: Engine,
  wanted: Settings,
  rules: TrialRules,
  signal: AbortSignal,
): Promise<Trial> {
  const settings = trialSettings(wanted, rules.limitMs);
  const loop = await draftLoop(engine, settings);
  const { base } = loop.workspace;
  if (base === null) throw new Error('a worktree needs a commit');
  const watched: Engine = {
    ...engine,
    async reach(point) {
      if (point === 'before:set-up') rules.show('setup', settings.workspace.setup);
      await engine.reach(point);
    },
  };
  rules.show('worktree', null);
  const place = { name: 'trial', commit: base, cut: signal } as const;
  try {
    const work = async ({ path: cwd }: { readonly path: string }, setUp: SetUp) => {
      const failed = failedSetUp(setUp);
      if (failed !== null) return failed;
      rules.show('check', settings.validation.command);
      const dir = await engine.artifacts.namedDir(loop.id, 'trial');
      const judged = { cwd, dir, tree: base, commit: base, work: null };
      const checks = await runCommands(engine, loop, judged, signal);
      return checks === null ? ({ kind: 'cut' } as const) : judge(engine, loop, checks);
    };
    return await withThrowaway(watched, loop, place, work, signal);
  } catch (error) {
    if (signal.aborted) return { kind: 'cut' };
    throw error;
  } finally {
    await engine.supervisor.endStandby(loop.id);
  }
}

/** Nothing is kept for later, and no command takes longer than a person waits. */
function trialSettings(settings: Settings, limitMs: number): Settings {
  const { validation, verify, workspace } = settings;
  const commands = Object.entries(validation.commands).map(
    ([name, each]) => [name, { ...each, timeout: Math.min(each.timeout, limitMs) }] as const,
  );
  return {
    ...settings,
    workspace: { ...workspace, pool: 0 },
    verify: { ...verify, 'retries-on-fail': 0 },
    validation: {
      ...validation,
      timeout: Math.min(validation.timeout, limitMs),
      commands: Object.fromEntries(commands),
    },
  };
}

/** A loop as it would be, which is stored nowhere. */
async function draftLoop(engine: Engine, settings: Settings): Promise<Loop> {
  const loopId = engine.ids.loop();
  const workspace = await planWorkspace(engine, loopId, { settings, options, allowDirty: false });
  const prompt = {
    template: null,
    systemPrompt: null,
    inputs: {},
    required: [],
    defaults: {},
    source: 'trial',
  };
  const event = {
    type: 'loop.created',
    loopId,
    taskId: engine.ids.task(),
    title: 'trial of the checks',
    loopType: defaultLoopType,
    agent: settings.agent ?? '',
    settings,
    flags: {},
    prompt,
    options,
    workspace,
    attemptsBefore: 0,
    consecutiveFailures: 0,
  } as const;
  return createdLoop(event, 0, engine.clock.now());
}

function failedSetUp(setUp: SetUp): Trial | null {
  if (setUp === null) return null;
  const { end, command, output } = setUp;
  switch (end.kind) {
    case 'cancelled':
      return { kind: 'cut' };
    case 'timed-out':
      return { kind: 'timed-out', what: 'setup', command, afterMs: end.afterMs };
    case 'exited':
      return end.code === 0 ? null : { kind: 'setup-failed', command, output };
    case 'not-started':
      return { kind: 'setup-failed', command, output: end.error };
    case 'signalled':
    case 'hung':
    case 'ended-after-result':
      return { kind: 'setup-failed', command, output };
  }
}

const maxManifestBytes = 256 * 1024;

async function judge(
  { project }: Engine,
  { workspace, settings }: Loop,
  checks: readonly Check[],
): Promise<Trial> {
  const revision = workspace.base ?? '';
  const signal = AbortSignal.timeout(60_000);
  const texts = await project.readSeveralAt(revision, manifestNames, maxManifestBytes, signal);
  const declares = declaredIn([...texts.values()].filter((text) => text !== null));
  for (const check of checks) {
    const fault = findSetupFault(check, declares);
    if (fault !== null) return { kind: 'broken', check, fault };
  }
  const late = checks.find(({ reason }) => reason?.startsWith('timed out') === true);
  if (late !== undefined) {
    const command = late.command ?? late.name;
    const { timeout: afterMs } = settings.validation;
    return { kind: 'timed-out', what: 'check', command, afterMs };
  }
  const shown = checks.find(({ passed }) => passed === false) ?? checks.at(-1);
  if (shown === undefined) throw new Error('there is no check to try');
  return { kind: 'ran', check: shown };
}
