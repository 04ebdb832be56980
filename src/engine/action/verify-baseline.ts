import type { BaselineState } from '../../core/loop/event.ts';
import type { Judges } from '../../core/loop/judges.ts';
import { limitsOf } from '../../core/loop/loop-feedback.ts';
import type { Loop } from '../../core/loop/loop.ts';
import {
  greenBaseFeedback,
  unknownBaseFeedback,
} from '../../core/verdict/confirmation-feedback.ts';
import { renderFeedback } from '../../core/verdict/feedback.ts';
import { withIntegrity } from '../../core/verdict/integrity.ts';
import { allChecks, verdictOf, type VerificationReport } from '../../core/verdict/report.ts';
import {
  declaredIn,
  manifestNames,
  setupFault,
  setupHint,
} from '../../core/verdict/setup-fault.ts';
import type { StoredBaseline } from '../../ports/store.ts';
import { baselineKey } from '../baseline-key.ts';
import type { Engine } from '../engine.ts';
import { lookAtJudges } from '../look-at-judges.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { runVerification } from '../run-verification.ts';
import { withBaseFiles } from '../base-files.ts';

/**
 * Judges the untouched base, so that a later pass means something. Once per tree, checks and environment:
 * other loops reuse it. Its failures are the feedback of the first iteration.
 */
export async function verifyBaseline(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop } = owner;
  const skip = !loop.options.verify || loop.settings.verify.baseline === 'skip';
  if (skip && !loop.options.verifyOnly) {
    await owner.record({
      type: 'baseline.recorded',
      state: 'skipped',
      report: null,
      reused: false,
      feedback: skippedFeedback(loop),
      warning: null,
      ...(await judgesOf(engine, owner)),
    });
    return;
  }
  await withBaseFiles(engine, owner, async ({ workspace: { path: cwd }, tree }) => {
    const key = baselineKey(loop, tree);
    const known = loop.options.verifyOnly
      ? null
      : await engine.store.read((tx) => tx.baselines.get(key));
    if (known !== null) {
      await recordBaseline(engine, owner, known, true);
      // Nothing has run in the worktree since.
      if (cwd === owner.workspace.path) owner.sawFiles(tree);
      return;
    }
    await owner.record({ type: 'baseline.started' });
    const dir = await engine.artifacts.namedDir(loop.id, 'baseline');
    const { base: commit } = loop.workspace;
    const judged = { cwd, dir, tree, commit, work: null };
    const report = await runVerification(engine, loop, judged, owner.cut);
    // The checks may have left files; what they are now is looked at beside the storing.
    if (cwd === owner.workspace.path) owner.lookAfter('the checks', tree);
    if (report === null) return;
    const fault = await faultOf(engine, loop, report, owner.cut).catch((error: unknown) => {
      // Cut short, or lost to another owner: the base is looked at again by whoever goes on.
      if (owner.cut.aborted) return null;
      throw error;
    });
    if (fault === null) return;
    const baseline: JudgedBase = { state: stateOf(report), report, ...fault };
    if (isLasting(report) && baseline.state !== 'broken') {
      await owner.before('store-baseline');
      await engine.store.write((tx) => tx.baselines.put(key, baseline, engine.clock.now()));
      await owner.after('store-baseline');
    }
    await recordBaseline(engine, owner, baseline, false);
  });
}

async function recordBaseline(
  engine: Engine,
  owner: LoopOwner,
  { state, report, fault }: JudgedBase,
  reused: boolean,
): Promise<void> {
  const first = owner.loop.iterations.length === 0;
  await owner.record({
    type: 'baseline.recorded',
    state,
    report: withIntegrity(report, null),
    reused,
    feedback: first ? firstFeedback(owner.loop, state, report) : owner.loop.feedback,
    warning: fault === undefined ? null : `${fault}; a later pass is unproven`,
    ...(fault === undefined ? {} : { fault }),
    ...(await judgesOf(engine, owner, reused)),
  });
}

type JudgedBase = StoredBaseline & { readonly fault?: string };

/** What the first iteration is told: what fails, or that nothing does yet. */
function firstFeedback(loop: Loop, state: BaselineState, report: VerificationReport): string {
  const { proof, confirm } = loop.settings.verify;
  const commands = checkCommands(loop.settings);
  if (state === 'green' && commands.length > 0) {
    return greenBaseFeedback(commands, proof !== 'off' && confirm !== 'off');
  }
  return renderFeedback(report, {}, limitsOf(loop));
}

function checkCommands({ validation, verify }: Loop['settings']): readonly string[] {
  const named = [...Object.values(validation.commands), ...verify.fixtures];
  const all = [validation.command, ...named.map(({ command }) => command)];
  return [...new Set(all.filter((command) => command !== null))];
}

/** After a rebase, what the last iteration was to be told stays. */
function skippedFeedback({ iterations, feedback, options, settings }: Loop): string {
  if (iterations.length > 0) return feedback;
  const commands = checkCommands(settings);
  return options.verify && commands.length > 0 ? unknownBaseFeedback(commands) : '';
}

const maxManifestBytes = 256 * 1024;

/** The base with a check that could not run, and why; nothing when all ran. */
async function faultOf(
  { project }: Engine,
  loop: Loop,
  report: VerificationReport,
  signal: AbortSignal,
): Promise<{ readonly state?: 'broken'; readonly fault?: string }> {
  if (loop.options.verifyOnly || report.overall.passed) return {};
  const revision = loop.workspace.base;
  const texts =
    revision === null
      ? new Map<string, string | null>()
      : await project.readSeveralAt(revision, manifestNames, maxManifestBytes, signal);
  const declares = declaredIn([...texts.values()].filter((text) => text !== null));
  for (const { check } of allChecks(report)) {
    const fault = setupFault(check, declares);
    if (fault === null) continue;
    const what = `the check ${check.name} could not run on the base: ${fault}`;
    return { state: 'broken', fault: `${what}; ${setupHint(check.command ?? check.name)}` };
  }
  return {};
}

/**
 * Before the first iteration nobody but the user has touched the worktree. A setup among the checks may bring programs
 * and configuration that are not there before it has run once, so then nothing is known of them.
 */
async function judgesOf(
  engine: Engine,
  { loop, workspace }: LoopOwner,
  reused = true,
): Promise<{ readonly judges?: Judges }> {
  if (loop.iterations.length > 0 || !loop.options.verify || loop.options.verifyOnly) return {};
  const { configs, ...judges } = await lookAtJudges(engine, loop, workspace.path);
  const isReady = loop.settings.validation.setup === null || !reused;
  if (!isReady) return { judges: { ...judges, programs: {} } };
  return { judges: { ...judges, ...(configs === undefined ? {} : { configs }) } };
}

/** A check that could not run or took too long says something about this machine now, not about the tree. */
function isLasting(report: VerificationReport): boolean {
  return allChecks(report).every(
    ({ check }) =>
      check.command === null ||
      (check.exitCode !== null && check.exitCode !== 126 && check.exitCode !== 127),
  );
}

function stateOf(report: VerificationReport): BaselineState {
  const verdict = verdictOf(report.levels);
  if (verdict === null || hasOnlyNoTests(report)) return 'unknown';
  return verdict ? 'green' : 'red';
}

/** A base without tests judges nothing, also where its runner calls that a failure. */
function hasOnlyNoTests(report: VerificationReport): boolean {
  const failed = allChecks(report).filter(({ check }) => check.passed === false);
  return failed.length > 0 && failed.every(({ check }) => check.noTests === true);
}
