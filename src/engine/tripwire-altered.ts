import type { Loop } from '../core/loop/loop.ts';
import {
  planAlteration,
  type Alteration,
  type Filling,
  type MarkedFilling,
} from '../core/judge/tripwire/alter.ts';
import {
  doubtOf,
  equalToAll,
  isSameOdd,
  namesPassed,
  oddText,
  overpoweredIn,
  wentThrough,
  wordsIn,
  type FilledRun,
  type Odd,
} from '../core/judge/tripwire/altered-verdict.ts';
import { loadedText } from '../core/judge/tripwire/verdict.ts';
import type { ConfirmationRun } from '../core/verdict/confirmation.ts';
import { confirmIn, type RunResult, type RunWish } from './confirm-run.ts';
import type { Engine } from './engine.ts';
import {
  nothing,
  testsOf,
  textsOf,
  withinLimits,
  type Sprung,
  type TripwireWish,
} from './tripwire-run.ts';

type AlteredWish = TripwireWish & {
  /** What tests of the engine's own showed. */
  readonly dropped: Promise<Sprung | null>;
};

const readKinds: ReadonlySet<string> = new Set(['test', 'script']);

/** The base's own tests with other values to be equal to: whatever passed before has to fail. Null when it was cut short. */
export async function springAltered(
  engine: Engine,
  loop: Loop,
  { base, judged, wish, dropped }: AlteredWish,
  signal: AbortSignal,
): Promise<Sprung | null> {
  const { plan } = wish('tripwire', {});
  if (plan.product.length === 0) return nothing;
  const names = plan.judge.filter(({ kind }) => readKinds.has(kind)).map((file) => file.path);
  const alteration = planAlteration(await textsOf(engine, base, names, signal), engine.ids.token());
  if (alteration === null) return nothing;
  const limited = withinLimits(loop, judged.run.durationMs);
  const runs: ConfirmationRun[] = [];
  let count = 0;
  const run = async (
    filling: Filling | MarkedFilling,
    more: Partial<RunWish>,
  ): Promise<FilledRun | null> => {
    const files = alteration.fill(filling);
    const paths = new Set(files.map(({ path }) => path));
    const others = (more.files ?? []).filter(({ path }) => !paths.has(path));
    const evidence = `tripwire-values-${++count}`;
    const each = wish('tripwire', { evidence, ...more, files: [...others, ...files] });
    const result = await confirmIn(engine, limited, each, signal);
    if (result === null) return null;
    runs.push(result.run);
    return readChecks(engine, loop, result);
  };
  const look: Look = {
    alteration,
    before: await readChecks(engine, loop, judged),
    onLoop: (filling) => run(filling, { files: plan.baseJudge }),
    onBase: (filling) => run(filling, { commit: base, dependencies: null }),
    isHeld: async () => (await dropped)?.state === 'held',
  };
  const found = await lookAt(look);
  if (found === null) return null;
  const loaded = loadedText(plan.product);
  const command = (name: string) =>
    judged.checks.find((check) => check.name === name)?.command ?? name;
  const findings = found.odd.map((each) => oddText(each, command(each.check), loaded));
  return { state: found.state, findings, runs };
}

type Look = {
  readonly alteration: Alteration;
  readonly before: FilledRun;
  readonly onLoop: (filling: Filling | MarkedFilling) => Promise<FilledRun | null>;
  readonly onBase: (filling: Filling | MarkedFilling) => Promise<FilledRun | null>;
  readonly isHeld: () => Promise<boolean>;
};

type Found = {
  readonly state: Sprung['state'];
  readonly odd: readonly Odd[];
};

const unknown: Found = { state: null, odd: [] };

/** One run where every comparison fails; more only where one does not. */
async function lookAt(look: Look): Promise<Found | null> {
  const { alteration, before, onLoop, onBase, isHeld } = look;
  const altered = await onLoop('altered');
  if (altered === null) return null;
  const doubt = doubtOf(alteration, altered, before);
  if (doubt === 'held') {
    const isScript = before.every(({ tests }) => tests === null || tests.total === 0);
    return isScript ? lookInside(look) : { ...unknown, state: 'held' };
  }
  if (doubt === 'silent') return unknown;
  if (alteration.names.length + alteration.unnamed > 0) {
    const unequal = await onLoop('unequal');
    if (unequal === null) return null;
    const odd = equalToAll(alteration, altered, unequal);
    if (odd.length > 0) return equalTwice(look, odd);
  }
  const isNamed = namesPassed(alteration, altered);
  if (doubt === 'some' && !isNamed && (await isHeld())) return { ...unknown, state: 'held' };
  const equal = await onBase('bareEqual');
  const unequal = equal === null ? null : await onBase('bareUnequal');
  if (equal === null || unequal === null) return null;
  if (overpoweredIn(alteration, altered, { equal, unequal }).length === 0) return unknown;
  // Luck is not believed: a test may fail now and then.
  const again = await onLoop('altered');
  if (again === null) return null;
  const odd = overpoweredIn(alteration, again, { equal, unequal });
  return odd.length === 0 ? unknown : { state: 'broken', odd };
}

function isIn(list: readonly Odd[], odd: Odd): boolean {
  return list.some((each) => isSameOdd(each, odd));
}

/**
 * Found once more, in two runs of their own: a test that fails now and then is no finding. Nor is a value that equals others
 * on the base too.
 */
async function equalTwice(
  { alteration, onLoop, onBase }: Look,
  found: readonly Odd[],
): Promise<Found | null> {
  const pairOf = async (run: Look['onLoop']): Promise<readonly Odd[] | null> => {
    const altered = await run('altered');
    const unequal = altered === null ? null : await run('unequal');
    return altered === null || unequal === null ? null : equalToAll(alteration, altered, unequal);
  };
  const again = await pairOf(onLoop);
  const before = again === null ? null : await pairOf(onBase);
  if (again === null || before === null) return null;
  const odd = found.filter((each) => isIn(again, each) && !isIn(before, each));
  return odd.length === 0 ? unknown : { state: 'broken', odd };
}

/** The first statement that fails ends a script: here each says by itself whether it went through. */
async function lookInside({ alteration, onLoop, onBase, before }: Look): Promise<Found | null> {
  const held: Found = { ...unknown, state: 'held' };
  if (alteration.words.length === 0) return held;
  const altered = await onLoop('markedAltered');
  if (altered === null) return null;
  if (wordsIn(alteration.words, altered).length === 0) return held;
  const unequal = await onLoop('markedUnequal');
  if (unequal === null) return null;
  const isLoaded = unequal.some(({ passed }) => passed === true);
  const found = isLoaded ? wentThrough(alteration, altered, unequal) : [];
  if (found.length === 0) return held;
  const there = await onBase('markedAltered');
  if (there === null) return null;
  const known = wordsIn(alteration.words, there);
  if (found.every((word) => known.includes(word))) return held;
  const odd = before.map(({ name }): Odd => ({ kind: 'comparison', check: name, test: '' }));
  return { state: 'broken', odd };
}

async function readChecks(engine: Engine, loop: Loop, result: RunResult): Promise<FilledRun> {
  const checks = result.checks.filter(({ command }) => command !== null);
  return Promise.all(
    checks.map(async (check) => {
      const { name, passed, output } = check;
      const tests = check.tests === null ? null : await testsOf(engine, loop, result.run, check);
      return { name, passed, tests, output };
    }),
  );
}
