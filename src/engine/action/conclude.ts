import path from 'node:path';
import {
  attemptOutcomeOf,
  countsAsIteration,
  iterationStatusOf,
} from '../../core/loop/agent-policy.ts';
import { exceededBudget } from '../../core/loop/budget.ts';
import { changedPaths, noChanges } from '../../core/loop/changes.ts';
import type { LoopEvent } from '../../core/loop/event.ts';
import { foldAhead } from '../../core/loop/evolve.ts';
import type { Iteration, Loop } from '../../core/loop/loop.ts';
import { hasEndedPass } from '../../core/loop/passes.ts';
import { nothingUsed, type PricedUsage } from '../../core/price/price.ts';
import type { ProgressEntry } from '../../core/progress/entry.ts';
import { tailChars } from '../../core/text/code-points.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Completion } from '../../core/verdict/completion.ts';
import { allChecks } from '../../core/verdict/report.ts';
import { lookAtCompletion } from '../completion.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { restForSignIn } from '../sign-in.ts';
import { reportSurroundings } from '../report-surroundings.ts';
import { summariseIteration } from '../summarise-iteration.ts';
import { tellStrategy } from '../tell-strategy.ts';

const keptOutput = 4000;

/** Outcome, progress and the next step of an iteration, in one transaction. */
export async function conclude(
  engine: Engine,
  owner: LoopOwner,
  { interrupted, why }: { readonly interrupted: boolean; readonly why?: string },
): Promise<void> {
  const { loop, iteration } = owner;
  const durationMs = owner.iterationMs;
  const { changed, rest: broken } = await reportSurroundings(engine, owner);
  const around = changed === null ? [] : [changed];
  const isUnknownHere = broken === null && !interrupted && iteration.agent?.kind === 'auth';
  if (isUnknownHere) {
    return restForSignIn(engine, owner, iteration.agent?.evidence ?? null, around);
  }
  if (interrupted) {
    await owner.record(
      ...around,
      {
        type: 'iteration.ended',
        number: iteration.number,
        status: 'interrupted',
        outcome: 'interrupted',
        counted: false,
        durationMs,
        progress: null,
        why: why ?? 'cut short on request',
      },
      ...(broken === null ? [] : [{ type: 'loop.rested' as const, ...broken }]),
    );
    if (broken !== null) await tellStrategy(engine, owner.loop);
    return;
  }
  const ended = {
    type: 'iteration.ended',
    number: iteration.number,
    status: iterationStatusOf(iteration),
    counted: countsAsIteration(iteration),
    durationMs,
    why: iteration.agent?.kind === 'done' ? null : (iteration.agent?.evidence ?? null),
  } as const;
  // Conditions are about this iteration too: they see it as ended, though not as the one that completes the loop.
  const open = { ...ended, outcome: attemptOutcomeOf(iteration, false), progress: null };
  const asEnded = foldAhead(loop, open, engine.clock.now());
  const { completion } = await lookAtCompletion(engine, owner, asEnded);
  const { entry, usage } = await progressEntry(engine, owner, completion);
  const spent = usage === null ? [] : [summaryUsage(usage)];
  // A budget that is used up outweighs the pass: the loop stops, so this iteration did not complete it.
  const isOverBudget =
    exceededBudget(loop, usage ?? nothingUsed) !== null || iteration.agent?.kind === 'budget';
  // A pass that is behind the loop is no failed attempt, although others are left.
  const ends = completion.complete || hasEndedPass(asEnded);
  const completes = ends && !isOverBudget && broken === null;
  const outcome = attemptOutcomeOf(iteration, completes);
  await owner.record(...around, ...spent, { ...ended, outcome, progress: entry });
}

/** What the next iteration is told of this one, and what it cost to find the words. */
async function progressEntry(
  engine: Engine,
  owner: LoopOwner,
  completion: Completion,
): Promise<{ readonly entry: ProgressEntry; readonly usage: PricedUsage | null }> {
  const { loop, iteration } = owner;
  const found =
    iteration.report === null ? agentEntry(iteration) : await checkEntry(engine, loop, iteration);
  const raw = { ...found, errorSummary: found.errorSummary ?? missingOf(completion) };
  const { strategy } = loop.settings.progress;
  if (strategy !== 'llm-summary' && strategy !== 'hybrid') return { entry: raw, usage: null };
  const { entry, usage } = await summariseIteration(engine, owner, raw);
  return { entry: { ...raw, ...entry }, usage };
}

/** Checks that pass say nothing about why the loop is not complete. */
function missingOf(completion: Completion): string | null {
  return completion.complete || completion.missing === 'pass' ? null : completion.text;
}

function summaryUsage({ tokens, costUsd, costSource, models }: PricedUsage): LoopEvent {
  return { type: 'usage.added', purpose: 'summary', tokens, costUsd, costSource, models };
}

/** The check that says most about the iteration: the first that failed, else the last that was executed. */
async function checkEntry(
  engine: Engine,
  loop: Loop,
  iteration: Iteration,
): Promise<ProgressEntry> {
  const checks = iteration.report === null ? [] : allChecks(iteration.report);
  const executed = checks.filter((each) => each.check.command !== null);
  const failed = checks.find((each) => each.check.passed === false);
  const { check } = failed ?? executed.at(-1) ?? {};
  if (check === undefined) return agentEntry(iteration);
  const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
  const read = async (stream: string) => {
    const file = (check.evidence ?? '').replace('.stdout.', `.${stream}.`);
    const isOther = stream === 'stderr' && file === check.evidence;
    if (file === '' || isOther) return '';
    return (await engine.artifacts.readTail(path.join(dir, file), keptOutput * 4)) ?? '';
  };
  return {
    iteration: iteration.number,
    command: check.command ?? check.name,
    exitCode: check.exitCode,
    durationMs: check.durationMs,
    filesChanged: changedFiles(iteration),
    stdout: tailChars(plainText(await read('stdout')), keptOutput),
    stderr: tailChars(plainText(await read('stderr')), keptOutput),
    errorSummary: check.reason,
  };
}

/** Their number, where names are not recorded: "none" would be wrong. */
function changedFiles({ changes }: Iteration): string[] {
  const { untracked } = changes ?? noChanges;
  if (untracked !== undefined) return [`${untracked} (names not recorded)`];
  return [...changedPaths(changes ?? noChanges)];
}

/** Nothing was verified: what the agent's run itself says. */
function agentEntry(iteration: Iteration): ProgressEntry {
  return {
    iteration: iteration.number,
    command: 'agent',
    exitCode: iteration.agent?.exitCode ?? null,
    durationMs: iteration.agent?.durationMs ?? 0,
    filesChanged: changedFiles(iteration),
    stdout: '',
    stderr: tailChars(iteration.agent?.evidence ?? '', keptOutput),
    errorSummary: iteration.agent?.evidence ?? null,
  };
}
