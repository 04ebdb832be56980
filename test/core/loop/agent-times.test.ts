import { expect, it } from 'vitest';
import { agentTimes } from '../../../src/core/loop/agent-times.ts';

it('knows when an agent was at work, and leaves a pause to the user', () => {
  const isTime = agentTimes([
    { startedAt: 10_000, endedAt: 20_000, durationMs: 10_000 },
    { startedAt: 90_000, endedAt: null, durationMs: null },
  ]);
  expect(
    [9000, 10_000, 10_001, 20_000, 21_999, 22_001, 60_000, 90_001, 10 ** 12].map(isTime),
  ).toEqual([false, false, true, true, true, false, false, true, true]);
  expect(agentTimes([])(10_000)).toBe(false);
});

it('tells nothing by a clock that was set while an agent worked', () => {
  const isTime = agentTimes([{ startedAt: 0, endedAt: 7_200_000, durationMs: 1000 }]);
  expect(isTime(3_600_000)).toBe(false);
});
