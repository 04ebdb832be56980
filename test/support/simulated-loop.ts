import type { AgentOutcomeKind } from '../../src/core/agent/outcome.ts';
import { agentOutcomeKinds } from '../../src/core/agent/outcome.ts';
import { defaultSettings, type Settings } from '../../src/core/config/schema.ts';
import {
  afterAgent,
  attemptOutcomeOf,
  iterationStatusOf,
} from '../../src/core/loop/agent-policy.ts';
import { noChanges } from '../../src/core/loop/changes.ts';
import { silenceMs } from '../../src/core/loop/consent.ts';
import { decide, type Action, type Facts, type Request } from '../../src/core/loop/decide.ts';
import type { LoopEvent, LoopOptions, RecordedEvent } from '../../src/core/loop/event.ts';
import { evolve } from '../../src/core/loop/evolve.ts';
import { confirmStateOf, isConfirmed } from '../../src/core/loop/confirming.ts';
import { gatesOf } from '../../src/core/loop/gating.ts';
import { judge } from '../../src/core/loop/judge.ts';
import { summariseHistory } from '../../src/core/loop/iteration-summary.ts';
import {
  countedIterations,
  lastIteration,
  openIteration,
  type Loop,
} from '../../src/core/loop/loop.ts';
import { isResting } from '../../src/core/loop/status.ts';
import { ladderStep } from '../../src/core/strategy/ladder.ts';
import type { Confirmation } from '../../src/core/verdict/confirmation.ts';
import { proofs } from '../../src/core/verdict/proof.ts';
import { judgeCompletion } from '../../src/core/verdict/completion.ts';
import { createLevel, createReport, type Check } from '../../src/core/verdict/report.ts';

/** A source of choices: fast-check gives one, so that a failing walk shrinks. */
export type Choices = { int(max: number): number };

export const plainOptions: LoopOptions = {
  inPlace: false,
  commit: true,
  verify: true,
  keepGoing: false,
  verifyOnly: false,
};

/** A small world around the pure core: performs each action with a chosen result and appends what happened. */
export class SimulatedWorld {
  readonly #choices: Choices;
  events: RecordedEvent[] = [];
  actions: Action[] = [];
  loop: Loop;
  #now = 1_000;
  request: Request | null = null;

  constructor(choices: Choices, options: LoopOptions, settings: Settings = defaultSettings()) {
    this.#choices = choices;
    const created: RecordedEvent = {
      seq: 1,
      time: this.#now,
      elapsedMs: 0,
      event: {
        type: 'loop.created',
        loopId: 'loop-00000001',
        taskId: 't-00000001',
        title: 'a task',
        loopType: 'ralph',
        agent: 'command:true',
        settings,
        flags: {},
        prompt: {
          template: null,
          systemPrompt: null,
          inputs: {},
          required: [],
          defaults: {},
          source: 'test',
        },
        options,
        workspace: { mode: 'worktree', path: '/w', branch: 'b', base: 'base0', baseRef: 'main' },
        attemptsBefore: 0,
        consecutiveFailures: 0,
      },
    };
    this.events.push(created);
    const loop = evolve(null, created);
    if (loop === null) throw new Error('loop.created folds into a loop');
    this.loop = loop;
    this.append({ type: 'loop.started', sessionId: 's-1', host: 'h' });
  }

  append(...events: readonly LoopEvent[]): void {
    for (const event of events) {
      this.#now += 10;
      const recorded = { seq: this.loop.seq + 1, time: this.#now, elapsedMs: 10, event };
      this.events.push(recorded);
      this.loop = evolve(this.loop, recorded) ?? this.loop;
    }
  }

  /** One turn of the driver. False when the loop rests. */
  step(): boolean {
    const { request } = this;
    const facts: Facts = {
      now: this.#now,
      wallNow: this.#now,
      baseHead: this.#base(),
      request,
      hasMail: false,
    };
    const action = decide(this.loop, facts);
    this.actions.push(action);
    if (action.type === 'done') return false;
    this.#perform(action);
    return true;
  }

  #base(): string {
    return this.#choices.int(20) === 0 ? 'base1' : (this.loop.workspace.base ?? 'base0');
  }

  #perform(action: Exclude<Action, { type: 'done' }>): void {
    switch (action.type) {
      case 'open-workspace':
        return this.append({
          type: 'workspace.opened',
          path: '/w',
          head: this.loop.head,
          created: true,
          repaired: [],
          missing: [],
        });
      case 'wait':
        this.#now += action.leftMs;
        return;
      case 'wake':
        return this.append({ type: 'loop.woken' });
      case 'verify-baseline':
        return this.#baseline();
      case 'read-messages':
        return this.append({ type: 'messages.received', messages: [] });
      case 'rebase':
        this.append({ type: 'rebase.started', from: 'x', onto: action.onto });
        if (this.#choices.int(2) === 0) {
          return this.append(
            { type: 'rebase.conflicted', onto: action.onto, files: ['a'] },
            { type: 'loop.rested', status: 'blocked', reason: 'conflict', text: 'conflict' },
          );
        }
        return this.append({ type: 'rebase.ended', base: action.onto, head: 'rebased' });
      case 'ask': {
        const ms = silenceMs(this.loop.settings);
        const until = ms === null ? null : this.#now + ms;
        const { question } = action;
        const { text } = question;
        this.append({ type: 'approval.asked', question, until });
        return this.append(
          until === null
            ? { type: 'loop.rested', status: 'blocked', reason: 'approval', text }
            : // oxlint-disable-next-line unicorn/no-thenable -- a field of the event, not a promise
              { type: 'loop.waiting', condition: 'approval', until, then: 'boundary', text },
        );
      }
      case 'assume-yes':
        return this.append({ type: 'approval.given', by: 'nobody', note: '' });
      case 'start-iteration':
        return this.append({
          type: 'iteration.started',
          number: action.number,
          attempt: action.attempt,
          startTree: `tree${this.#choices.int(4)}`,
          startHead: 'head',
        });
      case 'choose-model':
        return this.append({ type: 'model.chosen', model: null, reason: 'test' });
      case 'build-prompt':
        return this.append({
          type: 'prompt.built',
          hash: 'h',
          chars: 1,
          injected: [],
          warnings: [],
        });
      case 'run-hooks':
        return this.append({ type: 'hooks.ran', when: action.when, results: [] });
      case 'run-agent':
        return this.#agent(action.try);
      case 'restore-protected':
        return this.append({ type: 'protected.restored', paths: [] });
      case 'take-snapshot':
        return this.#snapshot();
      case 'verify':
        this.append({ type: 'verification.started' });
        return this.append({
          type: 'verification.ended',
          report: this.#report(),
          differsFromBase: this.#choices.int(3) > 0,
        });
      case 'conclude':
        return this.#conclude(action.interrupted);
      case 'judge':
        return this.#judge();
      case 'rest':
        return this.append({
          type: 'loop.rested',
          status: action.status,
          reason: action.reason,
          text: action.text,
        });
    }
  }

  #baseline(): void {
    const skip = !this.loop.options.verify && !this.loop.options.verifyOnly;
    const report = skip ? null : this.#report();
    const state = report === null ? 'skipped' : report.overall.passed ? 'green' : 'red';
    this.append({
      type: 'baseline.recorded',
      state,
      report,
      reused: false,
      feedback: '',
      warning: null,
    });
  }

  #agent(attempt: number): void {
    this.append({ type: 'agent.started', process: null, try: attempt });
    const kinds: readonly AgentOutcomeKind[] = ['done', 'done', 'done', ...agentOutcomeKinds];
    const kind = kinds[this.#choices.int(kinds.length)] ?? 'done';
    const claim = (['done', 'failed', null] as const)[this.#choices.int(3)] ?? null;
    this.append({
      type: 'agent.ended',
      record: {
        kind,
        exitCode: 0,
        evidence: kind,
        tokens: null,
        costUsd: null,
        turns: null,
        contextPercent: null,
        sessionId: null,
        durationMs: 1,
        finalText: '',
        claim,
        summary: null,
        nextModel: null,
      },
    });
    const outcome = {
      kind,
      finalText: '',
      sessionId: null,
      tokens: null,
      costUsd: null,
      model: null,
      turns: null,
      contextPercent: null,
      retryAfterMs: null,
      resetAtMs: null,
      evidence: kind,
    };
    const next = afterAgent(outcome, {
      apiErrors: openIteration(this.loop)?.apiErrors ?? 0,
      hangs: openIteration(this.loop)?.hangs ?? 0,
      apiRetries: 3,
      isDown: this.#choices.int(8) === 0,
      hasAnswered: this.#choices.int(2) === 0,
      pace: { firstMs: 30_000, longestMs: 600_000 },
      now: this.#now,
      chance: 0.5,
    });
    if (next.kind === 'outage') {
      const until = this.#now + 30_000;
      const wait = { condition: 'outage', until, then: 'run-agent', text: next.text } as const;
      this.append({ type: 'loop.waiting', ...wait });
    }
    if (next.kind === 'again') {
      const until = this.#now + next.waitMs;
      this.append({
        type: 'loop.waiting',
        condition: next.condition,
        until,
        then: 'run-agent',
        text: next.text,
      });
    }
  }

  #snapshot(): void {
    const changed = this.#choices.int(3) > 0;
    this.append({
      type: 'snapshot.taken',
      tree: `tree${this.#choices.int(6)}`,
      commit: changed ? 'c' : null,
      head: 'head',
      changes: changed ? { ...noChanges, modified: ['a'] } : noChanges,
      repaired: [],
    });
  }

  #report() {
    const passed = ([true, false, null] as const)[this.#choices.int(3)] ?? null;
    const check: Check = {
      name: 'validation',
      passed,
      output: '',
      durationMs: 1,
      command: 'x',
      exitCode: passed === false ? 1 : 0,
      reason: null,
      tests: null,
      failingTests: [],
      signature: null,
      evidence: null,
    };
    return createReport({ L1: createLevel([check]) }, 'tree', 1);
  }

  #conclude(interrupted: boolean): void {
    const iteration = openIteration(this.loop);
    if (iteration === null) throw new Error('conclude needs an open iteration');
    const completes = !interrupted && this.#completion().complete;
    this.append({
      type: 'iteration.ended',
      number: iteration.number,
      status: interrupted ? 'interrupted' : iterationStatusOf(iteration),
      outcome: interrupted ? 'interrupted' : attemptOutcomeOf(iteration, completes),
      counted: !interrupted,
      durationMs: 1,
      progress: null,
      why: null,
    });
  }

  #completion() {
    const iteration = lastIteration(this.loop);
    const { verify } = this.loop.settings;
    return judgeCompletion({
      passed: iteration?.report?.overall.passed ?? null,
      baseline: this.loop.baseline?.state ?? 'unknown',
      claimed: iteration?.agent?.claim === 'done',
      successCondition: this.#choices.int(10) === 0,
      differsFromBase: iteration?.differsFromBase ?? false,
      requireClaim: verify['require-claim'],
      requireDiff: verify['require-diff'],
    });
  }

  #confirmation(): Confirmation {
    const verdicts = ['confirmed', 'confirmed', 'confirmed', 'contradicted', 'refused'] as const;
    return {
      verdict: verdicts[this.#choices.int(verdicts.length)] ?? 'refused',
      proof: proofs[this.#choices.int(proofs.length)] ?? 'unproven',
      why: 'chosen',
      findings: [],
      base: 'base',
      commit: 'commit',
      runs: [],
      changes: [],
      hash: String(this.#choices.int(2)),
      durationMs: 1,
      checkMs: 1,
    };
  }

  #judge(): void {
    const history = summariseHistory(this.loop);
    const completion = this.#completion();
    if (completion.complete && confirmStateOf(this.loop).kind === 'due') {
      return this.append({ type: 'confirmation.ended', confirmation: this.#confirmation() });
    }
    const gates = gatesOf(this.loop);
    if (completion.complete && isConfirmed(this.loop) && gates.kind === 'due') {
      const { gate } = gates;
      const passed = this.#choices.int(3) > 0;
      return this.append({
        type: 'gate.judged',
        result: {
          name: gate.name ?? gate.type,
          type: gate.type,
          passed,
          reason: 'chosen',
          output: '',
          durationMs: 1,
          command: null,
          exitCode: null,
          evidence: null,
          tree: 'tree',
        },
      });
    }
    const keepOn = this.#choices.int(8) > 0;
    const strategy = { continue: keepOn, reason: 'strategy' };
    const decision = judge(this.loop, {
      completion,
      strategy,
      ladder: ladderStep(history),
      stopConditions: [],
      checkFeedback: 'feedback',
      diskExceeded: null,
      inputs: {
        completion: completion.text,
        strategy: { name: 'test', ...strategy },
        ladder: 'none',
        progress: null,
        stopConditions: [],
        counted: countedIterations(this.loop),
        maxIterations: this.loop.settings.limits['max-iterations'],
      },
    });
    this.append({ type: 'decision.made', decision });
  }
}

/** What a person may answer to a loop that rests, and the next owner that takes it up. */
export function answer(world: SimulatedWorld, choices: Choices): void {
  const kind = choices.int(4);
  if (kind === 0) world.append({ type: 'approval.given', by: `p${choices.int(3)}`, note: '' });
  if (kind === 1) world.append({ type: 'approval.refused', by: 'p', reason: 'not yet' });
  if (kind === 2) return;
  world.request = null;
  const resumed = { sessionId: 's-3', host: 'h', why: 'answered', settings: null, flags: null };
  world.append({ type: 'loop.resumed', ...resumed });
}

/** Drives a simulated loop to its rest, at most `maxSteps` turns. */
export function walk(
  choices: Choices,
  options: LoopOptions,
  settings: Settings,
  maxSteps = 400,
): SimulatedWorld {
  const world = new SimulatedWorld(choices, options, settings);
  for (let step = 0; step < maxSteps; step++) {
    const ask = choices.int(60);
    if (ask === 0) world.request = { kind: 'interrupt', when: 'finish' };
    if (ask === 1) world.request = { kind: 'stop', when: 'cut' };
    if (world.step()) continue;
    const mayAnswer = settings.gates.length > 0 || world.loop.asked !== undefined;
    if (world.loop.status !== 'blocked' || !mayAnswer) break;
    answer(world, choices);
    if (isResting(world.loop.status)) break;
  }
  return world;
}
