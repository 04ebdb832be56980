import type { Loop } from '../core/loop/loop.ts';
import { planAlteration, type Alteration, type Filling } from '../core/judge/tripwire/alter.ts';
import {
  altersText,
  doubtOf,
  equalToAll,
  namesPassed,
  overpoweredIn,
  type FilledRun,
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
  const run = async (filling: Filling, more: Partial<RunWish>): Promise<FilledRun | null> => {
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
  const findings = [
    ...found.checks.map((name) => altersText(loaded, 'check', command(name))),
    ...found.tests.map((name) => altersText(loaded, 'test', name)),
  ];
  return { state: found.state, findings, runs };
}

type Look = {
  readonly alteration: Alteration;
  readonly before: FilledRun;
  readonly onLoop: (filling: Filling) => Promise<FilledRun | null>;
  readonly onBase: (filling: Filling) => Promise<FilledRun | null>;
  readonly isHeld: () => Promise<boolean>;
};

type Found = {
  readonly state: Sprung['state'];
  readonly checks: readonly string[];
  readonly tests: readonly string[];
};

const unknown: Found = { state: null, checks: [], tests: [] };

/** One run where every comparison fails; more only where one does not. */
async function lookAt(look: Look): Promise<Found | null> {
  const { alteration, before, onLoop, onBase, isHeld } = look;
  const altered = await onLoop('altered');
  if (altered === null) return null;
  const doubt = doubtOf(alteration, altered, before);
  if (doubt === 'held') return { ...unknown, state: 'held' };
  if (doubt === 'silent') return unknown;
  if (alteration.names.length + alteration.unnamed > 0) {
    const unequal = await onLoop('unequal');
    if (unequal === null) return null;
    const tests = equalToAll(altered, unequal);
    if (tests.length > 0) return equalTwice(look, tests);
  }
  const isNamed = namesPassed(alteration, altered);
  if (doubt === 'some' && !isNamed && (await isHeld())) return { ...unknown, state: 'held' };
  const equal = await onBase('bareEqual');
  const unequal = equal === null ? null : await onBase('bareUnequal');
  if (equal === null || unequal === null) return null;
  const { checks, tests } = overpoweredIn(alteration, altered, { equal, unequal });
  if (checks.length + tests.length === 0) return unknown;
  // Luck is not believed: a test may fail now and then.
  const again = await onLoop('altered');
  if (again === null) return null;
  const still = overpoweredIn(alteration, again, { equal, unequal });
  const isSure = still.checks.length + still.tests.length > 0;
  return isSure ? { state: 'broken', ...still } : unknown;
}

/** Found once more, in two runs of their own: a test that fails now and then is no finding. */
async function equalTwice({ onLoop }: Look, found: readonly string[]): Promise<Found | null> {
  const altered = await onLoop('altered');
  const unequal = altered === null ? null : await onLoop('unequal');
  if (altered === null || unequal === null) return null;
  const again = equalToAll(altered, unequal);
  const tests = found.filter((name) => again.includes(name));
  return tests.length === 0 ? unknown : { state: 'broken', checks: [], tests };
}

async function readChecks(engine: Engine, loop: Loop, result: RunResult): Promise<FilledRun> {
  const checks = result.checks.filter(({ command }) => command !== null);
  return Promise.all(
    checks.map(async (check) => {
      const { name, passed } = check;
      const tests = check.tests === null ? null : await testsOf(engine, loop, result.run, check);
      return { name, passed, tests };
    }),
  );
}
