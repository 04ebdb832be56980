import type { Loop } from '../core/loop/loop.ts';
import {
  runFailure,
  type ConfirmationRun,
  type ConfirmationRunKind,
} from '../core/verdict/confirmation.ts';
import { combine, type Check } from '../core/verdict/report.ts';
import type { Engine } from './engine.ts';
import { runFixtures } from './level/black-box.ts';
import { runCommands, runHidden } from './level/commands.ts';
import type { JudgePlan } from './judge-plan.ts';
import { watchRoom } from './room-watch.ts';
import { withRoom, type RoomWish } from './room.ts';

export type RunWish = Omit<RoomWish, 'dir'> & {
  readonly kind: ConfirmationRunKind;
  /** Part of the names of its evidence. */
  readonly name: string;
  readonly plan: JudgePlan;
  /** Whether commands that the agent never sees run too. */
  readonly hidden: boolean;
  /** Name of the evidence where a kind of run happens twice; absent: the kind. */
  readonly evidence?: string;
  /** Tests of the base that a run does not have any more. */
  readonly lost: (checks: readonly Check[]) => readonly string[];
};

export type RunResult = {
  readonly run: ConfirmationRun;
  readonly checks: readonly Check[];
  /** What the run has written of what judges, and left as it was or added; the checks of the base may do the same. */
  readonly written: readonly string[];
};

/** Runs the checks in a room of their own. Null when it was cut short. */
export async function confirmIn(
  engine: Engine,
  loop: Loop,
  wish: RunWish,
  signal: AbortSignal,
): Promise<RunResult | null> {
  const { kind, plan } = wish;
  const evidence = `confirm-${wish.name}-${wish.evidence ?? kind}`;
  const dir = await engine.artifacts.namedDir(loop.id, evidence);
  const started = engine.clock.monotonic();
  const result = await withRoom(
    engine,
    loop,
    { ...wish, dir },
    async ({ cwd, room, links }) => {
      const judged = { cwd, dir, tree: '', commit: wish.commit, work: null, room };
      using watch = await watchRoom({ cwd, judge: plan.judge, links }, engine.clock);
      const began = engine.clock.monotonic();
      const checks = await runCommands(engine, loop, judged, signal);
      if (checks === null) return null;
      const isFine = combine(checks.map(({ passed }) => passed)) !== false;
      const more = isFine ? await runFixtures(engine, loop, judged, signal) : [];
      if (more === null) return null;
      const secret = isFine && wish.hidden ? await runHidden(engine, loop, judged, signal) : [];
      if (secret === null) return null;
      const durationMs = Math.round(engine.clock.monotonic() - began);
      return { checks: [...checks, ...more, ...secret], ...(await watch.look()), durationMs };
    },
    signal,
  );
  if (result.kind === 'not-set-up') {
    const durationMs = Math.round(engine.clock.monotonic() - started);
    const { reason, output } = result;
    const nothing = { failing: [], lost: [], changed: [] };
    const run = { kind, passed: false, reason, output, ...nothing, durationMs, evidence };
    return { run, checks: [], written: [] };
  }
  if (result.value === null) return null;
  const { checks, changed, written, durationMs } = result.value;
  const passed = combine(checks.map((check) => check.passed));
  const said = passed === true ? { failing: [], reason: null, output: '' } : runFailure(checks);
  const lost = passed === true ? wish.lost(checks) : [];
  return { run: { kind, passed, ...said, lost, changed, durationMs, evidence }, checks, written };
}
