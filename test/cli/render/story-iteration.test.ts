import { expect, test } from 'vitest';
import { agentLines } from '../../../src/cli/render/story-iteration.ts';
import type { AgentRecord } from '../../../src/core/loop/event.ts';

const record: AgentRecord = {
  kind: 'done',
  exitCode: 0,
  evidence: 'result: completed',
  tokens: null,
  costUsd: 0.25,
  model: 'large-5',
  turns: 2,
  contextPercent: null,
  sessionId: null,
  durationMs: 1500,
  finalText: '',
  claim: null,
  summary: null,
  nextModel: null,
};

test.each([
  ['the agent took its own', null, 'ended in 1.5s · model large-5 · 2 turns · $0.25'],
  ['it was given one, which the iteration has told', 'large', 'ended in 1.5s · 2 turns · $0.25'],
])('the model of a run is told when %s', (_when, chosen, text) => {
  expect(agentLines(record, chosen)).toMatchObject([{ text }]);
});
