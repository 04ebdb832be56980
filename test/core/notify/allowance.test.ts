import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allow, fullAllowance, type Allowance } from '../../../src/core/notify/allowance.ts';

const limits = { minIntervalMs: 60_000, perHour: 20, quietHours: ['22:00-07:00'] };
const noon = 12 * 60;

describe('the allowance of notifications', () => {
  it('keeps the interval and the number per hour, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 400_000 }), { maxLength: 200 }), (gaps) => {
        let allowance: Allowance = fullAllowance;
        let now = 0;
        const sent: number[] = [];
        let heldBack = 0;
        for (const gap of gaps) {
          now += gap;
          const before = allowance.heldBack;
          const asked = allow(allowance, limits, { now, minute: noon, isCritical: false });
          allowance = asked.allowance;
          if (asked.send) {
            sent.push(now);
            expect(before).toBe(heldBack);
            heldBack = 0;
          } else heldBack += 1;
        }
        for (const [index, time] of sent.entries()) {
          const next = sent[index + 1];
          if (next !== undefined) expect(next - time).toBeGreaterThanOrEqual(60_000);
          const within = sent.filter((other) => other >= time && other - time < 3_600_000);
          expect(within.length).toBeLessThanOrEqual(20);
        }
      }),
    );
  });

  it.each([
    [21 * 60 + 59, true],
    [22 * 60, false],
    [0, false],
    [6 * 60 + 59, false],
    [7 * 60, true],
  ])('is silent in quiet hours: at minute %i sends %s', (minute, send) => {
    expect(allow(fullAllowance, limits, { now: 0, minute, isCritical: false }).send).toBe(send);
    expect(allow(fullAllowance, limits, { now: 0, minute, isCritical: true }).send).toBe(true);
  });
});
