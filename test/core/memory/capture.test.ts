import { describe, expect, it, test } from 'vitest';
import { defaultSettings } from '../../../src/core/config/schema.ts';
import type { AgentRecord, LoopEvent } from '../../../src/core/loop/event.ts';
import { fold } from '../../../src/core/loop/evolve.ts';
import type { Loop } from '../../../src/core/loop/loop.ts';
import type { AttemptOutcome } from '../../../src/core/loop/status.ts';
import { nextMetrics, noMetrics } from '../../../src/core/memory/attempt.ts';
import { captureIteration, failureNote } from '../../../src/core/memory/capture.ts';
import { guessCategory } from '../../../src/core/memory/error-category.ts';
import { namedPaths } from '../../../src/core/memory/learning.ts';
import { agentNotes } from '../../../src/core/memory/notes.ts';
import { renderAttempts } from '../../../src/core/memory/render-attempts.ts';
import { parseSigils } from '../../../src/core/transcript/sigils.ts';
import { createLevel, createReport, type Check } from '../../../src/core/verdict/report.ts';
import { createdEvent } from '../../contract/store-fixture.ts';
import { shows } from '../../support/shows.ts';

type Ended = Extract<LoopEvent, { type: 'iteration.ended' }>;

const passing: Check = {
  name: 'validation',
  passed: true,
  output: '',
  durationMs: 1,
  command: 'npm test',
  exitCode: 0,
  reason: null,
  tests: null,
  failingTests: [],
  signature: null,
  evidence: null,
};

const failing: Check = {
  ...passing,
  passed: false,
  exitCode: 1,
  output: 'boom',
  reason: 'exit code 1, expected 0',
  signature: { exact: 'f00', simhash: '0' },
};

const record: AgentRecord = {
  kind: 'done',
  exitCode: 0,
  evidence: '',
  tokens: { input: 1, output: 2, cacheRead: 3, cacheWrite: 4 },
  costUsd: 0.5,
  turns: null,
  contextPercent: null,
  sessionId: null,
  durationMs: 1,
  finalText: 'I did what I could.',
  claim: null,
  summary: null,
  nextModel: null,
};

function ended(outcome: AttemptOutcome): Ended {
  const base = { number: 1, status: 'completed', counted: true, durationMs: 9 } as const;
  return { type: 'iteration.ended', ...base, outcome, progress: null, why: null };
}

function loopWith(agent: AgentRecord, checks: readonly Check[] | null, end: Ended): Loop {
  const verified: readonly LoopEvent[] =
    checks === null
      ? []
      : [
          {
            type: 'verification.ended',
            report: createReport({ L1: createLevel(checks) }, 'tree', 1),
            differsFromBase: false,
          },
        ];
  const events: readonly LoopEvent[] = [
    { ...createdEvent('loop-1', 't-1'), settings: defaultSettings() },
    { type: 'iteration.started', number: 1, attempt: 4, startTree: 'a', startHead: null },
    { type: 'model.chosen', model: null, reason: '' },
    { type: 'agent.ended', record: agent },
    ...verified,
    end,
  ];
  const loop = fold(
    events.map((event, index) => ({ seq: index + 1, time: 1, elapsedMs: 0, event })),
  );
  if (loop === null) throw new Error('no loop');
  return loop;
}

function captured(
  outcome: AttemptOutcome,
  agent = record,
  checks: readonly Check[] | null = [failing],
) {
  const end = ended(outcome);
  return captureIteration(loopWith(agent, checks, end), end);
}

describe('capturing an iteration', () => {
  it('keeps outcome, model, tokens and cost of the attempt', () => {
    shows('001.metrics-recorded');
    expect(captured('no_sigil')?.attempt).toEqual({
      taskId: 't-1',
      number: 4,
      loopId: 'loop-1',
      sessionId: null,
      model: 'default',
      startedAt: 1,
      durationMs: 9,
      tokensInput: 1,
      tokensOutput: 2,
      costUsd: 0.5,
      outcome: 'no_sigil',
      errorType: 'unknown',
    });
  });

  test.each<[AttemptOutcome, boolean]>([
    ['done', false],
    ['interrupted', false],
    ['failed', true],
    ['no_sigil', true],
    ['error', true],
    ['timed_out', true],
  ])('%s: a failure report is %s', (outcome, isReported) => {
    shows('001.report-on-failed', '001.report-on-no-sigil');
    expect(captured(outcome)?.report !== null).toBe(isReported);
  });

  it('tells a failing check by name, counts and the first failing tests', () => {
    shows('001.fr-auto-empty-tried', '001.fr-auto-reason-text', '001.fr-auto-category');
    const check = {
      ...failing,
      tests: { total: 8, passed: 3, failed: 5, skipped: 0 },
      failingTests: ['a', 'b', 'c', 'd', 'e'],
    };
    expect(captured('no_sigil', record, [passing, check])?.report).toEqual({
      whatTried: '',
      whyFailed:
        'check validation: exit code 1, expected 0, 3 of 8 tests pass; failing: a; b; c and 2 more; it says: boom',
      errorCategory: 'test_failure',
      relevantFiles: [],
      stackTrace: null,
      retrySuggestion: null,
      signature: 'f00',
    });
  });

  test.each([
    ['timeout', 'timed_out', 'the agent timed out (seen)'],
    ['hung', 'timed_out', 'the agent hung and was ended (seen)'],
    ['crashed', 'error', 'the agent crashed (seen)'],
    ['api_error', 'error', 'a request to the model failed (seen)'],
    ['refused', 'failed', 'the agent refused the work (seen)'],
    ['denied', 'no_sigil', 'the agent was denied a permission (seen)'],
    ['max_tokens', 'no_sigil', 'the agent reached the token limit of an answer (seen)'],
    ['max_turns', 'no_sigil', 'the agent reached its turn limit (seen)'],
    ['context_full', 'no_sigil', 'the context of the agent was full (seen)'],
    ['budget', 'no_sigil', 'the budget was used up (seen)'],
  ] as const)('keeps %s as the cause, whatever its files fail with', (kind, outcome, text) => {
    const agent: AgentRecord = { ...record, kind, evidence: 'seen' };
    const check = { ...failing, output: 'AssertionError: expected 1' };
    const { attempt: kept, report } = captured(outcome, agent, [check])!;
    expect([kept.errorType, report?.errorCategory]).toEqual([kind, kind]);
    expect(report?.whyFailed).toBe(
      `${text}: check validation: exit code 1, expected 0; it says: AssertionError: expected 1`,
    );
    expect(report?.signature).toBe('f00');
    const attempts = [{ number: 1, model: 'm', outcome, durationMs: 1, report: report! }];
    expect(renderAttempts(attempts, 3000).text).toContain(`- **Error type:** ${kind}`);
  });

  it('keeps the cause, also in the agent’s own report', () => {
    const text =
      '<failure-report>\nwhat_tried: a\nwhy_failed: b\nerror_category: logic_error\n</failure-report>';
    const notes = agentNotes(parseSigils(text), (each) => each);
    const agent: AgentRecord = {
      ...record,
      kind: 'max_turns',
      evidence: '50 turns',
      notes: notes!,
    };
    const { attempt: kept, report } = captured('no_sigil', agent)!;
    expect(kept.errorType).toBe('max_turns');
    expect(report).toMatchObject({
      whatTried: 'a',
      whyFailed: 'the agent reached its turn limit (50 turns): b',
      errorCategory: 'max_turns',
    });
  });

  it('tells the first 200 characters when no check failed', () => {
    shows('001.fr-auto-200', '001.fr-auto-reason-text');
    const long = { ...record, finalText: 'x'.repeat(500), claim: 'failed' as const };
    expect(captured('failed', long, null)?.report?.whyFailed).toBe('x'.repeat(200));
    const crashed = { ...record, kind: 'crashed' as const, evidence: 'killed by SIGSEGV' };
    expect(captured('error', crashed, null)?.report?.whyFailed).toBe(
      'the agent crashed: killed by SIGSEGV',
    );
    const hung = { ...record, kind: 'timeout' as const, evidence: 'no end after 30m' };
    expect(captured('timed_out', hung, null)?.report?.errorCategory).toBe('timeout');
  });

  it('tells failures with the same exit code apart by what the check says', () => {
    const outputs = [
      'running\n\u001b[31mTypeError: zebra undefined\u001b[0m in src/zoo.ts\ndone',
      'Segmentation fault in database driver',
      'linker error omega',
    ];
    const said = outputs.map(
      (output) => captured('no_sigil', record, [{ ...failing, output }])?.report?.whyFailed,
    );
    expect(said).toEqual([
      'check validation: exit code 1, expected 0; it says: TypeError: zebra undefined in src/zoo.ts',
      'check validation: exit code 1, expected 0; it says: Segmentation fault in database driver',
      'check validation: exit code 1, expected 0; it says: linker error omega',
    ]);
    const failures = [{ name: 'a', message: '\nexpected 1 to be 2\nmore', place: null }];
    const tested = { ...failing, failingTests: ['a'], failures };
    expect(captured('no_sigil', record, [tested])?.report?.whyFailed).toMatch(
      /; failing: a; it says: expected 1 to be 2$/,
    );
  });

  it('keeps the stack trace of the check when it prints one', () => {
    const output = 'Error: no zebra\n    at feed (src/zoo.ts:3:5)\n\ndone';
    expect(captured('no_sigil', record, [{ ...failing, output }])?.report?.stackTrace).toBe(
      'Error: no zebra\n    at feed (src/zoo.ts:3:5)',
    );
  });

  it("prefers the agent's own report, and adds the signature of the check", () => {
    shows('001.report-from-sigil');
    const message =
      '<failure-report>what_tried: a\nwhy_failed: b</failure-report><retry-suggestion>c</retry-suggestion>';
    const notes = agentNotes(parseSigils(message), (text) => text);
    const own = { ...record, ...(notes === null ? {} : { notes }) };
    expect(captured('failed', own)?.report).toMatchObject({
      whatTried: 'a',
      whyFailed: 'b',
      retrySuggestion: 'c',
      signature: 'f00',
    });
  });

  it('takes no signature from a check that fails without a word', () => {
    const silent = { ...failing, output: ' \n' };
    expect(captured('no_sigil', record, [silent])?.report?.signature).toBeNull();
  });
});

test.each<[string, Partial<Check>]>([
  ['timeout', { exitCode: null, reason: 'timed out after 5m' }],
  ['dependency_error', { exitCode: 127 }],
  ['dependency_error', { output: "Error: Cannot find module './x'" }],
  ['test_failure', { failingTests: ['a'], output: 'TypeError: x is not a function' }],
  ['type_error', { output: 'src/a.ts(1,2): error TS2345: no' }],
  ['missing_file', { output: 'ENOENT: no such file or directory' }],
  ['build_error', { output: 'error: could not compile `x`' }],
  ['test_failure', { output: 'AssertionError: 1 != 2' }],
  ['unknown', { output: 'something else' }],
])('a failure is guessed to be %s by %o', (category, change) => {
  expect(guessCategory({ ...failing, ...change })).toBe(category);
});

describe('notes of an agent', () => {
  it('are bounded, however much it writes', () => {
    const learning = `<learning category="${'c'.repeat(500)}" tags="${'t,'.repeat(500)}">${'x'.repeat(1000)}</learning>`;
    const notes = agentNotes(parseSigils(learning.repeat(100)), (text) => text);
    expect(notes?.learnings).toHaveLength(10);
    expect(JSON.stringify(notes).length).toBeLessThan(20_000);
  });

  it('hold no half sentence: a learning that is too long is cut behind one, with the mark', () => {
    const message = ['Do this. '.repeat(200), 'Short.']
      .map((text) => `<learning category="pitfall" tags="a">${text}</learning>`)
      .join('\n');
    const notes = agentNotes(parseSigils(message), (text) => text);
    const content = `${'Do this. '.repeat(109)}_(truncated)_`;
    expect(notes).toMatchObject({ learnings: [{ content }, { content: 'Short.' }], tooLong: 1 });
    expect(content.length).toBeLessThanOrEqual(1000);
  });

  it('are none without a sigil, and clean', () => {
    shows('001.learning-none');
    expect(agentNotes(parseSigils('hello'), (text) => text)).toBeNull();
    const message = '<retry-suggestion>use SECRET\u001b[31m</retry-suggestion>';
    const notes = agentNotes(parseSigils(message), (text) => text.replaceAll('SECRET', '***'));
    expect(notes?.retrySuggestion).toBe('use ***');
  });
});

function attempt(outcome: AttemptOutcome) {
  return { outcome, model: 'm', difficulty: null };
}

describe('metrics', () => {
  it('count failures in a row and call three of them stuck', () => {
    shows('001.metrics-failure-raises', '001.metrics-done-resets', '001.stuck-after-three');
    const outcomes = ['failed', 'error', 'interrupted', 'timed_out'] as const;
    const all = outcomes.reduce(
      (metrics, each) => nextMetrics(metrics, attempt(each), 3),
      noMetrics,
    );
    expect(all).toMatchObject({ totalAttempts: 4, consecutiveFailures: 3, stuck: true });
    expect(nextMetrics({ ...all, needsPerson: 'yes' }, attempt('done'), 3)).toEqual({
      totalAttempts: 5,
      consecutiveFailures: 0,
      difficulty: null,
      suggestedModel: 'm',
      stuck: false,
      needsPerson: null,
    });
  });

  it('keep the last estimate of the difficulty', () => {
    shows('001.metrics-difficulty');
    const hard = nextMetrics(noMetrics, { ...attempt('failed'), difficulty: 'hard' }, 3);
    expect(nextMetrics(hard, attempt('failed'), 3).difficulty).toBe('hard');
  });
});

test('the files a text names are found, and nothing else', () => {
  shows('001.learning-finds-paths');
  const text =
    'See `src/a.ts:12`, ./lib/b.py, test/c.test.js. Not /etc/passwd, https://x.org/d.html, e.g. this, 1.5 or @scope/x.js';
  expect(namedPaths(text, 'main.rs')).toEqual([
    'src/a.ts',
    'lib/b.py',
    'test/c.test.js',
    'main.rs',
  ]);
});

it('says of work that a person sent back who did and why, not what the agent thought', () => {
  const [iteration] = loopWith(record, [passing], ended('done')).iterations;
  if (iteration === undefined) throw new Error('no iteration');
  const refused = { ...iteration, refusal: { by: 'ada', reason: 'use fewer words\n' } };
  expect(failureNote(refused).whyFailed).toBe('rejected by ada: use fewer words');
});

test('an attempt that passed on files in no commit says so', () => {
  const loop = loopWith(record, [passing], ended('failed'));
  const [iteration] = loop.iterations;
  const left = { ...iteration!, unstored: ['a.txt (is ignored)'] };
  expect(failureNote(left).whyFailed).toBe(
    'the checks pass, but on files that are in no commit: a.txt (is ignored)',
  );
});
