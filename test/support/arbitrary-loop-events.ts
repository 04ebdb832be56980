import * as fc from 'fast-check';
import { messageKinds } from '../../src/core/coordinate/message.ts';
import { agentOutcomeKinds } from '../../src/core/agent/outcome.ts';
import { modeNames } from '../../src/core/config/section/surroundings.ts';
import { defaultSettings, type Settings } from '../../src/core/config/schema.ts';
import type { AgentRecord, LoopEvent } from '../../src/core/loop/event.ts';
import type { Decision } from '../../src/core/loop/judge.ts';
import { iterationStatuses } from '../../src/core/loop/status.ts';
import { steps } from '../../src/core/loop/step.ts';
import type { ProgressEntry } from '../../src/core/progress/entry.ts';
import type { Confirmation } from '../../src/core/verdict/confirmation.ts';
import { proofs } from '../../src/core/verdict/proof.ts';
import type { Check, VerificationReport } from '../../src/core/verdict/report.ts';

export type CreatedEvent = Extract<LoopEvent, { type: 'loop.created' }>;

const defaults = defaultSettings();

/** Text as hostile as JSON can carry it: NUL, quotes, emoji, lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom('', '\0', "'; drop table loops; --", '\u{1F600}', '\ud800', 'line\nline'),
);
const hash = fc.nat().map((value) => value.toString(16).padStart(8, '0'));
const count = fc.nat(1_000_000);
const usd = fc.double({ min: 0, max: 100, noNaN: true });
const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(arbitrary, { nil: null });
const texts = fc.array(text, { maxLength: 3 });

const settings: fc.Arbitrary<Settings> = fc
  .record({ iterations: fc.nat(5), entries: fc.nat(4) })
  .map(({ iterations, entries }) => ({
    ...defaults,
    limits: { ...defaults.limits, 'max-iterations': iterations },
    progress: { ...defaults.progress, 'max-entries': entries },
  }));

const flags = fc
  .dictionary(hash, fc.oneof(text, fc.boolean(), count))
  .map((entries) => ({ ...entries }));

const check: fc.Arbitrary<Check> = fc.record({
  name: text,
  passed: orNull(fc.boolean()),
  output: text,
  durationMs: count,
  command: orNull(text),
  exitCode: orNull(fc.nat(255)),
  reason: orNull(text),
  tests: orNull(fc.record({ total: count, passed: count, failed: count, skipped: count })),
  failingTests: texts,
  signature: orNull(fc.record({ exact: hash, simhash: hash })),
  evidence: orNull(text),
});

const level = fc.record({
  passed: orNull(fc.boolean()),
  checks: fc.array(check, { maxLength: 2 }),
});

const report: fc.Arbitrary<VerificationReport> = fc.record({
  overall: fc.record({ passed: fc.boolean() }),
  levels: fc.record({ L0: level, L1: level }, { requiredKeys: [] }),
  tree: hash,
  durationMs: count,
});

const process = fc.record({
  pid: fc.nat(65_535),
  startTime: orNull(hash),
  bootId: orNull(hash),
  host: text,
});

const tokens = fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count });
const costSource = fc.constantFrom('agent', 'configured', 'shipped', null);
const models = fc.array(fc.record({ model: orNull(text), tokens, costUsd: orNull(usd) }), {
  maxLength: 3,
});

const agentRecord: fc.Arbitrary<AgentRecord> = fc.record({
  kind: fc.constantFrom(...agentOutcomeKinds),
  exitCode: orNull(fc.nat(255)),
  evidence: text,
  tokens: orNull(tokens),
  costUsd: orNull(usd),
  costSource,
  model: orNull(text),
  models,
  turns: orNull(fc.nat(50)),
  contextPercent: orNull(fc.nat(100)),
  sessionId: orNull(hash),
  durationMs: count,
  finalText: text,
  claim: fc.constantFrom('done', 'failed', null),
  summary: orNull(text),
  nextModel: orNull(text),
});

const progressEntry: fc.Arbitrary<ProgressEntry> = fc.record({
  iteration: fc.nat(20),
  command: text,
  exitCode: orNull(fc.nat(255)),
  durationMs: count,
  filesChanged: texts,
  stdout: text,
  stderr: text,
});

const decision: fc.Arbitrary<Decision> = fc.record({
  continue: fc.boolean(),
  reason: text,
  source: fc.constantFrom('budget', 'completion', 'gate', 'cap', 'strategy'),
  end: orNull(
    fc.record({
      status: fc.constantFrom('failed', 'complete', 'stopped'),
      reason: fc.constantFrom('verified', 'max_iterations', 'budget', 'approval'),
      text,
    }),
  ),
  feedback: text,
  notice: orNull(text),
  metadata: fc
    .dictionary(hash, fc.oneof(text, fc.boolean(), count))
    .map((entries) => ({ ...entries })),
  inputs: fc.record({
    completion: text,
    strategy: fc.record({ name: text, continue: fc.boolean(), reason: text }),
    ladder: text,
    progress: fc.constant(null),
    stopConditions: fc.constant([]),
    counted: fc.nat(9),
    maxIterations: fc.nat(9),
  }),
});

const changes = fc.record({
  created: texts,
  modified: texts,
  deleted: texts,
  renamed: fc.array(fc.record({ from: text, to: text }), { maxLength: 2 }),
  lines: count,
});

const restStatus = fc.constantFrom('paused', 'blocked', 'complete', 'failed', 'stopped');
const restReason = fc.constantFrom('verified', 'stuck', 'user', 'budget', 'interrupted');
const waitCondition = fc.constantFrom(
  'rate_limit',
  'usage_limit',
  'retry',
  'backoff',
  'delay',
  'ci',
);
const outcome = fc.constantFrom('done', 'failed', 'no_sigil', 'error', 'timed_out', 'interrupted');

/** The first event of a loop. Its ids are the caller's, because rows refer to them. */
export function arbitraryCreated(loopId: string, taskId: string): fc.Arbitrary<CreatedEvent> {
  return fc.record({
    type: fc.constant('loop.created'),
    loopId: fc.constant(loopId),
    taskId: fc.constant(taskId),
    title: text,
    loopType: text,
    agent: text,
    settings,
    flags,
    prompt: fc.record({
      template: orNull(text),
      systemPrompt: orNull(text),
      inputs: fc.dictionary(hash, text).map((entries) => ({ ...entries })),
      required: texts,
      defaults: fc.constant({}),
      source: text,
    }),
    options: fc.record({
      inPlace: fc.boolean(),
      commit: fc.boolean(),
      verify: fc.boolean(),
      keepGoing: fc.boolean(),
      verifyOnly: fc.boolean(),
    }),
    workspace: fc.record({
      mode: fc.constantFrom('worktree', 'in-place'),
      path: text,
      branch: orNull(text),
      base: orNull(hash),
      baseRef: orNull(text),
    }),
    attemptsBefore: fc.nat(5),
    consecutiveFailures: fc.nat(5),
  });
}

const confirmation = fc.record({
  verdict: fc.constantFrom('confirmed', 'contradicted', 'refused', 'poor-room', 'overpowered'),
  proof: fc.constantFrom(...proofs),
  why: text,
  findings: texts,
  base: hash,
  commit: hash,
  runs: fc.array(
    fc.record({
      kind: fc.constantFrom('base-judge', 'own-judge', 'tripwire', 'red-first', 'reference'),
      passed: orNull(fc.boolean()),
      reason: orNull(text),
      failing: texts,
      lost: texts,
      changed: texts,
      output: text,
      durationMs: count,
      evidence: text,
    }),
    { maxLength: 2 },
  ),
  changes: fc.array(
    fc.record({ path: text, kind: text, how: fc.constantFrom('added', 'changed', 'removed') }),
    { maxLength: 2 },
  ),
  hash,
  durationMs: count,
  checkMs: count,
}) satisfies fc.Arbitrary<Confirmation>;

type LaterEvent = Exclude<LoopEvent, CreatedEvent>;

/** Every type of event but the first, so that a new one cannot be forgotten here. */
const fields: {
  readonly [T in LaterEvent['type']]: fc.Arbitrary<Omit<Extract<LaterEvent, { type: T }>, 'type'>>;
} = {
  'loop.started': fc.record({ sessionId: hash, host: text }),
  'loop.resumed': fc.record({
    sessionId: hash,
    host: text,
    why: text,
    settings: orNull(settings),
    flags: orNull(flags),
  }),
  'settings.reread': fc.record({ settings }),
  'workspace.opened': fc.record({
    path: text,
    head: orNull(hash),
    created: fc.boolean(),
    repaired: texts,
    missing: texts,
    left: changes,
  }),
  'workspace.set_up': fc.record({
    command: text,
    exitCode: orNull(fc.nat(255)),
    durationMs: count,
    output: text,
  }),
  'baseline.started': fc.record({}),
  'baseline.recorded': fc.record({
    state: fc.constantFrom('red', 'green', 'unknown', 'skipped', 'broken'),
    report: orNull(report),
    reused: fc.boolean(),
    feedback: text,
    warning: orNull(text),
  }),
  'integrity.allowed': fc.record(
    { keys: texts, by: text, reason: orNull(text), report },
    { requiredKeys: ['keys', 'by', 'reason'] },
  ),
  // Numbers are given by `arbitraryLaterEvents`.
  'iteration.started': fc.record({
    number: fc.constant(0),
    attempt: fc.constant(0),
    startTree: hash,
    startHead: orNull(hash),
  }),
  'progress.cleared': fc.record({}),
  'model.chosen': fc.record({ model: orNull(text), reason: text }),
  'session.rebooted': fc.record({
    percent: fc.integer({ min: 1, max: 100 }),
    text: fc.string(),
    source: fc.constantFrom('agent' as const, 'facts' as const),
  }),
  'prompt.built': fc.record(
    { hash, chars: count, injected: texts, warnings: texts, shared: fc.nat(5) },
    { requiredKeys: ['hash', 'chars', 'injected', 'warnings'] },
  ),
  'hooks.ran': fc.record({
    when: fc.constantFrom('pre', 'post'),
    results: fc.array(
      fc.record(
        {
          hook: text,
          exitCode: orNull(fc.nat(255)),
          durationMs: count,
          output: text,
          problem: text,
          answer: fc.record(
            { action: fc.constantFrom('continue', 'skip', 'stop'), reason: text, promptHash: hash },
            { requiredKeys: ['action', 'reason'] },
          ),
        },
        { requiredKeys: ['hook', 'exitCode', 'durationMs', 'output'] },
      ),
      { maxLength: 2 },
    ),
  }),
  'agent.started': fc.record(
    { process: orNull(process), try: fc.integer({ min: 1, max: 3 }), surroundings: hash },
    { requiredKeys: ['process', 'try'] },
  ),
  'agent.ended': fc.record({ record: agentRecord }),
  'usage.added': fc.record({
    purpose: fc.constantFrom('work', 'summary', 'judge'),
    tokens: orNull(tokens),
    costUsd: orNull(usd),
    costSource,
    models,
  }),
  'protected.restored': fc.record({ paths: texts }),
  'snapshot.taken': fc.record({
    tree: hash,
    commit: orNull(hash),
    head: orNull(hash),
    changes,
    repaired: texts,
    unstored: texts,
  }),
  'surroundings.changed': fc.record({ names: texts, count }),
  'base.moved': fc.record({
    branch: fc.string(),
    from: fc.string(),
    to: fc.string(),
    back: fc.option(fc.string()),
    why: fc.string(),
  }),
  'verification.started': fc.record({}),
  'verification.ended': fc.record({ report, differsFromBase: fc.boolean() }),
  'iteration.ended': fc.record({
    number: fc.nat(20),
    status: fc.constantFrom(...iterationStatuses),
    outcome,
    counted: fc.boolean(),
    durationMs: count,
    progress: orNull(progressEntry),
    why: orNull(text),
  }),
  'confirmation.ended': fc.record({ confirmation }),
  'judge.allowed': fc.record({ hash, paths: texts, by: text, reason: orNull(text) }),
  'proof.accepted': fc.record({ by: text, reason: orNull(text) }),
  'gate.judged': fc.record({
    result: fc.record({
      name: text,
      type: fc.constantFrom('command', 'red-first', 'llm-judge', 'ci'),
      passed: fc.boolean(),
      reason: text,
      output: text,
      durationMs: count,
      command: orNull(text),
      exitCode: orNull(fc.nat(255)),
      evidence: orNull(text),
      tree: hash,
    }),
  }),
  'approval.given': fc.record({ by: text, note: text }),
  'approval.refused': fc.record({ by: text, reason: text }),
  'approval.asked': fc.record({
    question: fc.record({
      kind: fc.constantFrom('start', 'changes'),
      iteration: fc.nat(20),
      text,
    }),
    until: orNull(count),
  }),
  'mode.switched': fc.record({
    from: fc.constantFrom(...modeNames),
    to: fc.constantFrom(...modeNames),
  }),
  'decision.made': fc.record({ decision }),
  'loop.waiting': fc.record({
    condition: waitCondition,
    until: count,
    // oxlint-disable-next-line unicorn/no-thenable -- a field of the event, not a promise
    then: fc.constantFrom(...steps),
    text,
  }),
  'loop.woken': fc.record({ why: fc.constantFrom('due', 'asked') }),
  'rebase.started': fc.record({ from: hash, onto: hash }),
  'rebase.ended': fc.record({ base: hash, head: hash }),
  'rebase.conflicted': fc.record({ onto: hash, files: texts }),
  'rebase.aborted': fc.record({ why: text }),
  'warning.raised': fc.record({ text }),
  'messages.received': fc.record({
    messages: fc.array(
      fc.record({ id: text, kind: fc.constantFrom(...messageKinds), from: text, text }),
      { maxLength: 3 },
    ),
  }),
  'loop.rested': fc.record({ status: restStatus, reason: restReason, text }),
  'merge.started': fc.record({ into: text, from: hash, to: hash }),
  'loop.merged': fc.record({ into: text, commit: hash }),
};

const laterEvent: fc.Arbitrary<LoopEvent> = fc.oneof(
  ...Object.entries(fields).map(([type, arbitrary]) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the table above ties them together
    arbitrary.map((rest) => ({ type, ...rest }) as LoopEvent),
  ),
);

/** Events in any order, as batches of one append each. Only iteration numbers are in order, as the engine gives them. */
export const arbitraryBatches: fc.Arbitrary<readonly (readonly LoopEvent[])[]> = fc
  .array(fc.array(laterEvent, { minLength: 1, maxLength: 6 }), { maxLength: 8 })
  .map((batches) => {
    let number = 0;
    return batches.map((batch) =>
      batch.map((event) => {
        if (event.type !== 'iteration.started') return event;
        number += 1;
        return { ...event, number, attempt: number };
      }),
    );
  });
