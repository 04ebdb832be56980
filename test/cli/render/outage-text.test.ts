import { expect, it } from 'vitest';
import { outageText } from '../../../src/cli/render/outage-text.ts';
import { waitingText } from '../../../src/cli/render/loop-lines.ts';
import { roundUsd } from '../../../src/protocol/value.ts';

const at = (time: string) => Date.parse(`2026-11-18T${time}Z`);
const down = { provider: 'native', since: at('02:13:04'), why: '529' };

it('says the times of an outage in UTC, with seconds when less than an hour is between them', () => {
  expect(outageText({ ...down, nextTry: at('02:13:34'), waiting: 3 })).toBe(
    'native is down since 02:13:04 UTC, next try 02:13:34 UTC, 3 loops wait',
  );
  expect(outageText({ ...down, nextTry: at('04:20:00'), waiting: 1 })).toBe(
    'native is down since 02:13 UTC, next try 04:20 UTC, 1 loop waits',
  );
  expect(outageText({ ...down, nextTry: null, waiting: 0 })).toContain('being tried now');
});

it('names no next try when no loop waits for it', () => {
  expect(outageText({ ...down, nextTry: at('02:13:34'), waiting: 0 })).toBe(
    'native is down since 02:13:04 UTC; the next loop that uses it tries it',
  );
});

it('counts every loop that waits for a provider, also the one that stands in no line', () => {
  const obstacle = { kind: 'outage', provider: 'native', inMs: 14_800 } as const;
  const place = { id: 'loop:t-1', kind: 'loop', provider: 'native', position: 1 } as const;
  const slots = { loop: 0, agent: 0, request: 0 };
  const places = [{ ...place, waitedMs: 0, estimateMs: null, obstacle }];
  expect(waitingText({ places, held: slots, limits: slots }, 3)).toBe(
    '3 wait: native is down, next try in 14.8s',
  );
});

it('rounds sums of money to what is known', () => {
  expect(0.1 + 0.2).not.toBe(0.3);
  expect(roundUsd(0.1 + 0.2)).toBe(0.3);
  expect(roundUsd(null)).toBeNull();
});
