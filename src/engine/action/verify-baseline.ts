import { createHash } from 'node:crypto';
import type { BaselineState } from '../../core/loop/event.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { renderFeedback } from '../../core/verdict/feedback.ts';
import { allChecks, combine, type VerificationReport } from '../../core/verdict/report.ts';
import type { StoredBaseline } from '../../ports/store.ts';
import type { Engine } from '../engine.ts';
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
      feedback: '',
      warning: null,
    });
    return;
  }
  await withBaseFiles(engine, owner, async ({ path: cwd, tree }) => {
    const key = baselineKey(loop, tree);
    const known = loop.options.verifyOnly
      ? null
      : await engine.store.read((tx) => tx.baselines.get(key));
    if (known !== null) return recordBaseline(owner, known, true);
    await owner.record({ type: 'baseline.started' });
    const dir = await engine.artifacts.namedDir(loop.id, 'baseline');
    const report = await runVerification(engine, loop, { cwd, dir, tree }, owner.cut);
    if (report === null) return;
    const baseline = { state: stateOf(report), report };
    if (isLasting(report)) {
      await owner.before('store-baseline');
      await engine.store.write((tx) => tx.baselines.put(key, baseline, engine.clock.now()));
      await owner.after('store-baseline');
    }
    await recordBaseline(owner, baseline, false);
  });
}

async function recordBaseline(
  owner: LoopOwner,
  { state, report }: StoredBaseline,
  reused: boolean,
): Promise<void> {
  const broken = allChecks(report).find(
    ({ check }) => check.exitCode === 126 || check.exitCode === 127,
  );
  const first = owner.loop.iterations.length === 0;
  await owner.record({
    type: 'baseline.recorded',
    state,
    report,
    reused,
    feedback: first ? renderFeedback(report) : owner.loop.feedback,
    warning:
      broken === undefined
        ? null
        : `the check ${broken.check.name} could not run on the base (${broken.check.reason ?? ''})`,
  });
}

/** A check that could not run or took too long says something about this machine now, not about the tree. */
function isLasting(report: VerificationReport): boolean {
  return allChecks(report).every(
    ({ check }) => check.exitCode !== null && check.exitCode !== 126 && check.exitCode !== 127,
  );
}

function stateOf(report: VerificationReport): BaselineState {
  const verdict = combine(Object.values(report.levels).map((level) => level.passed));
  if (verdict === null) return 'unknown';
  return verdict ? 'green' : 'red';
}

function baselineKey(loop: Loop, tree: string): string {
  const { validation, env, verify, workspace, sandbox } = loop.settings;
  const walls = sandbox.level === 'bubblewrap' ? [sandbox] : [];
  const judged = [tree, validation, env, verify['parse-tests'], workspace, ...walls];
  return createHash('sha256').update(JSON.stringify(judged)).digest('hex');
}
