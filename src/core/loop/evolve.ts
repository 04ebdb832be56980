import { addTokens } from '../agent/outcome.ts';
import { isUnpriced } from '../price/price.ts';
import { withAgentSession, withoutSession } from './agent-session.ts';
import { atStep, updateLast } from './change.ts';
import { earnedProof } from './confirming.ts';
import { withoutQuestion, withQuestion } from './consent.ts';
import { didNothing, failedRequests } from './agent-policy.ts';
import type { AgentRecord, LoopEvent, RecordedEvent, WaitCondition } from './event.ts';
import { afterResume } from './evolve-resume.ts';
import { createdLoop, startedIteration } from './fresh.ts';
import {
  afterAllowed,
  afterApproval,
  afterConfirmation,
  afterGate,
  afterJudgeAllowed,
  afterRefusal,
} from './judging.ts';
import { openIteration, type Iteration, type Loop, type Wait } from './loop.ts';
import { withShared } from './shared.ts';
import { isEnded } from './status.ts';
import { baseMoveText } from './base-text.ts';
import { tamperedText } from './surroundings.ts';
import { addUsage, purposeUsage, type Purpose } from './usage.ts';

/** Folds one recorded event into the loop. Total: an event that does not fit changes only the sequence. */
export function evolve(loop: Loop | null, recorded: RecordedEvent): Loop | null {
  const { event, seq, time, elapsedMs } = recorded;
  if (event.type === 'loop.created') return loop ?? createdLoop(event, seq, time);
  if (loop === null) return null;
  const next = apply(loop, event, time);
  return { ...next, seq, updatedAt: time, activeMs: loop.activeMs + elapsedMs };
}

export function fold(events: readonly RecordedEvent[]): Loop | null {
  return events.reduce(evolve, null);
}

/** The loop as it will be once this is stored. */
export function foldAhead(loop: Loop, event: LoopEvent, time: number): Loop {
  return evolve(loop, { seq: loop.seq, time, elapsedMs: 0, event }) ?? loop;
}

function apply(loop: Loop, event: LoopEvent, time: number): Loop {
  switch (event.type) {
    case 'loop.created':
      return loop;
    case 'loop.started':
      return {
        ...loop,
        status: 'running',
        opened: false,
        sessionId: event.sessionId,
        host: event.host,
      };
    case 'loop.resumed':
      return afterResume(loop, event, time);
    case 'settings.reread':
      return { ...loop, settings: event.settings };
    case 'workspace.opened':
      return afterOpening(loop, event);
    case 'workspace.set_up':
      return { ...loop, setUp: event.exitCode === 0 };
    case 'baseline.started':
      return loop;
    case 'baseline.recorded':
      return {
        ...loop,
        baseline: {
          state: event.state,
          report: event.report,
          ...(event.fault === undefined ? {} : { fault: event.fault }),
        },
        feedback: event.feedback,
        warnings: event.warning === null ? loop.warnings : [...loop.warnings, event.warning],
        step: 'boundary',
        ...(event.judges === undefined ? {} : { judges: event.judges }),
      };
    case 'integrity.allowed':
      return afterAllowed(loop, event);
    case 'iteration.started':
      return {
        ...withoutQuestion(withSeenFiles(loop, event)),
        iterations: [...loop.iterations, startedIteration(event, time)],
        step: 'choose-model',
      };
    case 'model.chosen':
      return atStep(loop, 'build-prompt', { model: event.model, modelReason: event.reason });
    case 'prompt.built':
      return atStep(loop, 'pre-hooks', {
        promptHash: event.hash,
        ...(event.systemHash === undefined ? {} : { systemHash: event.systemHash }),
        injected: event.injected,
        ...(event.withheld === undefined ? {} : { withheld: event.withheld }),
        ...resumption(loop, event.resumes),
        ...(event.shared === undefined ? {} : { toldShares: event.shared }),
        status: 'pre_hooks',
      });
    case 'session.rebooted':
      return rebooted(loop, event, time);
    case 'hooks.ran':
      return afterHooks(loop, event);
    case 'agent.started':
      return atStep(loop, 'run-agent', {
        status: 'executing',
        process: event.process,
        tries: event.try,
        ...(event.surroundings === undefined ? {} : { surroundings: event.surroundings }),
      });
    case 'agent.ended':
      return afterAgent(loop, event);
    case 'usage.added':
      return afterUsage(loop, event);
    case 'protected.restored':
      return atStep(loop, 'snapshot', { restored: event.paths });
    case 'snapshot.taken':
      return {
        ...atStep(loop, 'verify', {
          tree: event.tree,
          commit: event.commit,
          changes: event.changes,
          ...(event.unstored === undefined ? {} : { unstored: event.unstored }),
        }),
        head: event.head,
      };
    case 'surroundings.changed':
      return {
        ...updateLast(loop, { tampered: { names: event.names, count: event.count } }),
        warnings: withWarning(loop.warnings, tamperedText(event)),
      };
    case 'base.moved': {
      const { type: _type, ...baseMove } = event;
      const warnings = withWarning(loop.warnings, baseMoveText(baseMove));
      return { ...updateLast(loop, { baseMove }), warnings };
    }
    case 'verification.started':
      return atStep(loop, 'verify', { status: 'verifying' });
    case 'verification.ended':
      return atStep(loop, 'conclude', {
        report: event.report,
        differsFromBase: event.differsFromBase,
      });
    case 'iteration.ended':
      return afterIteration(loop, event, time);
    case 'confirmation.ended':
      return afterConfirmation(loop, event);
    case 'judge.allowed':
      return afterJudgeAllowed(loop, event);
    case 'proof.accepted':
      return { ...loop, proofAccepted: { by: event.by, reason: event.reason } };
    case 'gate.judged':
      return afterGate(loop, event);
    case 'approval.given':
      return afterApproval(loop, event);
    case 'approval.refused':
      return afterRefusal(loop, event);
    case 'approval.asked':
      return withQuestion(loop, event);
    case 'mode.switched':
      return loop;
    case 'decision.made':
      return afterDecision(loop, event);
    case 'loop.waiting':
      return {
        ...(event.condition === 'ci' ? updateLast(loop, ciSince(loop, time)) : loop),
        status: 'waiting',
        reason: event.condition,
        text: event.text,
        wait: {
          condition: event.condition,
          until: event.until,
          ...(event.isReset === undefined ? {} : { isReset: event.isReset }),
          then: event.then,
          text: event.text,
        },
      };
    case 'loop.woken':
      return {
        // After an outage the API has all of its retries again.
        ...(loop.wait?.condition === 'outage' ? withFreshRetries(loop) : loop),
        status: 'running',
        reason: null,
        text: null,
        step: loop.wait?.then ?? loop.step,
        wait: null,
      };
    case 'rebase.started':
      return { ...loop, status: 'rebasing', rebaseOnto: event.onto };
    case 'rebase.ended':
      return {
        ...withoutSession(loop, 'the branch was rebased'),
        status: 'running',
        rebaseOnto: null,
        head: event.head,
        workspace: { ...loop.workspace, base: event.base },
        // The base is another tree now: its baseline is another fact.
        baseline: null,
        step: 'baseline',
      };
    case 'rebase.conflicted':
    case 'rebase.aborted':
      return { ...loop, status: 'running', rebaseOnto: null };
    case 'warning.raised':
      return { ...loop, warnings: [...loop.warnings, event.text] };
    case 'messages.received':
      return withShared(loop, event);
    case 'progress.cleared':
      return { ...loop, progress: [] };
    case 'loop.rested':
      return restedLoop(loop, event, time);
    case 'merge.started':
      return { ...loop, merging: { into: event.into, from: event.from, to: event.to } };
    case 'loop.merged':
      return mergedLoop(loop, event.into, time);
  }
}

function afterOpening(
  { behind: _behind, ...loop }: Loop,
  event: Extract<LoopEvent, { type: 'workspace.opened' }>,
): Loop {
  const seen = event.created ? withoutSession(loop, 'the worktree was made anew') : loop;
  return {
    ...(event.left === undefined ? seen : updateLast(seen, { changes: event.left })),
    opened: true,
    setUp: loop.setUp && !event.created,
    head: event.head,
  };
}

/** A prompt that a hook has changed is the one that was sent; a hook that wants to stop is heard at the boundary. */
function afterHooks(loop: Loop, event: Extract<LoopEvent, { type: 'hooks.ran' }>): Loop {
  const answers = event.results.flatMap(({ answer }) => answer ?? []);
  if (event.when === 'pre') {
    const promptHash = answers.findLast((answer) => answer.promptHash !== undefined)?.promptHash;
    return atStep(loop, 'run-agent', promptHash === undefined ? {} : { promptHash });
  }
  const stop = answers.find(({ action }) => action === 'stop');
  return {
    ...hooksOver(loop),
    step: 'judge',
    ...(stop === undefined ? {} : { stopWish: stop.reason }),
  };
}

/** The status that the hooks after the newest iteration stood in front of. */
function hooksOver(loop: Loop): Loop {
  const last = loop.iterations.at(-1);
  if (last?.statusAfterHooks === undefined) return loop;
  const { statusAfterHooks: status, ...iteration } = last;
  return { ...loop, iterations: [...loop.iterations.slice(0, -1), { ...iteration, status }] };
}

function restedLoop(
  loop: Loop,
  event: Extract<LoopEvent, { type: 'loop.rested' }>,
  time: number,
): Loop {
  const told = hooksOver(loop);
  const { mayPass: _, ...before } = isEnded(event.status) ? withoutQuestion(told) : told;
  return {
    ...before,
    status: event.status,
    reason: event.reason,
    text: event.text,
    opened: false,
    wait: event.status === 'paused' ? loop.wait : null,
    endedAt: isEnded(event.status) ? time : null,
    ...(event.mayPass === undefined ? {} : { mayPass: event.mayPass }),
  };
}

/** A merge that was refused at first makes a blocked loop complete again. */
function mergedLoop(loop: Loop, into: string, time: number): Loop {
  if (loop.status !== 'blocked') return { ...loop, mergedInto: into };
  const text = `merged into ${into}`;
  const reason = earnedProof(loop).kind === 'unproven' ? 'unproven' : 'verified';
  const ended = { status: 'complete', reason, text, endedAt: time } as const;
  return { ...loop, ...ended, mergedInto: into };
}

/** The same thing again is nothing new. */
function withWarning(warnings: readonly string[], text: string): readonly string[] {
  return warnings.includes(text) ? warnings : [...warnings, text];
}

function afterAgent(loop: Loop, event: Extract<LoopEvent, { type: 'agent.ended' }>): Loop {
  const iteration = openIteration(loop);
  if (iteration === null) return loop;
  return atStep(withAgentSession(loop, event.record), 'restore-protected', {
    agent: event.record,
    process: null,
    apiErrors: iteration.apiErrors + failedRequests(event.record),
    hangs: iteration.hangs + (event.record.kind === 'hung' ? 1 : 0),
    ...spend(iteration, 'work', event.record),
  });
}

type Spent = Pick<AgentRecord, 'tokens' | 'costUsd' | 'models'>;

/** The iteration's totals with one more run in them. */
function spend(iteration: Iteration, purpose: Purpose, spent: Spent): Partial<Iteration> {
  const { tokens, costUsd, models = [] } = spent;
  const usage = addUsage(iteration.usage ?? [], purposeUsage(purpose, models));
  return {
    costUsd: costUsd === null ? iteration.costUsd : (iteration.costUsd ?? 0) + costUsd,
    tokens: addTokens(iteration.tokens, tokens),
    ...(isUnpriced(spent) ? { unpriced: true } : {}),
    ...(usage.length === 0 ? {} : { usage }),
  };
}

function afterIteration(
  loop: Loop,
  event: Extract<LoopEvent, { type: 'iteration.ended' }>,
  time: number,
): Loop {
  const interrupted = event.outcome === 'interrupted';
  const why = `iteration ${event.number} was interrupted`;
  const hasHooks = !interrupted && loop.settings.hooks['post-iteration'].length > 0;
  const ended = updateLast(interrupted ? withoutSession(loop, why) : loop, {
    ...(hasHooks
      ? { status: 'post_hooks', statusAfterHooks: event.status }
      : { status: event.status }),
    outcome: event.outcome,
    counted: event.counted,
    endedAt: time,
    durationMs: event.durationMs,
    process: null,
    why: event.why,
  });
  const iteration = ended.iterations.at(-1);
  const wait = interrupted ? outlasting(loop.wait) : null;
  const failedEmpty = event.outcome === 'error' && iteration?.report === null;
  // What an agent that was cut short, crashed or never started may not have used stays for the next one.
  const isUnused = interrupted || (iteration !== undefined && didNothing(iteration));
  return {
    ...ended,
    step: interrupted ? 'boundary' : 'post-hooks',
    status: loop.wait === null || wait !== null ? loop.status : 'running',
    wait,
    feedback: isUnused ? loop.feedback : '',
    ...(loop.handoff === undefined ? {} : { handoff: isUnused ? loop.handoff : '' }),
    ...(loop.shared === undefined || isUnused
      ? {}
      : { shared: loop.shared.slice(iteration?.toldShares ?? 0) }),
    consecutiveFailures: nextFailures(loop.consecutiveFailures, event.outcome),
    errorStreak: interrupted ? loop.errorStreak : failedEmpty ? loop.errorStreak + 1 : 0,
    progress: event.progress === null ? loop.progress : keepNewest(loop, event.progress),
  };
}

/** Files or commits that are not what the last iteration left: somebody else was at work there. */
function withSeenFiles(
  loop: Loop,
  { startTree, startHead }: Extract<LoopEvent, { type: 'iteration.started' }>,
): Loop {
  const tree = loop.iterations.at(-1)?.tree ?? null;
  const isSame = tree === null || startTree === '' || tree === startTree;
  return isSame && (startHead === null || loop.head === null || startHead === loop.head)
    ? loop
    : withoutSession(loop, 'the files were changed since by somebody else');
}

/** A prompt that is built again, as the session could not be resumed, is for a fresh one. */
function resumption(loop: Loop, id: string | undefined): Pick<Iteration, 'resumes'> {
  if (id !== undefined) return { resumes: id };
  return openIteration(loop)?.resumes === undefined ? {} : { resumes: null };
}

const keptReboots = 100;

function rebooted(
  { agentSession: _full, ...loop }: Loop,
  { text }: Extract<LoopEvent, { type: 'session.rebooted' }>,
  time: number,
): Loop {
  const reboots = [...(loop.reboots ?? []), time].slice(-keptReboots);
  return { ...loop, reboots, handoff: text };
}

/** What is beside the work may be used after the iteration has ended: a judge is. */
function afterUsage(loop: Loop, event: Extract<LoopEvent, { type: 'usage.added' }>): Loop {
  const last = loop.iterations.at(-1);
  return last === undefined ? loop : updateLast(loop, spend(last, event.purpose, event));
}

/** Whatever the attempt was taken for before, the one that completes the loop is done. */
function afterDecision(
  loop: Loop,
  { decision }: Extract<LoopEvent, { type: 'decision.made' }>,
): Loop {
  const completes = decision.end?.status === 'complete' && loop.iterations.length > 0;
  return {
    ...updateLast(loop, { decision, ...(completes ? { outcome: 'done' } : {}) }),
    ...(completes ? { consecutiveFailures: 0 } : {}),
    feedback: decision.feedback,
    step: 'boundary',
  };
}

function withFreshRetries(loop: Loop): Loop {
  return openIteration(loop) === null ? loop : updateLast(loop, { apiErrors: 0 });
}

function ciSince(loop: Loop, time: number): Partial<Iteration> {
  return { ciSince: loop.iterations.at(-1)?.ciSince ?? time };
}

/** What the provider said holds for the next iteration too: whoever goes on asks it no earlier. */
function outlasting(wait: Wait | null): Wait | null {
  const isTold = wait !== null && toldByProvider.has(wait.condition);
  return isTold ? { ...wait, then: 'boundary' } : null;
}

const toldByProvider: ReadonlySet<WaitCondition> = new Set(['usage_limit', 'rate_limit', 'outage']);

function nextFailures(failures: number, outcome: string): number {
  if (outcome === 'done') return 0;
  return outcome === 'interrupted' ? failures : failures + 1;
}

function keepNewest(loop: Loop, entry: Loop['progress'][number]): Loop['progress'] {
  const keep = Math.max(1, loop.settings.progress['max-entries']);
  return [...loop.progress, entry].slice(-keep);
}
