import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import type { Iteration, Loop } from '../core/loop/loop.ts';
import { proofOf } from '../core/loop/finishing.ts';
import { loopStatuses } from '../core/loop/status.ts';
import { changeText } from '../core/verdict/confirmation.ts';
import { proofs } from '../core/verdict/proof.ts';
import { allChecks, type VerificationReport } from '../core/verdict/report.ts';
import { redactText } from './redact-text.ts';
import type { FoldedLoop } from '../ports/store.ts';
import { Tokens } from './value.ts';

export const ReceiptCheck = lazy(() =>
  z.object({
    level: z.string(),
    name: z.string(),
    passed: z.boolean().nullable(),
    reason: z.string().nullable(),
    command: z.string().nullable(),
    exitCode: z.number().int().nullable(),
    /** SHA-256 of the whole output. */
    outputHash: z.string().nullable(),
    evidence: z.string().nullable(),
    durationMs: z.number(),
  }),
);
export type ReceiptCheck = z.infer<ReturnType<typeof ReceiptCheck>>;

export const ReceiptVerification = lazy(() =>
  z.object({
    passed: z.boolean(),
    tree: z.string(),
    commit: z.string().nullable(),
    environment: z
      .object({
        fingerprint: z.string(),
        platform: z.string(),
        version: z.string(),
        cleanRoom: z.boolean(),
        variables: z.array(z.string()),
      })
      .nullable(),
    checks: z.array(ReceiptCheck()),
  }),
);
export type ReceiptVerification = z.infer<ReturnType<typeof ReceiptVerification>>;

export const ReceiptIteration = lazy(() =>
  z.object({
    number: z.number().int(),
    outcome: z.string().nullable(),
    model: z.string().nullable(),
    promptHash: z.string().nullable(),
    injected: z.array(z.string()),
    commit: z.string().nullable(),
    diff: z.object({ from: z.string(), to: z.string().nullable(), files: z.number().int() }),
    costUsd: z.number().nullable(),
    tokens: Tokens().nullable(),
    verification: ReceiptVerification().nullable(),
    gates: z.array(
      z.object({
        name: z.string(),
        type: z.string(),
        passed: z.boolean(),
        reason: z.string(),
        command: z.string().nullable(),
        exitCode: z.number().int().nullable(),
      }),
    ),
    approvals: z.array(z.object({ by: z.string(), note: z.string() })),
    decision: z.string().nullable(),
  }),
);
export type ReceiptIteration = z.infer<ReturnType<typeof ReceiptIteration>>;

/** What was executed for a loop, as `receipt show --json` prints it. */
export const Receipt = lazy(() =>
  z.object({
    loop: z.string(),
    task: z.string(),
    title: z.string(),
    agent: z.string(),
    status: z.enum(loopStatuses),
    reason: z.string().nullable(),
    base: z.string().nullable(),
    head: z.string().nullable(),
    /** The hash chain of the log: the first event that does not fit, or null. */
    chain: z.object({ events: z.number().int(), brokenAt: z.number().int().nullable() }),
    /** In what the stored state of the loop says something else than the log, which counts. */
    stateDiffers: z.array(z.string()),
    baseline: z
      .object({ state: z.string(), verification: ReceiptVerification().nullable() })
      .nullable(),
    iterations: z.array(ReceiptIteration()),
    /** How well the completion is shown; null for a loop that is not complete. */
    proof: z
      .object({
        kind: z.enum(proofs),
        why: z.string(),
        /** Who lifted a refusal: a person, or the agent by its own word. */
        liftedBy: z.enum(['person', 'agent']).nullable(),
        /** Files that judge the work and are not as on the base. */
        changes: z.array(z.string()),
        /** Runs in clean checkouts. */
        runs: z.array(
          z.object({
            kind: z.string(),
            passed: z.boolean().nullable(),
            reason: z.string().nullable(),
            durationMs: z.number(),
            evidence: z.string(),
          }),
        ),
      })
      .nullable(),
    /** Checks that failed on the base and pass at the end; empty when the proof is another one. */
    redToGreen: z.array(z.string()),
  }),
);
export type Receipt = z.infer<ReturnType<typeof Receipt>>;

/** `loop` is folded from the log. */
export function receiptOf(
  loop: Loop,
  { brokenAt, differs }: Pick<FoldedLoop, 'brokenAt' | 'differs'>,
): Receipt {
  return {
    loop: loop.id,
    task: loop.taskId,
    title: loop.title,
    agent: redactText()(loop.agent),
    status: loop.status,
    reason: loop.reason,
    base: loop.workspace.base,
    head: loop.head,
    chain: { events: loop.seq, brokenAt },
    stateDiffers: [...differs],
    baseline:
      loop.baseline === null
        ? null
        : { state: loop.baseline.state, verification: verificationOf(loop.baseline.report) },
    iterations: loop.iterations.map(iterationOf),
    proof: receiptProof(loop),
    redToGreen: redToGreen(loop),
  };
}

function receiptProof(loop: Loop): Receipt['proof'] {
  const proof = proofOf(loop);
  if (proof === null) return null;
  const { kind, why, liftedBy, confirmation } = proof;
  const runs = (confirmation?.runs ?? []).map((run) => {
    const { kind: name, passed, reason, durationMs, evidence } = run;
    return { kind: name, passed, reason, durationMs, evidence };
  });
  return { kind, why, liftedBy, changes: (confirmation?.changes ?? []).map(changeText), runs };
}

function iterationOf(iteration: Iteration): ReceiptIteration {
  const { changes, gates = [], approvals = [] } = iteration;
  const files =
    changes === null
      ? 0
      : changes.created.length +
        changes.modified.length +
        changes.deleted.length +
        changes.renamed.length +
        (changes.untracked ?? 0);
  return {
    number: iteration.number,
    outcome: iteration.outcome,
    model: iteration.model,
    promptHash: iteration.promptHash,
    injected: [...iteration.injected],
    commit: iteration.commit,
    diff: { from: iteration.startTree, to: iteration.tree, files },
    costUsd: iteration.costUsd,
    tokens: iteration.tokens,
    verification: verificationOf(iteration.report),
    gates: gates.map(({ name, type, passed, reason, command, exitCode }) => {
      return { name, type, passed, reason, command, exitCode };
    }),
    approvals: approvals.map(({ by, note }) => ({ by, note })),
    decision: iteration.decision?.reason ?? null,
  };
}

function verificationOf(report: VerificationReport | null): ReceiptVerification | null {
  if (report === null) return null;
  const { environment } = report;
  return {
    passed: report.overall.passed,
    tree: report.tree,
    commit: report.commit ?? null,
    environment:
      environment === undefined ? null : { ...environment, variables: [...environment.variables] },
    checks: allChecks(report).map(({ level, check }) => ({
      level,
      name: check.name,
      passed: check.passed,
      reason: check.reason,
      command: check.command,
      exitCode: check.exitCode,
      outputHash: check.outputHash ?? null,
      evidence: check.evidence,
      durationMs: check.durationMs,
    })),
  };
}

function redToGreen(loop: Loop): string[] {
  const last = loop.iterations.at(-1)?.report ?? null;
  const first = loop.baseline?.report ?? null;
  if (first === null || last === null || !last.overall.passed) return [];
  const green = new Set(
    allChecks(last).flatMap(({ level, check }) => (check.passed ? `${level}/${check.name}` : [])),
  );
  return allChecks(first)
    .filter(({ check }) => check.passed === false)
    .map(({ level, check }) => `${level}/${check.name}`)
    .filter((name) => green.has(name));
}
