import { describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../../src/core/config/schema.ts';
import { planSession, sessionNote } from '../../../src/core/loop/agent-session.ts';
import type { AgentRecord, LoopEvent } from '../../../src/core/loop/event.ts';
import { decide, type Facts } from '../../../src/core/loop/decide.ts';
import { noChanges } from '../../../src/core/loop/changes.ts';
import { evolve } from '../../../src/core/loop/evolve.ts';
import { boundedHandoff, handoffFromFacts } from '../../../src/core/loop/handoff.ts';
import type { Loop } from '../../../src/core/loop/loop.ts';
import { applyLoopType } from '../../../src/core/loop-type/apply.ts';
import { countChars } from '../../../src/core/text/code-points.ts';
import { SimulatedWorld, plainOptions } from '../../support/simulated-loop.ts';

const reuse: Settings = {
  ...defaultSettings(),
  agent: 'claude',
  session: { ...defaultSettings().session, name: 'reuse' },
};

const record: AgentRecord = {
  kind: 'done',
  exitCode: 0,
  evidence: '',
  tokens: { input: 10, output: 1, cacheRead: 0, cacheWrite: 0 },
  costUsd: null,
  turns: 1,
  contextPercent: 40,
  sessionId: 's-1',
  durationMs: 1,
  finalText: '',
  claim: null,
  summary: 'Wrote the parser.',
  nextModel: null,
};

function after(loop: Loop, ...events: readonly LoopEvent[]): Loop {
  return events.reduce(
    (now, event) => evolve(now, { seq: now.seq + 1, time: 5000, elapsedMs: 0, event }) ?? now,
    loop,
  );
}

const started = (number: number, change = {}): LoopEvent => ({
  type: 'iteration.started',
  number,
  attempt: number,
  startTree: 'tree-1',
  startHead: null,
  ...change,
});

const ended = (number: number, outcome: 'no_sigil' | 'interrupted' = 'no_sigil'): LoopEvent => ({
  type: 'iteration.ended',
  number,
  status: outcome === 'interrupted' ? 'interrupted' : 'completed',
  outcome,
  counted: outcome !== 'interrupted',
  durationMs: 1,
  progress: null,
  why: null,
});

const snapshot: LoopEvent = {
  type: 'snapshot.taken',
  tree: 'tree-2',
  commit: null,
  head: null,
  changes: { ...noChanges, created: ['a.ts'] },
  repaired: [],
};

/** A loop whose first iteration was done with this record. */
function once(change: Partial<AgentRecord> = {}, settings = reuse): Loop {
  const { loop } = new SimulatedWorld({ int: () => 0 }, plainOptions, settings);
  const ran: LoopEvent = { type: 'agent.ended', record: { ...record, ...change } };
  return after(loop, started(1), ran, snapshot, ended(1));
}

const run = (change: Partial<AgentRecord>): LoopEvent => ({
  type: 'agent.ended',
  record: { ...record, ...change },
});

const planAfter = (...events: readonly LoopEvent[]) =>
  planSession(after(once(), ...events), null, 6000);

describe('planSession', () => {
  it('starts fresh unless asked to reuse, and keeps nothing then', () => {
    const fresh = once({}, defaultSettings());
    expect(planSession(fresh, null, 0)).toEqual({ kind: 'fresh', why: null });
    expect(fresh.agentSession).toBeUndefined();
  });

  it('resumes below the limit, and an agent of its own may say otherwise', () => {
    expect(planAfter()).toMatchObject({ kind: 'resume', session: { id: 's-1' }, percent: 40 });
    const agents = { claude: { kind: 'claude' as const, session: 'fresh' as const } };
    expect(planSession(once({}, { ...reuse, agents }), null, 0)).toEqual({
      kind: 'fresh',
      why: null,
    });
  });

  it('reboots from the limit on, at most so often within an hour', () => {
    expect(planSession(once({ contextPercent: 84 }), null, 0)).toMatchObject({ kind: 'resume' });
    const full = once({ contextPercent: 85 });
    expect(planSession(full, null, 0)).toMatchObject({ kind: 'reboot', percent: 85 });
    expect(
      planSession(once({ kind: 'context_full', contextPercent: null }), null, 0),
    ).toMatchObject({
      kind: 'reboot',
      percent: 100,
    });
    const often = { ...full, reboots: Array.from({ length: 10 }, (_, index) => index) };
    expect(planSession(often, null, 1000)).toMatchObject({ kind: 'fresh' });
    expect(planSession(often, null, 3_600_010)).toMatchObject({ kind: 'reboot' });
  });

  it.each<readonly [string, readonly LoopEvent[], string]>([
    ['a rebase', [{ type: 'rebase.ended', base: 'b', head: 'h' }], 'the branch was rebased'],
    [
      'a worktree that was made anew',
      [
        {
          type: 'workspace.opened',
          path: '/w',
          head: null,
          created: true,
          repaired: [],
          missing: [],
        },
      ],
      'the worktree was made anew',
    ],
    [
      'files that somebody else changed',
      [started(2, { startTree: 'other' })],
      'the files were changed since by somebody else',
    ],
    [
      'an iteration that a kill has cut',
      [started(2, { startTree: 'tree-2' }), ended(2, 'interrupted')],
      'iteration 2 was interrupted',
    ],
  ])('starts fresh after %s', (_, events, why) => {
    expect(planAfter(...events)).toEqual({ kind: 'fresh', why });
  });

  it.each<readonly [string, Partial<AgentRecord>, string]>([
    ['a crash', { kind: 'crashed' }, 'its last run ended as crashed'],
    ['a timeout', { kind: 'timeout' }, 'its last run ended as timeout'],
    [
      'no word on the context',
      { contextPercent: null },
      'the agent did not tell how full its context is',
    ],
  ])('starts fresh after %s', (_, change, why) => {
    expect(planSession(once(change), null, 0)).toEqual({ kind: 'fresh', why });
  });

  it('takes no option for an id', () => {
    expect(once({ sessionId: '--dangerous' }).agentSession).toBeUndefined();
    expect(once({ sessionId: null }).agentSession).toBeUndefined();
  });

  it('sums what the runs of a session used, and forgets it with the session', () => {
    const next = { ...record, contextPercent: 50 };
    const again = after(once(), started(2, { startTree: 'tree-2' }), {
      type: 'agent.ended',
      record: next,
    });
    expect(again.agentSession).toMatchObject({ percent: 50, tokens: { input: 20 } });
    const other = after(again, { type: 'agent.ended', record: { ...next, sessionId: 's-2' } });
    expect(other.agentSession).toMatchObject({ id: 's-2', tokens: { input: 10 } });
  });

  it('keeps the sum and the loss of a session that ended badly, whatever it says later', () => {
    const begun = after(once(), started(2, { startTree: 'tree-2' }));
    const again = after(begun, run({ kind: 'api_error', tokens: null }), run({}));
    expect(again.agentSession).toMatchObject({
      tokens: { input: 20 },
      lost: 'its last run ended as api_error',
    });
  });

  it('starts fresh when the next iteration is for another model', () => {
    const begun = after(once(), started(2, { startTree: 'tree-2' }));
    const chosen: LoopEvent = { type: 'model.chosen', model: 'opus', reason: 'escalation' };
    const ran = after(begun, chosen, { type: 'agent.ended', record });
    expect(planSession(ran, 'opus', 0)).toMatchObject({ kind: 'resume' });
    expect(planSession(ran, 'haiku', 0)).toEqual({
      kind: 'fresh',
      why: 'the model of the iteration is another one: haiku instead of opus',
    });
    expect(planSession(once(), 'haiku', 0)).toMatchObject({
      why: 'the model of the iteration is another one: haiku instead of the default of the agent',
    });
  });
});

describe('another run in the same iteration', () => {
  const facts: Facts = { now: 0, wallNow: 0, baseHead: null, request: null, hasMail: false };
  const prompt: LoopEvent = {
    type: 'prompt.built',
    hash: 'h',
    chars: 1,
    injected: [],
    resumes: 's-1',
    warnings: [],
  };
  const hooks: LoopEvent = { type: 'hooks.ran', when: 'pre', results: [] };
  const wait: LoopEvent = {
    type: 'loop.waiting',
    condition: 'retry',
    until: 0,
    then: 'run-agent',
    text: '',
  };
  const opened: Loop = { ...once(), opened: true, setUp: true };
  const resumed = after(opened, started(2, { startTree: 'tree-2' }), prompt, hooks);

  it('starts fresh, from a prompt for that, when the resumed session ended badly', () => {
    expect(decide(resumed, facts)).toEqual({ type: 'run-agent', try: 1 });
    const begun: LoopEvent = { type: 'agent.started', process: null, try: 1 };
    const failed: LoopEvent = { type: 'agent.ended', record: { ...record, kind: 'api_error' } };
    const woken = after(resumed, begun, failed, wait, { type: 'loop.woken' });
    expect(decide(woken, facts)).toEqual({ type: 'build-prompt' });
    const { resumes: _none, ...fresh } = prompt;
    expect(decide(after(woken, fresh, hooks), facts)).toEqual({ type: 'run-agent', try: 2 });
  });
});

describe('a handoff document', () => {
  const rebooted: LoopEvent = {
    type: 'session.rebooted',
    percent: 90,
    text: 'Go.',
    source: 'agent',
  };

  it('waits for an agent that uses it, and goes into one prompt', () => {
    const next = after(once(), started(2, { startTree: 'tree-2' }), rebooted);
    expect(next).toMatchObject({ handoff: 'Go.', reboots: [5000] });
    expect(next.agentSession).toBeUndefined();
    expect(after(next, ended(2, 'interrupted')).handoff).toBe('Go.');
    const used = after(next, { type: 'agent.ended', record }, snapshot, ended(2));
    expect(used.handoff).toBe('');
  });

  it('is bounded, marked where it is cut, and made from facts without an agent', () => {
    const cut = boundedHandoff('漢'.repeat(9000), 8000);
    expect(countChars(cut)).toBe(8000);
    expect(cut.endsWith('_(truncated)_')).toBe(true);
    const facts = handoffFromFacts(once(), 8000);
    expect(facts).toContain('- a.ts');
    expect(facts).toContain('iteration 1: checks not verified, 1 files changed');
    expect(facts).toContain('said: Wrote the parser.');
  });
});

describe('a loop type', () => {
  it('that says how sessions go wins over the agent', () => {
    const agents = { claude: { kind: 'claude' as const, session: 'fresh' as const } };
    const type = {
      name: 'mine',
      lineage: [],
      values: { session: 'reuse' as const },
      writtenBy: { session: 'project' as const },
    };
    const applied = applyLoopType({ ...reuse, agents }, type, new Map());
    expect(applied.agents['claude']?.session).toBe('reuse');
    expect(applied.session.name).toBe('reuse');
  });
});

describe('sessionNote', () => {
  it('warns an agent whose context fills', () => {
    expect(sessionNote(69, reuse)).not.toContain('full');
    expect(sessionNote(70, reuse)).toContain('Your context is 70 % full');
  });
});
