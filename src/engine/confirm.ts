import type { Loop } from '../core/loop/loop.ts';
import {
  judgeConfirmation,
  newlyFailing,
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
import { lookAround } from './room-surroundings.ts';
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
  await engine.project.requireTrue([base, commit], signal);
  const plan = await planJudge(engine, loop.settings, { base, commit, accepted }, signal);
  const around = await lookAround(engine, loop, plan.changesDependencies);
  const wish: Wish = (kind, more) => {
    const { home, without } = around;
    const { product } = plan;
    const dependencies = dependenciesFor(kind, plan, loop.workspace.path);
    const place = { commit, files: [], dependencies, home, without, product };
    const shared = { ...place, plan, hidden: false, lost: () => [] };
    return { kind, name: name ?? String(loop.iterations.length), ...shared, ...more };
  };
  const state = stateOf(baseline);
  const failedBefore = failedIn(baseline);
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
    failedBefore,
    isMerge: name !== undefined,
  };
  const ran = await runAll(place, lost);
  if (ran === null) return null;
  const { runs, tripwire, odd } = ran;
  const { changes, isOnlyJudge } = plan;
  const { findings: surroundings, absent } = around;
  const found = { runs, changes, isOnlyJudge, surroundings, absent, tripwire, odd };
  const input = { baseline: state, failedBefore, ...found };
  return {
    ...judgeConfirmation(input),
    base,
    commit,
    runs,
    changes,
    hash: isInProduct(ran) ? `${plan.hash}-${commit.slice(0, 12)}` : plan.hash,
    ...(tripwire === null ? {} : { tripwire }),
    durationMs: Math.round(engine.clock.monotonic() - started),
    checkMs: runs[0]?.durationMs ?? 0,
  };
}

/** What overpowers its judge, and a test that is gone from a source file: a person's yes is to this very commit. */
function isInProduct({ runs, tripwire }: Ran): boolean {
  const judged = runs.find(({ kind }) => kind === 'base-judge');
  return tripwire === 'broken' || (judged !== undefined && judged.lost.length > 0);
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
  readonly failedBefore: ConfirmationInput['failedBefore'];
  readonly isMerge: boolean;
};

type Ran = Pick<ConfirmationInput, 'runs' | 'tripwire' | 'odd'>;

/** The base's judge first, alone and once: luck is not tried again. Then all that does not depend on each other, side by side. */
async function runAll(place: Place, lost: RunWish['lost']): Promise<Ran | null> {
  const { engine, loop, signal, plan, wish, base, commit, state, isMerge } = place;
  const runs: ConfirmationRun[] = [];
  let asked: Promise<ReadonlySet<string> | null> | null = null;
  const baseWrites = (): Promise<ReadonlySet<string> | null> => (asked ??= writesOfBase(place));
  const perform = async (each: RunWish): Promise<RunResult | null> => {
    const ran = await confirmIn(engine, loop, each, signal);
    const result = ran === null ? null : await withWritten(ran, baseWrites);
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

/**
 * A run that has written to what judges it and left no trace in the content, or that has added to it, is taken for what it says
 * only if the checks of the base do the same. Null when it was cut short.
 */
async function withWritten(
  result: RunResult,
  baseWrites: () => Promise<ReadonlySet<string> | null>,
): Promise<RunResult | null> {
  const { run, written } = result;
  const decides = run.kind === 'base-judge' || run.kind === 'own-judge';
  if (!decides || written.length === 0 || !isClean(run)) return result;
  const known = await baseWrites();
  if (known === null) return null;
  return { ...result, run: { ...run, changed: written.filter((file) => !known.has(file)) } };
}

/** What the checks write of what judges where nobody has changed anything. Run only when there is a doubt. */
async function writesOfBase(place: Place): Promise<ReadonlySet<string> | null> {
  const { engine, loop, signal, wish, base } = place;
  const evidence = 'reference-writes';
  const reference = wish('reference', { commit: base, dependencies: null, evidence });
  const result = await confirmIn(engine, loop, reference, signal);
  return result === null ? null : new Set([...result.written, ...result.run.changed]);
}

function isClean({ passed, lost, changed }: ConfirmationRun): boolean {
  return passed === true && lost.length === 0 && changed.length === 0;
}

/** What is run after the base's judge, which a silent base has not. */
function laterRuns(
  { plan, wish, base, state, failedBefore, isMerge }: Place,
  judged: ConfirmationRun | undefined,
): readonly RunWish[] {
  const later: RunWish[] = [];
  if (state === 'silent' || plan.changes.length > 0) {
    later.push(wish('own-judge', { hidden: state === 'silent' }));
  }
  if (state === 'silent' || isMerge || judged === undefined) return later;
  const isDoubtful =
    !isClean(judged) && (state === 'green' || newlyFailing(judged, failedBefore).length > 0);
  if (isDoubtful) later.push(wish('reference', { commit: base, dependencies: null }));
  // Also where the base says no: once a person has approved the changes, it is what proves the work.
  if (state === 'green' && plan.addsTests) {
    later.push(wish('red-first', { commit: base, files: plan.ownJudge }));
  }
  return later;
}

function failedIn(baseline: Loop['baseline']): ConfirmationInput['failedBefore'] {
  const report = baseline?.report ?? null;
  const checks = report === null ? [] : allChecks(report).map(({ check }) => check);
  const isWhole = checks.every(
    ({ tests, failingTests }) => (tests?.failed ?? 0) <= failingTests.length,
  );
  return report !== null && isWhole ? checks.flatMap(({ failingTests }) => failingTests) : null;
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
