import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import { loopCost, loopTokens, ranIterations, type Loop } from '../core/loop/loop.ts';
import { exitCodeOfLoop, proofOf } from '../core/loop/finishing.ts';
import { loopStatuses } from '../core/loop/status.ts';
import { proofs } from '../core/verdict/proof.ts';
import { plainCounts, reportTests, type TestCounts } from '../core/verdict/report.ts';
import { Tests, Tokens, roundUsd } from './value.ts';

/** One loop as `run --json` prints it. Absent is null. */
export const LoopResult = lazy(() =>
  z.object({
    /** Id of the loop. */
    loop: z.string(),
    /** Id of its task. */
    task: z.string(),
    status: z.enum(loopStatuses),
    reason: z.string().nullable(),
    iterations: z.number().int(),
    branch: z.string().nullable(),
    /** Commit ids; null outside git. */
    base: z.string().nullable(),
    head: z.string().nullable(),
    /** Between base and head. */
    filesChanged: z.array(z.string()),
    /** Of the newest verification. */
    tests: Tests().nullable(),
    costUsd: z.number().nullable(),
    tokens: Tokens().nullable(),
    /** Working time of all its engines together. */
    durationMs: z.number(),
    /** How well the completion is shown; null for a loop that is not complete. */
    proof: z.enum(proofs).nullable(),
    /** Null while the loop does not rest. */
    exitCode: z.number().int().nullable(),
  }),
);
export type LoopResult = z.infer<ReturnType<typeof LoopResult>>;

/** What `run` alone prints; `error` says why when nothing ran. */
export const RunResult = lazy(() =>
  z.object({
    loops: z.array(LoopResult()),
    exitCode: z.number().int(),
  }),
);
export type RunResult = z.infer<ReturnType<typeof RunResult>>;

/** `filesChanged` comes from git where there is one; else from `filesTouched`. */
export function loopResult(loop: Loop, filesChanged: readonly string[]): LoopResult {
  const { branch, base } = loop.workspace;
  return {
    loop: loop.id,
    task: loop.taskId,
    status: loop.status,
    reason: loop.reason,
    iterations: ranIterations(loop).length,
    branch,
    base,
    head: loop.head,
    filesChanged: [...filesChanged],
    tests: plainTests(newestTests(loop)),
    costUsd: roundUsd(loopCost(loop)),
    tokens: loopTokens(loop),
    durationMs: loop.activeMs,
    proof: proofOf(loop)?.kind ?? null,
    exitCode: exitCodeOfLoop(loop),
  };
}

function plainTests(tests: TestCounts | null): TestCounts | null {
  return tests === null ? null : plainCounts(tests);
}

/** Tests of the newest verification that counted any; the baseline is no verification of the work. */
export function newestTests(loop: Loop): TestCounts | null {
  const judged = loop.iterations.findLast(({ report }) => report !== null);
  return judged?.report ? reportTests(judged.report) : null;
}
