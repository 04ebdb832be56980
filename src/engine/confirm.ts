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
import { planJudge, type JudgePlan } from './judge-plan.ts';
import { newAround } from './room-surroundings.ts';
import { springTripwire } from './tripwire.ts';

export type ConfirmWish = {
  readonly base: string;
  readonly commit: string;
  /** What the base said, where that is known; else its judge is taken at its word. */
  readonly baseline: Loop['baseline'];
  /** Changes to the judge that count as they are: content by path; null: the file is away. Absent: none. */
  readonly accepted?: ReadonlyMap<string, string | null>;
  /** Part of the names of its evidence; absent: the number of the iteration. A merge needs no proof of its own. */
  readonly name?: string;
};

/**
 * Runs the checks once more, on a commit of a loop in clean places: with everything that judges as on the base, and where that
 * was changed, with the loop's own. Null when it was cut short.
 */
export async function confirm(
  engine: Engine,
  loop: Loop,
  { base, commit, baseline, accepted, name }: ConfirmWish,
  signal: AbortSignal,
): Promise<Confirmation | null> {
  const started = engine.clock.monotonic();
  const plan = await planJudge(engine, loop.settings, { base, commit, accepted }, signal);
  const surroundings = await newAround(engine, loop);
  const wish: Wish = (kind, more) => {
    const dependencies = dependenciesFor(kind, plan, loop.workspace.path);
    const shared = { commit, files: [], plan, dependencies, hidden: false, lost: () => [] };
    return { kind, name: name ?? String(loop.iterations.length), ...shared, ...more };
  };
  const state = stateOf(baseline);
  const lost = plan.allowsTests ? () => [] : await lostOf(engine, loop, baseline);
  const place = {
    engine,
    loop,
    signal,
    plan,
    wish,
    base,
    commit,
    state,
    isMerge: name !== undefined,
  };
  const ran = await runAll(place, lost);
  if (ran === null) return null;
  const { runs, tripwire, odd } = ran;
  const input = { baseline: state, runs, changes: plan.changes, surroundings, tripwire, odd };
  return {
    ...judgeConfirmation(input),
    base,
    commit,
    runs,
    changes: plan.changes,
    // What overpowers its judge is in the product: a person's yes is to this very commit.
    hash: tripwire === 'broken' ? `${plan.hash}-${commit.slice(0, 12)}` : plan.hash,
    ...(tripwire === null ? {} : { tripwire }),
    durationMs: Math.round(engine.clock.monotonic() - started),
    checkMs: runs[0]?.durationMs ?? 0,
  };
}

/** Where the loop has dependencies of its own, the base's judge keeps those it uses itself. */
function dependenciesFor(
  kind: RunWish['kind'],
  { changesDependencies, judges }: JudgePlan,
  from: string,
): RunWish['dependencies'] {
  if (!changesDependencies) return null;
  const isOwn = kind === 'own-judge' || kind === 'red-first';
  return { from, judges: isOwn ? () => false : judges };
}

type Wish = (kind: RunWish['kind'], more: Partial<RunWish>) => RunWish;

type Place = {
  readonly engine: Engine;
  readonly loop: Loop;
  readonly signal: AbortSignal;
  readonly plan: JudgePlan;
  readonly wish: Wish;
  readonly base: string;
  readonly commit: string;
  readonly state: ConfirmationInput['baseline'];
  readonly isMerge: boolean;
};

type Ran = Pick<ConfirmationInput, 'runs' | 'tripwire' | 'odd'>;

/** The base's judge first, alone and once: luck is not tried again. Then all that does not depend on each other, side by side. */
async function runAll(place: Place, lost: RunWish['lost']): Promise<Ran | null> {
  const { engine, loop, signal, plan, wish, base, commit, state, isMerge } = place;
  const runs: ConfirmationRun[] = [];
  const perform = async (each: RunWish): Promise<RunResult | null> => {
    const result = await confirmIn(engine, loop, each, signal);
    if (result !== null) runs.push(result.run);
    return result;
  };
  const judged =
    state === 'silent'
      ? undefined
      : await perform(wish('base-judge', { files: plan.baseJudge, hidden: true, lost }));
  if (judged === null) return null;
  const later = laterRuns(place, judged?.run);
  const isHeld = judged !== undefined && isClean(judged.run) && !isMerge;
  const trip = isHeld
    ? springTripwire(engine, loop, { base, commit, judged, wish }, signal)
    : undefined;
  const [results, sprung] = await Promise.all([Promise.all(later.map(perform)), trip]);
  if (sprung === null || results.includes(null)) return null;
  const beside = later.length + (sprung?.runs.length ?? 0);
  await repeatAlone(runs, beside > 1 ? later : [], perform);
  runs.push(...(sprung?.runs ?? []));
  return { runs, tripwire: sprung?.state ?? null, odd: sprung?.findings ?? [] };
}

function isClean({ passed, lost, changed }: ConfirmationRun): boolean {
  return passed === true && lost.length === 0 && changed.length === 0;
}

/** What is run after the base's judge, which a silent base has not. */
function laterRuns(
  { plan, wish, base, state, isMerge }: Place,
  judged: ConfirmationRun | undefined,
): readonly RunWish[] {
  const later: RunWish[] = [];
  if (state === 'silent' || plan.changes.length > 0) {
    later.push(wish('own-judge', { hidden: state === 'silent' }));
  }
  if (state !== 'green' || isMerge || judged === undefined) return later;
  if (!isClean(judged)) later.push(wish('reference', { commit: base, dependencies: null }));
  else if (plan.addsTests) {
    later.push(wish('red-first', { commit: base, files: plan.ownJudge }));
  }
  return later;
}

/** A run beside another may have failed because of it: a port, a lock. Alone it says what counts. */
async function repeatAlone(
  runs: ConfirmationRun[],
  side: readonly RunWish[],
  perform: (wish: RunWish) => Promise<RunResult | null>,
): Promise<void> {
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
      if (was === undefined) return [];
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
