import { isTestFile } from '../core/judge/classify.ts';
import { changedPaths } from '../core/loop/changes.ts';
import { confirmStateOf } from '../core/loop/confirming.ts';
import type { Loop } from '../core/loop/loop.ts';
import { matchesAny } from '../core/text/glob.ts';
import {
  inventoryOfReport,
  judgeIntegrity,
  withIntegrity,
  type IntegrityInput,
} from '../core/verdict/integrity.ts';
import type { VerificationReport } from '../core/verdict/report.ts';
import { baselineKey } from './baseline-key.ts';
import type { Engine } from './engine.ts';
import { keepEvidence } from './keep-evidence.ts';
import type { JudgedFiles, LoopWork } from './judged-files.ts';
import { hiddenConfigs, replacedPrograms } from './look-at-judges.ts';

/** The files of the base and those that are judged, as revisions or snapshots. */
type JudgedRange = { readonly from: string; readonly to: string };

/**
 * What the loop has done since its base. On a branch the commits say it exactly: what checks leave behind is never
 * committed. Without commits the files are compared with those the first iteration started from.
 */
export function judgedRange(loop: Loop): JudgedRange | null {
  const { base } = loop.workspace;
  const [from, to] =
    loop.options.commit && base !== null
      ? [base, loop.head]
      : [loop.iterations[0]?.startTree ?? null, loop.iterations.at(-1)?.tree ?? null];
  return from === null || to === null || from === '' ? null : { from, to };
}

/** Programs and configuration that judge and are not what they were before the first iteration. */
export type ReplacedJudges = Pick<IntegrityInput, 'replaced' | 'hidden'>;

/** Looked at before the checks run and afterwards: either may be put back by what they run. */
export async function replacedJudges(
  engine: Engine,
  loop: Loop,
  { cwd, work }: Pick<JudgedFiles, 'cwd' | 'work'>,
  signal: AbortSignal,
): Promise<ReplacedJudges> {
  if (work === null || loop.settings.verify.integrity === 'off')
    return { replaced: [], hidden: [] };
  return {
    replaced: await replacedPrograms(engine, loop, cwd),
    hidden: await hiddenConfigs(engine, loop, cwd, work.to, signal),
  };
}

/** Adds the check `integrity` to a report when the loop has weakened what judges it. The base itself is compared with nothing. */
export async function compareWithBase(
  engine: Engine,
  loop: Loop,
  { cwd, dir, work }: Pick<JudgedFiles, 'cwd' | 'dir' | 'work'>,
  report: VerificationReport,
  before: ReplacedJudges,
  signal: AbortSignal,
): Promise<VerificationReport> {
  const { integrity: mode, allow } = loop.settings.verify;
  if (work === null) return report;
  if (mode === 'off') return withIntegrity(report, null);
  // A merge compares with a base of its own, whose tests nobody has looked at.
  const isOwnBase = loop.workspace.base === null || work.from === loop.workspace.base;
  const baseline = isOwnBase ? (loop.baseline?.report ?? null) : null;
  const started = engine.clock.monotonic();
  const after = await replacedJudges(engine, loop, { cwd, work }, signal);
  const compared: IntegrityInput = {
    mode,
    baseline,
    inventory: baseline === null ? {} : await storedInventory(engine, loop, baseline),
    confirms: confirmStateOf(loop).kind !== 'off',
    allowsTests: await allowsTests(loop, work),
    replaced: united(before.replaced, after.replaced),
    hidden: united(before.hidden, after.hidden),
    allow,
    approved: loop.allowedViolations ?? [],
    word: loop.iterations.at(-1)?.agent?.judgeChanged ?? null,
  };
  const found = judgeIntegrity(compared, report);
  if (found === null) return withIntegrity(report, null);
  const took = Math.round(engine.clock.monotonic() - started);
  const [integrity = found] = await keepEvidence(engine, dir, 'L1', [found], took);
  return withIntegrity(report, integrity);
}

function united(a: readonly string[], b: readonly string[]): readonly string[] {
  return [...new Set([...a, ...b])].toSorted();
}

/** Whether a file of tests differs from the base that may. */
async function allowsTests({ settings }: Loop, work: LoopWork): Promise<boolean> {
  const { allow } = settings.verify;
  if (allow.length === 0) return false;
  const paths = changedPaths(await work.changes(work.from, work.to));
  return paths.some((path) => isTestFile(path) && matchesAny(path, allow));
}

/** Kept with the verdict on the base and not with the loop, whose state is written again and again. */
export async function storedInventory(
  engine: Engine,
  loop: Loop,
  { tree }: VerificationReport,
): Promise<IntegrityInput['inventory']> {
  const key = baselineKey(loop, tree);
  const stored = await engine.store.read((tx) => tx.baselines.get(key));
  return stored === null ? {} : inventoryOfReport(stored.report);
}
