import path from 'node:path';
import { reusesSession } from '../../core/loop/agent-session.ts';
import { afterAgent } from '../../core/loop/agent-policy.ts';
import type { AgentRecord, LoopEvent } from '../../core/loop/event.ts';
import { effectiveIterationTimeout, effectiveMaxDuration } from '../../core/config/limits.ts';
import { systemPromptFile } from './build-prompt.ts';
import { agentEnvironment } from '../../core/env/allow-list.ts';
import { looksAtFiles, type Iteration, type Loop } from '../../core/loop/loop.ts';
import { agentNotes, maxLearningChars } from '../../core/memory/notes.ts';
import type { AgentOutcomeKind } from '../../core/agent/outcome.ts';
import type { PricedUsage } from '../../core/price/price.ts';

import { headChars } from '../../core/text/code-points.ts';
import { plainText } from '../../core/text/terminal.ts';
import { extractSummary, parseSigils, type Sigils } from '../../core/transcript/sigils.ts';
import { weakContainment } from '../../core/loop/weak-containment.ts';
import type {
  AgentLimits,
  AgentRun,
  AgentRunner,
  AgentRunResult,
  AgentSink,
} from '../../ports/agent.ts';
import type { Door } from '../../ports/door.ts';
import type { Sandbox } from '../../ports/process.ts';
import { providerOf } from '../../core/agent/provider.ts';
import { conclude } from './conclude.ts';
import { traceEnvironment } from '../agent-git-trace.ts';
import { giveAgentSlot, takeAgentSlot, tellProvider } from '../agent-slot.ts';
import { openDoor, withDoor } from '../loop-door.ts';
import { placeInputFiles } from '../input-files.ts';
import { loopSandbox } from '../loop-sandbox.ts';
import { refuseFullDisk } from '../disk-full.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { restForSignIn } from '../sign-in.ts';
import { tellPermissions } from '../tell-permissions.ts';
import { UsageKeeper } from '../running-usage.ts';
import { SpendingGuard } from '../spending-guard.ts';
import { LiveTotals } from '../live-totals.ts';
import {
  afterAgentInput,
  lookAtProvider,
  waitForOutage,
  withAnswerWatch,
} from '../provider-failure.ts';
import { WarningRecorder } from '../warning-recorder.ts';
import { plural } from '../../core/text/plural.ts';

const keptFinalText = 2000;
/** Ends that say nothing about what an iteration costs. */
const keptFromWork: ReadonlySet<AgentOutcomeKind> = new Set([
  'rate_limited',
  'usage_limit',
  'auth',
  'api_error',
  'interrupted',
]);

/**
 * One fresh agent run, in a slot of its own. Without one, because the work is being cut, nothing happens. While its provider is
 * down it waits for that; when its provider wants a sign-in the loop rests.
 */
export async function runAgent(engine: Engine, owner: LoopOwner, attempt: number): Promise<void> {
  // Whoever asks for something while it waits for a slot or for money is answered at once: nothing is under way.
  if (!(await takeAgentSlot(engine, owner, owner.asked))) {
    if (owner.cut.aborted) return undefined;
    const isUnsigned = engine.slots.isShut(providerOf(owner.loop.settings));
    return isUnsigned
      ? restForSignIn(engine, owner)
      : conclude(engine, owner, { interrupted: true });
  }
  try {
    const provider = await lookAtProvider(engine, owner);
    if (provider !== 'down') await runInSlot(engine, owner, attempt, provider === 'probe');
  } finally {
    engine.budget.ended(owner.loop.id, null, false);
    giveAgentSlot(engine, owner);
  }
}

/** Its identity is stored before it may act; its stream goes to files as it comes. */
async function runInSlot(
  engine: Engine,
  owner: LoopOwner,
  attempt: number,
  isProbe: boolean,
): Promise<void> {
  const { loop, iteration } = owner;
  const runner = await engine.resolveAgent(loop.settings);
  const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
  await using door = await openDoor(engine, loop);
  const run = await agentRun(engine, owner, runner, {
    promptFile: path.join(dir, 'prompt.md'),
    door,
    // One request is enough to find out.
    apiRetries: isProbe ? 0 : loop.settings.limits['api-retries'],
  });
  const suffix = attempt === 1 ? '' : `-${attempt}`;
  await tellPermissions(engine, loop, runner);
  const around = await owner.surroundings.begin(loop, iteration, owner.closing);
  const warnings = new WarningRecorder(owner);
  const totals = new LiveTotals(engine, loop.id);
  const keeper = new UsageKeeper(engine, dir, attempt);
  using spending = new SpendingGuard(loop, iteration.model, engine.prices, owner.cut, {
    used(usage) {
      totals.used(usage);
      keeper.used(usage);
      engine.budget.spend(loop.id, usage);
    },
    warn: (text) => warnings.add(text),
  });
  using _cut = engine.budget.onCut(loop.id, (why) => spending.stop(why));
  await owner.before('run-agent');
  engine.project.requireIntact(run.cwd);
  engine.artifacts.requireIntact(dir);
  using inputs = await placeInputFiles(engine, loop, dir, run.cwd);
  const ran = await runner.run(
    { ...run, sandbox: withReadable(run.sandbox ?? null, inputs.readable) },
    {
      stdout: path.join(dir, `stdout${suffix}.log`),
      stderr: path.join(dir, `stderr${suffix}.log`),
    },
    agentLimits(loop, runner),
    withAnswerWatch(
      engine,
      owner,
      agentSink(engine, owner, { try: attempt, surroundings: around }, spending, totals, warnings),
    ),
    spending.signal,
  );
  await owner.after('run-agent');
  // Its files are looked at while its end is put on record.
  if (looksAtFiles(loop)) owner.lookAhead();
  giveAgentSlot(engine, owner);
  const { result, usage } = await spending.judge(ran);
  await tellProvider(engine, loop, result.outcome);
  await warnings.recorded();
  await keeper.settled();
  // No agent works on a full disk: its crash says nothing about the work, and the loop goes on when there is room.
  if (result.outcome.kind === 'crashed') await refuseFullDisk(engine, loop);
  await engine.artifacts.write(path.join(dir, 'final.md'), engine.clean(result.outcome.finalText));
  await recordEnd(engine, owner, attempt, result, usage);
  // Only now: what the store does not have yet is still this loop's.
  engine.budget.ended(loop.id, usage, !keptFromWork.has(result.outcome.kind));
}

async function agentRun(
  engine: Engine,
  owner: LoopOwner,
  runner: AgentRunner,
  given: { readonly promptFile: string; readonly door: Door | null; readonly apiRetries: number },
): Promise<AgentRun> {
  const { promptFile, door, apiRetries } = given;
  const { loop, iteration } = owner;
  const maxIterations = loop.settings.limits['max-iterations'];
  const { pass, set } = loop.settings.env;
  return {
    loopId: loop.id,
    taskId: loop.taskId,
    iteration: iteration.number,
    maxIterations,
    model: iteration.model,
    systemPrompt:
      iteration.systemHash === undefined
        ? null
        : await readWhole(engine, path.join(path.dirname(promptFile), systemPromptFile)),
    prompt: await readWhole(engine, promptFile),
    promptFile,
    cwd: owner.workspace.path,
    env: withDoor(
      agentEnvironment(engine.env, {
        pass: [...runner.variables, ...pass],
        set: { ...(await traceEnvironment(engine, loop)), ...set },
        reserved: {},
      }),
      door,
    ),
    ...(door === null ? {} : { door: door.socket }),
    apiRetries,
    ...sessionOf(loop, iteration),
    maxTurns: loop.settings.limits['max-turns-per-iteration'],
    sandbox: withReadable(loopSandbox(engine, loop), door?.readable ?? []),
  };
}

/** Which session of its own the agent goes on with, if it keeps any. */
function sessionOf(
  loop: Loop,
  { resumes: id }: Pick<Iteration, 'resumes'>,
): Pick<AgentRun, 'resume' | 'keepsSession'> {
  if (!reusesSession(loop.settings)) return {};
  if (id == null) return { keepsSession: true };
  return { keepsSession: true, resume: { id, used: loop.agentSession?.tokens ?? null } };
}

async function readWhole({ artifacts }: Engine, file: string): Promise<string> {
  return (await artifacts.readTail(file, Number.MAX_SAFE_INTEGER)) ?? '';
}

function withReadable(sandbox: Sandbox | null, readable: readonly string[]): Sandbox | null {
  return sandbox === null ? null : { ...sandbox, readable: [...sandbox.readable, ...readable] };
}

/** The iteration's own limit, or what is left of the loop's time if that is less. */
function agentLimits(loop: Loop, runner: AgentRunner): AgentLimits {
  const perIteration =
    loop.settings.agents[loop.agent]?.['iteration-timeout'] ??
    effectiveIterationTimeout(loop.settings, runner.kind);
  const total = effectiveMaxDuration(loop.settings);
  const left = total === null ? perIteration : Math.max(1, total - loop.activeMs);
  const timeoutMs = Math.min(perIteration, left);
  const idleMs = loop.settings.limits['idle-timeout'];
  return { timeoutMs, idleMs, graceMs: Math.min(Math.max(timeoutMs / 10, 200), 5000) };
}

function agentSink(
  engine: Engine,
  owner: LoopOwner,
  start: { readonly try: number; readonly surroundings: string },
  spending: SpendingGuard,
  totals: LiveTotals,
  warnings: WarningRecorder,
): AgentSink {
  const { loop, iteration } = owner;
  return {
    async started(process) {
      await owner.record({ type: 'agent.started', process, ...start });
      if (process.containment !== 'process-group') return;
      // Once per loop, whether it was chosen or is all there is.
      const text = weakContainment({ hasProc: process.startTime !== null });
      if (!owner.loop.warnings.includes(text)) warnings.add(text);
    },
    activity: (activity) =>
      engine.publish({ kind: 'activity', loopId: loop.id, iteration: iteration.number, activity }),
    usage: (tokens, costUsd, model) => spending.spent({ tokens, costUsd, model }),
    turns: (turns) => totals.taken(turns),
  };
}

function tooLongText(count: number): string {
  const were = count === 1 ? 'was' : 'were';
  return `${plural(count, 'learning')} of more than ${maxLearningChars} characters ${were} cut behind a sentence`;
}

async function recordEnd(
  engine: Engine,
  owner: LoopOwner,
  attempt: number,
  result: AgentRunResult,
  usage: PricedUsage,
): Promise<void> {
  const events: LoopEvent[] = [];
  // A program that could not be started never told who it is.
  if (owner.iteration.tries < attempt) {
    events.push({ type: 'agent.started', process: null, try: attempt });
  }
  const record = agentRecord(owner.loop, result, usage, engine.clean);
  events.push({ type: 'agent.ended', record });
  const tooLong = record.notes?.tooLong;
  if (tooLong !== undefined && !owner.loop.warnings.includes(tooLongText(tooLong))) {
    events.push({ type: 'warning.raised', text: tooLongText(tooLong) });
  }
  const { now } = owner;
  // Nothing was done: the same iteration starts anew, with the prompt of a fresh session.
  if (result.outcome.sessionLost === true && !owner.cut.aborted) {
    const text = 'the agent could not resume its session';
    events.push({
      type: 'loop.waiting',
      condition: 'retry',
      until: now,
      then: 'build-prompt',
      text,
    });
    return owner.record(...events);
  }
  const next = afterAgent(result.outcome, await afterAgentInput(engine, owner, result.outcome));
  if (next.kind === 'outage' && !owner.cut.aborted) {
    return waitForOutage(engine, owner, next.text, events);
  }
  if (next.kind === 'again' && !owner.cut.aborted) {
    const until = now + next.waitMs;
    const { condition, text, isReset } = next;
    const reset = isReset === undefined ? {} : { isReset };
    events.push({ type: 'loop.waiting', condition, until, ...reset, then: 'run-agent', text });
  }
  await owner.record(...events);
}

function agentRecord(
  loop: Loop,
  result: AgentRunResult,
  usage: PricedUsage,
  clean: (text: string) => string,
): AgentRecord {
  const { outcome, end } = result;
  const sigils = parseSigils(outcome.finalText);
  const notes = agentNotes(sigils, clean);
  return {
    kind: outcome.kind,
    exitCode: end.kind === 'exited' ? end.code : null,
    evidence: outcome.evidence,
    tokens: usage.tokens,
    costUsd: usage.costUsd,
    costSource: usage.costSource,
    model: usage.model,
    models: usage.models,
    ...(outcome.confidence === undefined ? {} : { confidence: outcome.confidence }),
    ...(outcome.fault === undefined ? {} : { fault: outcome.fault }),
    ...(outcome.retries === undefined ? {} : { retries: outcome.retries }),
    turns: outcome.turns,
    contextPercent: outcome.contextPercent,
    sessionId: outcome.sessionId,
    ...(outcome.sessionLost === undefined ? {} : { sessionLost: outcome.sessionLost }),
    durationMs: Math.round(result.durationMs),
    finalText: headChars(outcome.finalText, keptFinalText),
    claim: claimOf(sigils, loop.taskId),
    summary: extractSummary(outcome.finalText),
    nextModel: sigils.nextModel,
    ...judgeChangedOf(sigils, clean),
    ...(notes === null ? {} : { notes }),
  };
}

const keptReason = 500;

function judgeChangedOf(
  { judgeChanged }: Pick<Sigils, 'judgeChanged'>,
  clean: (text: string) => string,
): Pick<AgentRecord, 'judgeChanged'> {
  if (judgeChanged === undefined) return {};
  return { judgeChanged: headChars(plainText(clean(judgeChanged)), keptReason) };
}

/** A claim counts only with the id of this task. */
function claimOf(
  sigils: { readonly taskDone: string | null; readonly taskFailed: string | null },
  taskId: string,
): AgentRecord['claim'] {
  if (sigils.taskFailed === taskId) return 'failed';
  return sigils.taskDone === taskId ? 'done' : null;
}
