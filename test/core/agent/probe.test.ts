import { describe, expect, it } from 'vitest';
import { judgeProbe, type ProbeFindings, type WriteRun } from '../../../src/core/agent/probe.ts';
import type { AgentOutcome } from '../../../src/core/agent/outcome.ts';

const outcome: AgentOutcome = {
  kind: 'done',
  finalText: 'done',
  sessionId: null,
  tokens: { input: 1000, output: 100, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0.01,
  model: 'm',
  turns: 2,
  contextPercent: null,
  retryAfterMs: null,
  resetAtMs: null,
  evidence: 'e',
};
const write: WriteRun = {
  outcome,
  isStarted: true,
  obstacle: null,
  activities: [{ kind: 'editing', text: 'probe.txt' }],
  isLive: true,
  costUsd: 0.01,
  written: 'x\n',
  wanted: 'x',
  otherFiles: [],
};
const fine: ProbeFindings = {
  write,
  stop: { wasTold: true, tookMs: 300, graceMs: 5000 },
  left: [],
};

/** What is not well, as `status name: text`. */
function off(changes: Partial<ProbeFindings>, writes: Partial<WriteRun> = {}): readonly string[] {
  return judgeProbe({ ...fine, write: { ...write, ...writes }, ...changes })
    .filter(({ status }) => status !== 'ok')
    .map(({ name, status, text }) => `${status} ${name}: ${text}`);
}

describe('the judgement of a probe', () => {
  it('has a line for everything a loop needs', () => {
    expect(judgeProbe(fine).map(({ name, status }) => `${status} ${name}`)).toEqual([
      'ok starts',
      'ok streams',
      'ok edits',
      'ok usage',
      'ok ends',
      'ok stops',
      'ok leaves',
    ]);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    [
      'an agent that is not there',
      off({ stop: null }, { isStarted: false, obstacle: 'command not found' }),
      ['fail starts: command not found'],
    ],
    [
      'an agent without a key',
      off({ stop: null }, { outcome: { ...outcome, kind: 'auth', evidence: '401' } }),
      [
        'fail starts: it cannot sign in (401): sign in with its own program, or give it a valid key',
      ],
    ],
    [
      'a silent agent',
      off({}, { activities: [], isLive: false }),
      ['fail streams: it says nothing about what it does'],
    ],
    [
      'an agent that tells everything at its end',
      off({}, { isLive: false }),
      ['warn streams: 1 action, all of them shown only at its end'],
    ],
    [
      'an agent that does nothing',
      off({}, { written: null }),
      ['fail edits: it did not write the file it was asked for'],
    ],
    [
      'an agent that does something else',
      off({}, { written: 'y' }),
      ['fail edits: it wrote the file, but not what it was asked to write'],
    ],
    [
      'an agent that does more',
      off({}, { otherFiles: ['a', 'b'] }),
      ['warn edits: it wrote the file it was asked for, and also a, b'],
    ],
    [
      'an agent that does not count',
      off({}, { outcome: { ...outcome, tokens: null }, costUsd: null }),
      ['warn usage: it does not report what it uses: max-tokens and max-cost-usd cannot stop it'],
    ],
    [
      'a model without a price',
      off({}, { costUsd: null }),
      [
        'warn usage: 1100 tokens, at a price that is not known: max-cost-usd cannot stop it; set `prices."m"`',
      ],
    ],
    [
      'an agent that fails',
      off({}, { outcome: { ...outcome, kind: 'rate_limited', evidence: 'status 429' } }),
      ['fail ends: it ended as rate limited: status 429'],
    ],
    [
      'an agent that cannot be sure',
      off({}, { outcome: { ...outcome, confidence: 'low' } }),
      ['warn ends: it says that it is done, but over its protocol failures look the same'],
    ],
    [
      'an agent that does not listen',
      off({ stop: { wasTold: true, tookMs: 5100, graceMs: 5000 } }),
      ['fail stops: it does not end when it is told to: it was killed after 5.1 s'],
    ],
    [
      'an agent that does not wait',
      off({ stop: { wasTold: false, tookMs: 0, graceMs: 5000 } }),
      ['warn stops: it ended by itself before it could be told to end'],
    ],
    [
      'an agent that leaves a process',
      off({ left: ['sleep 300'] }),
      ['fail leaves: processes are left: sleep 300'],
    ],
    [
      'a platform without /proc',
      off({ left: null }),
      ['warn leaves: what it leaves behind cannot be seen on this platform'],
    ],
  ])('of %s', (_name, found, expected) => {
    expect(found).toEqual(expected);
  });
});
