import { LoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import { proofOf } from '../core/loop/finishing.ts';
import type { LoopStatus } from '../core/loop/status.ts';
import type { ThrowawayName } from '../core/loop/throwaway.ts';
import { allChecks, type Check, type VerificationReport } from '../core/verdict/report.ts';
import type { FoldedLoop } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import type { LoopWork } from './judged-files.ts';
import { runVerification } from './run-verification.ts';
import { withThrowaway } from './throwaway-worktree.ts';

/** One recorded check beside what it says now. */
export type Repeated = {
  readonly check: string;
  readonly command: string | null;
  readonly recorded: Result;
  /** Null when it did not run: an earlier level failed. */
  readonly now: Result | null;
  readonly holds: boolean;
  /** The same output, byte for byte. Most runners print times, so that other output means nothing. */
  readonly sameOutput: boolean;
};

/** A loop as its log tells it. */
export type Folded = Omit<FoldedLoop, 'loop'> & { readonly loop: Loop };

type Result = Pick<Check, 'passed' | 'exitCode' | 'reason'>;

export type ReceiptVerdict = {
  readonly commit: string;
  readonly checks: readonly Repeated[];
  /** On the base, where that was red: null when the proof does not rest on it. */
  readonly base: { readonly commit: string; readonly checks: readonly Repeated[] } | null;
  /** First event of the log that does not fit its hash chain; null when all fit. */
  readonly brokenAt: number | null;
  /** In what the stored state of the loop says something else than the log. */
  readonly stateDiffers: readonly string[];
  readonly sameEnvironment: boolean;
  readonly status: LoopStatus;
  readonly reason: string | null;
  /** How well the completion is shown; null for a loop that is not complete. */
  readonly proof: string | null;
  /** Every check says what it said then. */
  readonly repeats: boolean;
  /** The loop is complete, its record is as it was written, and every check says what it said then. */
  readonly holds: boolean;
};

/**
 * Executes the recorded checks again at the recorded commit, in a worktree of its own that is removed afterwards, and on
 * the base where that was red. Records nothing. Null when it was cut short.
 */
export async function verifyReceipt(
  engine: Engine,
  { loop, brokenAt, differs }: Folded,
  signal: AbortSignal,
): Promise<ReceiptVerdict | null> {
  const { report, commit, isBase } = await recordedProof(engine, loop, signal);
  const now = await repeat(engine, loop, { name: 'receipt', commit, isBase }, signal);
  if (now === null) return null;
  const checks = compare(report, now);
  const base = await repeatBase(engine, loop, isBase, signal);
  if (base === 'cut') return null;
  const repeats = [...checks, ...(base?.checks ?? [])].every(({ holds }) => holds);
  const isWhole = brokenAt === null && differs.length === 0;
  const { status, reason } = loop;
  return {
    commit,
    checks,
    base,
    brokenAt,
    stateDiffers: differs,
    sameEnvironment: report.environment?.fingerprint === now.environment?.fingerprint,
    status,
    reason,
    proof: proofOf(loop)?.kind ?? null,
    repeats,
    holds: status === 'complete' && isWhole && repeats,
  };
}

type Proof = {
  readonly report: VerificationReport;
  readonly commit: string;
  readonly isBase: boolean;
};

async function recordedProof(engine: Engine, loop: Loop, signal: AbortSignal): Promise<Proof> {
  const own = loop.iterations.findLast((iteration) => iteration.report !== null)?.report ?? null;
  const report = own ?? (loop.options.verifyOnly ? (loop.baseline?.report ?? null) : null);
  if (report === null) {
    throw new LoopwrightError(
      'receipt.nothing',
      `no checks were executed for ${loop.id}, which is ${loop.status}`,
      {
        hint: `see \`loopwright loop show ${loop.id}\``,
      },
    );
  }
  const { commit } = report;
  if (commit === undefined) {
    throw new LoopwrightError(
      'receipt.no_commit',
      `the checks of ${loop.id} ran on files that were not committed, so they cannot be repeated`,
      { hint: `see what they said with \`loopwright receipt show ${loop.id}\`` },
    );
  }
  if ((await engine.project.resolve(`${commit}^{commit}`, signal)) === null) {
    throw new LoopwrightError(
      'receipt.commit_gone',
      `the commit ${commit.slice(0, 12)} of ${loop.id} is not in this repository any more`,
      { hint: 'fetch it from wherever the branch was pushed to, then try again' },
    );
  }
  return { report, commit, isBase: own === null };
}

type Place = {
  readonly name: ThrowawayName;
  readonly commit: string;
  readonly isBase: boolean;
};

function repeat(
  engine: Engine,
  loop: Loop,
  { name, commit, isBase }: Place,
  signal: AbortSignal,
): Promise<VerificationReport | null> {
  return withThrowaway(
    engine,
    loop,
    { name, commit },
    async (workspace) => {
      const { base } = loop.workspace;
      const work: LoopWork | null =
        isBase || base === null
          ? null
          : { from: base, to: commit, changes: (a, b) => workspace.changes(a, b, signal) };
      const dir = await engine.artifacts.namedDir(loop.id, name);
      const tree = await workspace.snapshot(signal);
      const judged = { cwd: workspace.path, dir, tree, commit, work };
      return runVerification(engine, loop, judged, signal);
    },
    signal,
  );
}

async function repeatBase(
  engine: Engine,
  loop: Loop,
  isBase: boolean,
  signal: AbortSignal,
): Promise<ReceiptVerdict['base'] | 'cut'> {
  const commit = loop.baseline?.report?.commit ?? loop.workspace.base;
  const report = loop.baseline?.report ?? null;
  if (isBase || loop.baseline?.state !== 'red' || report === null || commit === null) return null;
  const now = await repeat(engine, loop, { name: 'receipt-base', commit, isBase: true }, signal);
  return now === null ? 'cut' : { commit, checks: compare(report, now) };
}

function compare(recorded: VerificationReport, now: VerificationReport): readonly Repeated[] {
  const found = new Map(
    allChecks(now).map((each) => [`${each.level}/${each.check.name}`, each.check]),
  );
  return allChecks(recorded).map(({ level, check }) => {
    const name = `${level}/${check.name}`;
    const again = found.get(name) ?? null;
    return {
      check: name,
      command: check.command,
      recorded: resultOf(check),
      now: again === null ? null : resultOf(again),
      holds: again !== null && again.passed === check.passed && again.exitCode === check.exitCode,
      sameOutput: again?.outputHash !== undefined && again.outputHash === check.outputHash,
    };
  });
}

function resultOf({ passed, exitCode, reason }: Check): Result {
  return { passed, exitCode, reason };
}
