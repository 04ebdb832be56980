import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  admit,
  changeLedger,
  createLedger,
  nearLimit,
  spentText,
  toCut,
  usedSoFar,
  type Amount,
  type Ledger,
  type LedgerLimits,
} from '../../../src/core/budget/ledger.ts';

const none: LedgerLimits = { costUsd: null, tokens: null, durationMs: null, dayCostUsd: null };
const usd = (costUsd: number): Amount => ({ costUsd, tokens: 0 });

function admitted(ledger: Ledger, id: string, key = 'a'): Ledger {
  const answer = admit(ledger, id, { key, reports: false });
  if (answer.kind !== 'admitted') throw new Error(`${id} was not admitted: ${answer.kind}`);
  return answer.ledger;
}

function ended(ledger: Ledger, id: string, amount: Amount): Ledger {
  return changeLedger(ledger, { type: 'ended', id, amount, counts: true });
}

describe('the budget of a run', () => {
  it('lets one iteration of an agent and model find out what it costs, others meanwhile', () => {
    const one = admitted(createLedger({ ...none, costUsd: 1 }), 'x');
    expect(admit(one, 'y', { key: 'a', reports: false }).kind).toBe('wait');
    expect(admit(one, 'z', { key: 'other', reports: false }).kind).toBe('admitted');
    const known = ended(one, 'x', usd(0.2));
    expect(admit(admitted(known, 'y'), 'z', { key: 'a', reports: false }).kind).toBe('admitted');
  });

  it('reserves what such iterations cost, and refuses when nothing is left to wait for', () => {
    const known = ended(admitted(createLedger({ ...none, costUsd: 0.5 }), 'x'), 'x', usd(0.2));
    const two = admitted(known, 'y');
    expect(admit(two, 'z', { key: 'a', reports: false }).kind).toBe('wait');
    const over = admit(ended(two, 'y', usd(0.2)), 'z', { key: 'a', reports: false });
    expect(over).toMatchObject({
      kind: 'refused',
      text: 'cost budget of the run: $0.400 of $0.500 is used and the next iteration would exceed it',
    });
    const cheaper = ended(two, 'y', usd(0.05));
    expect(admit(cheaper, 'z', { key: 'a', reports: false }).kind).toBe('admitted');
  });

  it('cuts those that report when it is used up, and lets the others end', () => {
    const known = ended(admitted(createLedger({ ...none, costUsd: 1 }), 'x'), 'x', usd(0.1));
    const both = admitted(admitted(known, 'told'), 'silent');
    const used = changeLedger(both, { type: 'used', id: 'told', amount: usd(0.9) });
    expect(toCut(used)).toEqual(['told']);
    expect(spentText(used)).toBe('cost budget of the run: $1.00 of $1.00 is used up');
    expect(nearLimit(both, 0.05)).toContain('$0.10 of $1.00');
  });

  it('knows the day and the time', () => {
    const day = changeLedger(createLedger({ ...none, dayCostUsd: 2 }), { type: 'day', costUsd: 2 });
    expect(spentText(day)).toBe(
      'cost budget of the day: $2.00 of $2.00 within 24 hours is used up',
    );
    const time = createLedger({ ...none, durationMs: 5000 });
    expect(spentText(time)).toBeNull();
    expect(spentText(changeLedger(time, { type: 'time', elapsedMs: 5000 }))).toContain(
      '5 s of 5 s',
    );
  });

  it('never exceeds it by more than one turn, however many agents report turn by turn', () => {
    const turn = fc.record({ agent: fc.nat(5), cents: fc.integer({ min: 1, max: 30 }) });
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 200 }), fc.integer({ min: 1, max: 300 }), takeTurns),
    );
  });

  it('never exceeds it when silent agents cost what they have cost before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(7), fc.boolean()), { maxLength: 200 }),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 20, max: 200 }),
        (steps, cents, limit) => {
          let ledger = createLedger({ ...none, costUsd: limit / 100 });
          for (const [agent, ends] of steps) {
            const id = `agent-${agent}`;
            if (ledger.running.has(id)) {
              if (ends) ledger = ended(ledger, id, usd(cents / 100));
            } else {
              const answer = admit(ledger, id, { key: 'a', reports: false });
              if (answer.kind === 'admitted') ledger = answer.ledger;
            }
          }
          for (const id of ledger.running.keys()) ledger = ended(ledger, id, usd(cents / 100));
          expect(Math.round(usedSoFar(ledger).costUsd * 100)).toBeLessThanOrEqual(limit);
        },
      ),
    );
  });
});

function takeTurns(turns: readonly { agent: number; cents: number }[], limit: number): void {
  let ledger = createLedger({ ...none, costUsd: limit / 100 });
  const totals = new Map<string, number>();
  let dearest = 0;
  for (const { agent, cents } of turns) {
    const id = `agent-${agent}`;
    const total = totals.get(id);
    if (total === undefined) {
      const answer = admit(ledger, id, { key: `model-${agent % 2}`, reports: true });
      if (answer.kind !== 'admitted') continue;
      ledger = answer.ledger;
      totals.set(id, 0);
    } else if (cents % 4 === 0) {
      ledger = ended(ledger, id, usd(total / 100));
      totals.delete(id);
    } else {
      dearest = Math.max(dearest, cents);
      totals.set(id, total + cents);
      ledger = changeLedger(ledger, { type: 'used', id, amount: usd((total + cents) / 100) });
      for (const cut of toCut(ledger)) {
        ledger = ended(ledger, cut, usd((totals.get(cut) ?? 0) / 100));
        totals.delete(cut);
      }
    }
    const used = Math.round(usedSoFar(ledger).costUsd * 100);
    expect(used).toBeLessThanOrEqual(limit + Math.max(0, dearest - 1));
  }
}
