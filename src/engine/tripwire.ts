import path from 'node:path';
import {
  loadedBy,
  planTripwire,
  sourceExtensions,
  type Tripwire,
} from '../core/judge/tripwire/plan.ts';
import {
  judgeTripwire,
  settleTripwire,
  type TripwireRun,
  type TripwireVerdict,
} from '../core/judge/tripwire/verdict.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { ConfirmationRun } from '../core/verdict/confirmation.ts';
import type { Check } from '../core/verdict/report.ts';
import type { TestRun } from '../core/verdict/test-output/parse-tests.ts';
import { confirmIn, type RunResult, type RunWish } from './confirm-run.ts';
import type { Engine } from './engine.ts';
import { springAltered } from './tripwire-altered.ts';
import {
  nothing,
  testsOf,
  textsOf,
  withinLimits,
  type Sprung,
  type TripwireWish,
} from './tripwire-run.ts';

const shownFindings = 5;

/**
 * Looks whether the checks can still fail once the loop's product is loaded: with tests of the engine's own beside those of the
 * base, and with other values in the base's own tests. Null when it was cut short.
 */
export async function springTripwire(
  engine: Engine,
  loop: Loop,
  wish: TripwireWish,
  signal: AbortSignal,
): Promise<Sprung | null> {
  const dropped = springDropped(engine, loop, wish, signal);
  const altered = springAltered(engine, loop, { ...wish, dropped }, signal);
  const both = await Promise.all([dropped, altered]);
  const [one, two] = both;
  if (one === null || two === null) return null;
  const states = both.map((each) => each?.state);
  const state = states.includes('broken') ? 'broken' : states.includes('held') ? 'held' : null;
  const findings = [...one.findings, ...two.findings].slice(0, shownFindings);
  return { state, findings, runs: [...one.runs, ...two.runs] };
}

/** Tests of the engine's own, beside those of the base. */
async function springDropped(
  engine: Engine,
  loop: Loop,
  { base, commit, judged, wish }: TripwireWish,
  signal: AbortSignal,
): Promise<Sprung | null> {
  const seen = await recognised(engine, loop, judged);
  if (seen === null) return nothing;
  const { plan } = wish('tripwire', {});
  const names = plan.judge.filter(({ kind }) => kind === 'test').map((file) => file.path);
  const tests = await textsOf(engine, base, names, signal);
  const nonce = engine.ids.token();
  const planFor = async (revision: string): Promise<Tripwire | null> => {
    const files = new Set(await engine.project.listAt(revision, signal));
    const { framework } = seen.tests;
    const { product } = plan;
    const inner = product.filter((file) => sourceExtensions.includes(path.extname(file).slice(1)));
    const sources = await textsOf(engine, revision, inner, signal);
    return planTripwire({ framework: framework ?? '', tests, files, product, sources, nonce });
  };
  const planned = await planFor(commit);
  if (planned === null) return nothing;
  const limited = withinLimits(loop, judged.run.durationMs);
  const runs: ConfirmationRun[] = [];
  const look = async (
    tripwire: Tripwire,
    { files = [], ...more }: Partial<RunWish>,
  ): Promise<TripwireVerdict | null> => {
    const dropped = tripwire.files.map(({ path: file, text }) => ({ path: file, text }));
    const each = wish('tripwire', { ...more, files: [...files, ...dropped] });
    const result = await confirmIn(engine, limited, each, signal);
    if (result === null) return null;
    runs.push(result.run);
    const read = await readRun(engine, loop, result, seen.check);
    return read === null
      ? { kind: 'unknown', findings: [] }
      : judgeTripwire(tripwire, read, seen.tests);
  };
  const onLoop = await look(planned, { files: plan.baseJudge });
  if (onLoop === null) return null;
  if (onLoop.kind === 'held') {
    const isLoaded = await loadsChanged(engine, planned, { commit, product: plan.product }, signal);
    return { state: isLoaded ? 'held' : null, findings: [], runs };
  }
  const isDoubtful = onLoop.kind === 'odd' || onLoop.kind === 'broken';
  // The files of the base may be fewer: it loads what is there.
  const beside = isDoubtful ? await planFor(base) : null;
  const there = { commit: base, dependencies: null, evidence: 'tripwire-base' };
  const onBase = beside === null ? undefined : await look(beside, there);
  if (onBase === null) return null;
  const state = settleTripwire(onLoop, onBase ?? null);
  const findings = state === 'broken' ? onLoop.findings.slice(0, shownFindings) : [];
  return { state, findings, runs };
}

const maxSteps = 6;
const maxFollowed = 100;

/** Whether its tests load a changed file, by themselves or by what they load: tests that do not say nothing of the product. */
async function loadsChanged(
  engine: Engine,
  { loads }: Tripwire,
  { commit, product }: { readonly commit: string; readonly product: readonly string[] },
  signal: AbortSignal,
): Promise<boolean> {
  if (loads === 'whole') return true;
  const files = new Set(await engine.project.listAt(commit, signal));
  const changed = new Set(product);
  const seen = new Set<string>();
  let front = loads;
  for (let step = 0; step < maxSteps && front.length > 0; step += 1) {
    if (front.some((file) => changed.has(file))) return true;
    for (const file of front) seen.add(file);
    const texts = await textsOf(engine, commit, front.slice(0, maxFollowed), signal);
    front = loadedBy(texts, files).filter((file) => !seen.has(file));
  }
  return false;
}

type Recognised = { readonly check: Check; readonly tests: TestRun };

/** The first check whose output shows a runner. */
async function recognised(
  engine: Engine,
  loop: Loop,
  { run, checks }: RunResult,
): Promise<Recognised | null> {
  if (!loop.settings.verify['parse-tests']) return null;
  for (const check of checks) {
    if (check.tests === null || check.command === null) continue;
    const tests = await testsOf(engine, loop, run, check);
    if (tests.framework !== null && tests.total > 0) return { check, tests };
  }
  return null;
}

async function readRun(
  engine: Engine,
  loop: Loop,
  { run, checks }: RunResult,
  { name }: Check,
): Promise<TripwireRun | null> {
  const check = checks.find((each) => each.name === name);
  if (check === undefined) return null;
  const tests = await testsOf(engine, loop, run, check);
  const good = successCode(loop, name);
  return { tests, endedWell: check.exitCode === null ? null : check.exitCode === good };
}

function successCode({ settings }: Loop, name: string): number {
  const { commands, 'success-exit-code': code } = settings.validation;
  return commands[name]?.['success-exit-code'] ?? code;
}
