import { expect, it } from 'vitest';
import { agentTimes } from '../../../src/core/loop/agent-times.ts';

it('knows when an agent was at work, and leaves a pause to the user', () => {
  const isTime = agentTimes([
    { startedAt: 10_000, endedAt: 20_000 },
    { startedAt: 90_000, endedAt: null },
  ]);
  expect(
    [9000, 10_000, 10_001, 20_000, 21_999, 22_001, 60_000, 90_001, 10 ** 12].map(isTime),
  ).toEqual([false, false, true, true, true, false, false, true, true]);
  expect(agentTimes([])(10_000)).toBe(false);
});
