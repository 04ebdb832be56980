import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { cleanEvent } from '../../../src/core/loop/clean-event.ts';
import type { LoopEvent } from '../../../src/core/loop/event.ts';
import { createLevel, createReport, type Check } from '../../../src/core/verdict/report.ts';
import { arbitraryBatches } from '../../support/arbitrary-loop-events.ts';

const secret = 'hunter2hunter2';
const clean = (text: string): string => text.replaceAll(secret, '[redacted]');

const check: Check = {
  name: 'validation',
  passed: false,
  output: secret,
  durationMs: 1,
  command: `TOKEN=${secret} npm test`,
  exitCode: 1,
  reason: `command not found: ${secret}`,
  tests: null,
  failingTests: [`test of ${secret}`],
  failures: [{ name: `test of ${secret}`, message: `expected ${secret}`, place: `${secret}.js:1` }],
  signature: null,
  evidence: null,
  violations: [{ kind: 'removed-test', subject: 'a', file: null, text: `only ${secret}` }],
};

const said: readonly LoopEvent[] = [
  {
    type: 'verification.ended',
    report: createReport({ L1: createLevel([check]) }, 'tree', 1),
    differsFromBase: true,
  },
  {
    type: 'workspace.set_up',
    command: `npm ci ${secret}`,
    exitCode: 1,
    durationMs: 1,
    output: secret,
  },
  {
    type: 'gate.judged',
    result: {
      name: 'gate',
      type: 'command',
      passed: false,
      reason: secret,
      output: secret,
      durationMs: 1,
      command: `check ${secret}`,
      exitCode: 1,
      evidence: null,
      tree: 'tree',
    },
  },
  { type: 'warning.raised', text: `no ${secret}` },
  { type: 'loop.rested', status: 'paused', reason: 'errors', text: secret },
  { type: 'approval.given', by: 'me', note: secret },
  { type: 'approval.refused', by: 'me', reason: secret },
  { type: 'rebase.conflicted', onto: 'abc', files: [`a/${secret}`] },
  { type: 'rebase.aborted', why: secret },
  { type: 'surroundings.changed', names: [`refs/heads/${secret}`], count: 1 },
  { type: 'protected.restored', paths: [secret] },
  { type: 'messages.received', messages: [{ id: 'm', kind: 'share', from: 'x', text: secret }] },
  {
    type: 'hooks.ran',
    when: 'pre',
    results: [
      {
        hook: `notify ${secret}`,
        exitCode: 0,
        durationMs: 1,
        output: secret,
        problem: secret,
        answer: { action: 'stop', reason: secret },
      },
    ],
  },
  {
    type: 'snapshot.taken',
    tree: 'abc',
    commit: null,
    head: null,
    changes: {
      created: [secret],
      modified: [secret],
      deleted: [secret],
      renamed: [{ from: secret, to: secret }],
      lines: 1,
    },
    repaired: [secret],
    unstored: [secret],
  },
];

it.each(said)('no secret is left in $type', (event) => {
  const kept = JSON.stringify(cleanEvent(event, clean));
  expect(kept).not.toContain(secret);
  expect(kept).toContain('[redacted]');
});

it('what holds no secret stays as it is', () => {
  fc.assert(
    fc.property(arbitraryBatches, (batches) => {
      for (const event of batches.flat()) {
        expect(cleanEvent(event, (text) => text)).toEqual(event);
      }
    }),
  );
});

it('what the engine goes by is no text', () => {
  const event: LoopEvent = { type: 'loop.rested', status: 'paused', reason: 'errors', text: 'why' };
  expect(cleanEvent(event, () => 'x')).toEqual({ ...event, text: 'x' });
});
