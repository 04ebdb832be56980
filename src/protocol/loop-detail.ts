import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import type { Iteration, Loop } from '../core/loop/loop.ts';
import { iterationStatuses } from '../core/loop/status.ts';
import { standingWarnings } from '../core/loop/stuck.ts';
import { plainCounts, reportTests } from '../core/verdict/report.ts';
import { redactText } from './redact-text.ts';
import { LoopResult, loopResult } from './loop-result.ts';
import { isoTime, isoTimeOrNull, Tests, Time, Tokens, roundUsd } from './value.ts';

export const IterationDetail = lazy(() =>
  z.object({
    number: z.number().int(),
    status: z.enum(iterationStatuses),
    outcome: z.string().nullable(),
    exitCode: z.number().int().nullable(),
    /** The review pass it is for, such as `2 of 5: correctness`. */
    pass: z.string().nullable(),
    model: z.string().nullable(),
    modelReason: z.string().nullable(),
    verification: z
      .object({ passed: z.boolean(), levels: z.record(z.string(), z.unknown()) })
      .nullable(),
    decision: z.object({ continue: z.boolean(), reason: z.string() }).nullable(),
    filesCreated: z.array(z.string()),
    filesModified: z.array(z.string()),
    filesDeleted: z.array(z.string()),
    testsRun: z.boolean(),
    tests: Tests().nullable(),
    contextPercent: z.number().nullable(),
    progressDetected: z.boolean().nullable(),
    summary: z.string().nullable(),
    costUsd: z.number().nullable(),
    tokens: Tokens().nullable(),
    durationMs: z.number().nullable(),
    startedAt: Time(),
    endedAt: Time().nullable(),
    injected: z.array(z.string()),
    metadata: z.record(z.string(), z.unknown()),
  }),
);
export type IterationDetail = z.infer<ReturnType<typeof IterationDetail>>;

/**
 * Skipped iterations neither count nor break the streak. `successful` are those whose checks passed; `failed` and `timedOut` say
 * how the agent ended.
 */
export const LoopTotals = lazy(() =>
  z.object({
    iterations: z.number().int(),
    successful: z.number().int(),
    failed: z.number().int(),
    timedOut: z.number().int(),
    durationMs: z.number(),
    filesModified: z.number().int(),
    filesCreated: z.number().int(),
    testsRun: z.number().int(),
    testsPassed: z.number().int(),
    testsFailed: z.number().int(),
    failureStreak: z.number().int(),
  }),
);
export type LoopTotals = z.infer<ReturnType<typeof LoopTotals>>;

/** One loop as `loop show --json` prints it. */
export const LoopDetail = lazy(() =>
  LoopResult().extend({
    title: z.string(),
    text: z.string().nullable(),
    agent: z.string(),
    loopType: z.string(),
    baseline: z.string().nullable(),
    mergedInto: z.string().nullable(),
    waitingUntil: Time().nullable(),
    createdAt: Time(),
    updatedAt: Time(),
    endedAt: Time().nullable(),
    warnings: z.array(z.string()),
    iterations: z.array(IterationDetail()),
    totals: LoopTotals(),
  }),
);
export type LoopDetail = z.infer<ReturnType<typeof LoopDetail>>;

export function loopDetail(loop: Loop, filesChanged: readonly string[]): LoopDetail {
  return {
    ...loopResult(loop, filesChanged),
    title: loop.title,
    text: loop.text,
    agent: redactText()(loop.agent),
    loopType: loop.loopType,
    baseline: loop.baseline?.state ?? null,
    mergedInto: loop.mergedInto,
    waitingUntil: isoTimeOrNull(loop.wait?.until ?? null),
    createdAt: isoTime(loop.createdAt),
    updatedAt: isoTime(loop.updatedAt),
    endedAt: isoTimeOrNull(loop.endedAt),
    warnings: [...standingWarnings(loop)],
    iterations: loop.iterations.map(iterationDetail),
    totals: loopTotals(loop.iterations),
  };
}

export function iterationDetail(iteration: Iteration): IterationDetail {
  const { report, decision, changes, agent } = iteration;
  const renamed = changes?.renamed ?? [];
  const counts = report === null ? null : reportTests(report);
  const tests = counts === null ? null : plainCounts(counts);
  return {
    number: iteration.number,
    status: iteration.status,
    outcome: iteration.outcome,
    exitCode: agent?.exitCode ?? null,
    pass: iteration.pass ?? null,
    model: iteration.model,
    modelReason: iteration.modelReason,
    verification:
      report === null ? null : { passed: report.overall.passed, levels: { ...report.levels } },
    decision: decision === null ? null : { continue: decision.continue, reason: decision.reason },
    // A renamed file is gone under its old name and new under the other.
    filesCreated: [...(changes?.created ?? []), ...renamed.map(({ to }) => to)].toSorted(),
    filesModified: [...(changes?.modified ?? [])],
    filesDeleted: [...(changes?.deleted ?? []), ...renamed.map(({ from }) => from)].toSorted(),
    testsRun: tests !== null,
    tests,
    contextPercent: agent?.contextPercent ?? null,
    progressDetected: decision?.inputs.progress?.progress ?? null,
    summary: agent?.summary ?? null,
    costUsd: iteration.unpriced === true ? null : roundUsd(iteration.costUsd),
    tokens: iteration.tokens,
    durationMs: iteration.durationMs,
    startedAt: isoTime(iteration.startedAt),
    endedAt: isoTimeOrNull(iteration.endedAt),
    injected: [...iteration.injected],
    metadata: iterationMetadata(iteration),
  };
}

function iterationMetadata(iteration: Iteration): IterationDetail['metadata'] {
  const { agent, decision } = iteration;
  return {
    attempt: iteration.status === 'skipped' ? null : iteration.attempt,
    tries: iteration.tries,
    counted: iteration.counted,
    commit: iteration.commit,
    promptHash: iteration.promptHash,
    restored: iteration.restored,
    why: iteration.why,
    agent: agent?.kind ?? null,
    evidence: agent?.evidence ?? null,
    claim: agent?.claim ?? null,
    confidence: agent?.confidence ?? null,
    costSource: agent?.costSource ?? null,
    usage: iteration.usage ?? [],
    decidedBy: decision?.source ?? null,
    strategy: decision?.metadata ?? null,
  };
}

export function loopTotals(iterations: readonly Iteration[]): LoopTotals {
  const counted = iterations.filter(({ status }) => status !== 'skipped').map(iterationDetail);
  const withStatus = (status: string) => counted.filter((each) => each.status === status).length;
  const sum = (value: (iteration: IterationDetail) => number) =>
    counted.reduce((total, iteration) => total + value(iteration), 0);
  return {
    iterations: counted.length,
    successful: counted.filter(({ verification }) => verification?.passed === true).length,
    failed: withStatus('failed'),
    timedOut: withStatus('timed_out'),
    durationMs: sum(({ durationMs }) => durationMs ?? 0),
    filesModified: sum(({ filesModified }) => filesModified.length),
    filesCreated: sum(({ filesCreated }) => filesCreated.length),
    testsRun: sum(({ tests }) => tests?.total ?? 0),
    testsPassed: sum(({ tests }) => tests?.passed ?? 0),
    testsFailed: sum(({ tests }) => tests?.failed ?? 0),
    failureStreak: failureStreak(counted),
  };
}

/** Failed and timed-out iterations since the last completed one; interrupted ones are passed over. */
function failureStreak(iterations: readonly IterationDetail[]): number {
  const last = iterations.findLastIndex(({ status }) => status === 'completed');
  return iterations
    .slice(last + 1)
    .filter(({ status }) => status === 'failed' || status === 'timed_out').length;
}
