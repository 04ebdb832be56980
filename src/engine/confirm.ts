import type { Loop } from '../core/loop/loop.ts';
import {
  judgeConfirmation,
  type Confirmation,
  type ConfirmationInput,
  type ConfirmationRun,
} from '../core/verdict/confirmation.ts';
import { matchesName } from '../core/text/glob.ts';
import { lostTests } from '../core/verdict/test-inventory.ts';
import { allChecks, type Check } from '../core/verdict/report.ts';
import { storedInventory } from './compare-with-base.ts';
import { confirmIn, type RunResult, type RunWish } from './confirm-run.ts';
import type { Engine } from './engine.ts';
import { planJudge } from './judge-plan.ts';
import { newAround } from './room-surroundings.ts';

export type ConfirmWish = {
  readonly base: string;
  readonly commit: string;
  /** What the base said, where that is known; else its judge is taken at its word. */
  readonly baseline: Loop['baseline'];
};

/**
 * Runs the checks once more, on a commit of a loop in clean places: with everything that judges as on the base, and where that
 * was changed, with the loop's own. Null when it was cut short.
 */
export async function confirm(
  engine: Engine,
  loop: Loop,
  { base, commit, baseline }: ConfirmWish,
  signal: AbortSignal,
): Promise<Confirmation | null> {
  const started = engine.clock.monotonic();
  const plan = await planJudge(engine, loop.settings, { base, commit }, signal);
  const state = stateOf(baseline);
  const surroundings = await newAround(engine, loop);
  const dependencies = plan.changesDependencies ? loop.workspace.path : null;
  const lost = plan.allowsTests ? () => [] : await lostOf(engine, loop, baseline);
  const wish = (kind: RunWish['kind'], more: Partial<RunWish>): RunWish => {
    const files: RunWish['files'] = [];
    return { kind, commit, files, plan, dependencies, hidden: false, lost: () => [], ...more };
  };
  const runs: ConfirmationRun[] = [];
  let tripwire: ConfirmationInput['tripwire'] = null;
  const perform = async (each: RunWish): Promise<RunResult | null> => {
    const result = await confirmIn(engine, loop, each, signal);
    if (result !== null) runs.push(result.run);
    return result;
  };
  // Alone and once: luck is not tried again.
  const first =
    state === 'silent' ? null : wish('base-judge', { files: plan.baseJudge, hidden: true, lost });
  const judged = first === null ? undefined : await perform(first);
  if (judged === null) return null;
  const hasChanged = plan.changes.length > 0;
  const later: RunWish[] = [];
  if (state === 'silent' || hasChanged) {
    later.push(wish('own-judge', { hidden: state === 'silent' }));
  }
  const isFine =
    judged === undefined || (judged.run.passed === true && judged.run.lost.length === 0);
  if (isFine && state === 'green' && plan.addsTests) {
    later.push(wish('red-first', { commit: base, files: plan.ownJudge }));
  }
  if (!isFine && state === 'green') {
    later.push(wish('reference', { commit: base, dependencies: null }));
  }
  for (const result of await Promise.all(later.map(perform))) if (result === null) return null;
  await repeatAlone(runs, later, perform);
  const input = { baseline: state, runs, changes: plan.changes, surroundings, tripwire };
  return {
    ...judgeConfirmation(input),
    base,
    commit,
    runs,
    changes: plan.changes,
    hash: plan.hash,
    ...(tripwire === null ? {} : { tripwire }),
    durationMs: Math.round(engine.clock.monotonic() - started),
    checkMs: runs[0]?.durationMs ?? 0,
  };
}

/** A run beside another may have failed because of it: a port, a lock. Alone it says what counts. */
async function repeatAlone(
  runs: ConfirmationRun[],
  side: readonly RunWish[],
  perform: (wish: RunWish) => Promise<RunResult | null>,
): Promise<void> {
  if (side.length < 2) return;
  for (const wish of side) {
    const at = runs.findIndex(({ kind }) => kind === wish.kind);
    const isDoubtful = wish.kind === 'own-judge' && runs[at]?.passed === false;
    if (!isDoubtful) continue;
    runs.splice(at, 1);
    await perform(wish);
  }
}

/** A base whose checks said nothing, or could not run, judges nothing. */
function stateOf(baseline: Loop['baseline']): ConfirmationInput['baseline'] {
  switch (baseline?.state) {
    case 'red':
    case 'green':
      return baseline.state;
    case 'unknown':
    case 'skipped':
    case 'broken':
      return 'silent';
    case undefined:
      return 'green';
  }
}

async function lostOf(
  engine: Engine,
  loop: Loop,
  baseline: Loop['baseline'],
): Promise<(checks: readonly Check[]) => readonly string[]> {
  const report = baseline?.report ?? null;
  if (report === null) return () => [];
  const inventory = await storedInventory(engine, loop, report);
  const base = new Map(allChecks(report).map(({ check }) => [check.name, check]));
  return (checks) =>
    checks.flatMap((check) => {
      const was = base.get(check.name);
      if (was === undefined || was.command !== check.command) return [];
      const { name } = check;
      const before = { check: name, counts: was.tests, sure: was.sureTests ?? null };
      const now = { check: name, counts: check.tests, sure: null };
      return lostTests(
        { ...before, inventory: inventory[name] ?? null },
        { ...now, inventory: check.inventory ?? null },
      )
        .filter(({ subject }) => !matchesName(subject, loop.settings.verify.allow))
        .map(({ text }) => text);
    });
}
