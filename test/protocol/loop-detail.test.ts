import { describe, expect, it } from 'vitest';
import { fold } from '../../src/core/loop/evolve.ts';
import type { Iteration } from '../../src/core/loop/loop.ts';
import type { IterationStatus } from '../../src/core/loop/status.ts';
import { defaultSettings } from '../../src/core/config/schema.ts';
import { publicSettings, recordedLine } from '../../src/protocol/event-line.ts';
import { IterationDetail, iterationDetail, loopTotals } from '../../src/protocol/loop-detail.ts';
import { createdEvent, startIteration } from '../contract/store-fixture.ts';
import { shows } from '../support/shows.ts';

function iteration(
  number: number,
  status: IterationStatus,
  change: Partial<Iteration> = {},
): Iteration {
  const events = [createdEvent('loop-1', 't-1'), startIteration(number)];
  const loop = fold(events.map((event, at) => ({ seq: at + 1, time: 0, elapsedMs: 0, event })));
  return { ...loop!.iterations[0]!, status, endedAt: 1000, durationMs: 1000, ...change };
}

function verified(passed: boolean): Partial<Iteration> {
  return { report: { overall: { passed }, levels: {}, tree: 't', durationMs: 1 } };
}

describe('totals of a loop', () => {
  it('pass over skipped and interrupted iterations in the streak, and do not count skipped ones', () => {
    shows(
      '004.total-iterations',
      '004.total-failed',
      '004.total-timed-out',
      '004.streak-counts',
      '004.streak-passes-over',
    );
    const statuses: readonly IterationStatus[] = [
      'failed',
      'completed',
      'failed',
      'skipped',
      'interrupted',
      'timed_out',
    ];
    const totals = loopTotals(statuses.map((status, index) => iteration(index + 1, status)));
    expect(totals).toMatchObject({
      iterations: 5,
      successful: 0,
      failed: 2,
      timedOut: 1,
      failureStreak: 2,
    });
  });

  it('count as successful what passed, however its agent ended', () => {
    const iterations = [
      iteration(1, 'completed', verified(false)),
      iteration(2, 'completed', verified(true)),
      iteration(3, 'timed_out', verified(true)),
      iteration(4, 'completed'),
    ];
    expect(loopTotals(iterations)).toMatchObject({ iterations: 4, successful: 2, timedOut: 1 });
  });

  it('sum up files and tests', () => {
    shows('004.total-duration', '004.total-modified', '004.total-created', '004.total-tests');
    const tests = { total: 3, passed: 2, failed: 1, skipped: 0 };
    const changed = iteration(1, 'completed', {
      changes: {
        created: ['a'],
        modified: ['b', 'c'],
        deleted: [],
        renamed: [{ from: 'd', to: 'e' }],
        lines: 4,
      },
      report: {
        overall: { passed: false },
        levels: { L1: { passed: false, checks: [{ ...check, tests }] } },
        tree: 't',
        durationMs: 1,
      },
    });
    expect(loopTotals([changed, changed])).toMatchObject({
      filesCreated: 4,
      filesModified: 4,
      testsRun: 6,
      testsPassed: 4,
      testsFailed: 2,
      durationMs: 2000,
    });
    expect(IterationDetail().strict().parse(iterationDetail(changed))).toMatchObject({
      filesCreated: ['a', 'e'],
      filesDeleted: ['d'],
      testsRun: true,
      tests,
      startedAt: '1970-01-01T00:00:00.000Z',
    });
  });
});

const check = {
  name: 'validation',
  passed: false,
  output: '',
  durationMs: 1,
  command: 'npm test',
  exitCode: 1,
  reason: null,
  failingTests: [],
  signature: null,
  evidence: null,
};

describe('events on a stream', () => {
  it('never carry the values of variables that were set', () => {
    const settings = defaultSettings();
    const secret = { ...settings, env: { ...settings.env, set: { TOKEN: 'abc' } } };
    const shown = publicSettings({
      ...secret,
      agents: { mine: { command: 'x', env: { KEY: 'def' } } },
    });
    expect(JSON.stringify(shown)).not.toMatch(/abc|def"/);
    const event = { type: 'settings.reread', settings: secret } as const;
    expect(
      JSON.stringify(recordedLine('loop-1', { seq: 1, time: 0, elapsedMs: 0, event })),
    ).not.toContain('abc');
  });

  it('write times as ISO 8601', () => {
    const event = {
      type: 'loop.waiting',
      condition: 'delay',
      until: 5000,
      then: 'boundary',
      text: '',
    } as const;
    expect(recordedLine('loop-1', { seq: 7, time: 1000, elapsedMs: 0, event })).toMatchObject({
      seq: 7,
      time: '1970-01-01T00:00:01.000Z',
      until: '1970-01-01T00:00:05.000Z',
      loop: 'loop-1',
    });
  });
});
