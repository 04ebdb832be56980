import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSettings, type Settings } from '../../../src/core/config/schema.ts';
import { Gate } from '../../../src/core/config/section/gates.ts';
import { modeNames } from '../../../src/core/config/section/surroundings.ts';
import { dueQuestion } from '../../../src/core/loop/consent.ts';
import type { LoopOptions, RecordedEvent } from '../../../src/core/loop/event.ts';
import { fold } from '../../../src/core/loop/evolve.ts';
import { awaitsApproval } from '../../../src/core/loop/gating.ts';
import { countedIterations, openIteration, type Loop } from '../../../src/core/loop/loop.ts';
import { hasProof } from '../../../src/core/loop/proof.ts';
import { repair } from '../../../src/core/loop/repair.ts';
import { isResting } from '../../../src/core/loop/status.ts';
import { plainOptions, SimulatedWorld, walk } from '../../support/simulated-loop.ts';
import { shows } from '../../support/shows.ts';

const setups = fc.record({
  verify: fc.boolean(),
  keepGoing: fc.boolean(),
  verifyOnly: fc.boolean(),
  requireClaim: fc.constantFrom<Settings['verify']['require-claim']>('auto', 'always', 'never'),
  requireDiff: fc.boolean(),
  cap: fc.integer({ min: 0, max: 8 }),
  mode: fc.constantFrom(...modeNames),
  gates: fc.constantFrom<readonly unknown[]>(
    [],
    ['approval'],
    ['ci', { type: 'command', command: 'x', 'on-failure': 'escalate' }],
    [
      { type: 'approval', 'min-approvals': 2 },
      { type: 'red-first', 'on-failure': 'stop' },
    ],
    [{ type: 'command', command: 'x', when: 'manual' }, 'approval'],
  ),
});

function optionsOf(setup: {
  verify: boolean;
  keepGoing: boolean;
  verifyOnly: boolean;
}): LoopOptions {
  const { verify, keepGoing, verifyOnly } = setup;
  return { ...plainOptions, verify, keepGoing, verifyOnly };
}

function settingsOf(setup: {
  requireClaim: Settings['verify']['require-claim'];
  requireDiff: boolean;
  cap: number;
  mode: Settings['mode']['name'];
  gates: readonly unknown[];
}): Settings {
  const settings = { ...defaultSettings(), gates: setup.gates.map((gate) => Gate().parse(gate)) };
  return {
    ...settings,
    verify: {
      ...settings.verify,
      'require-claim': setup.requireClaim,
      'require-diff': setup.requireDiff,
    },
    mode: { ...settings.mode, name: setup.mode, 'ask-files': 1 },
    limits: { ...settings.limits, 'max-iterations': setup.cap },
  };
}

function choicesFrom(numbers: readonly number[]) {
  let at = 0;
  return { int: (max: number) => (numbers[at++ % numbers.length] ?? 0) % max };
}

/** Where a rebase that was begun has moved the branch; null when it has not. */
const landed = fc.constantFrom('rebased', null);

const numbers = fc.array(fc.nat({ max: 1000 }), { minLength: 40, maxLength: 400 });

/** Gates of a complete loop that no stored fact of its last iteration speaks for. Told from the log alone. */
function missingGates(loop: Loop, events: readonly RecordedEvent[]): readonly string[] {
  const at = events.findLastIndex(({ event }) => event.type === 'iteration.started');
  const facts = events.slice(at).map(({ event }) => event);
  const people = new Set(facts.flatMap((fact) => (fact.type === 'approval.given' ? fact.by : [])));
  return loop.settings.gates.flatMap((gate) => {
    if (gate.type === 'approval') return people.size < gate['min-approvals'] ? 'approval' : [];
    const judged = facts.findLast(
      (fact) => fact.type === 'gate.judged' && fact.result.type === gate.type,
    );
    return judged?.type === 'gate.judged' && judged.result.passed ? [] : gate.type;
  });
}

/** Of the last iteration, from the log alone. */
function newestConfirmation(events: readonly RecordedEvent[]) {
  const at = events.findLastIndex(({ event }) => event.type === 'iteration.started');
  const facts = events.slice(at).map(({ event }) => event);
  const fact = facts.findLast(({ type }) => type === 'confirmation.ended');
  return fact?.type === 'confirmation.ended' ? fact.confirmation : null;
}

describe('every path of a loop', () => {
  it('reaches complete only with a stored passing verification (I1)', () => {
    let completed = 0;
    fc.assert(
      fc.property(numbers, setups, (drawn, setup) => {
        const { loop, events } = walk(choicesFrom(drawn), optionsOf(setup), settingsOf(setup));
        if (loop.status !== 'complete') return;
        completed++;
        expect(hasProof(loop)).toBe(true);
        expect(dueQuestion(loop)?.kind).not.toBe('changes');
        if (!setup.verifyOnly) {
          expect(missingGates(loop, events)).toEqual([]);
          expect(newestConfirmation(events)?.verdict).toBe('confirmed');
        }
        const passes = events.filter(
          ({ event }) =>
            (event.type === 'verification.ended' && event.report.overall.passed) ||
            (event.type === 'baseline.recorded' && event.report?.overall.passed === true),
        );
        expect(passes.length).toBeGreaterThan(0);
        if (!setup.verifyOnly) expect(setup.verify).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(completed).toBeGreaterThan(20);
  });

  it('waits for an approval through every resume that is not an answer', () => {
    let waited = 0;
    fc.assert(
      fc.property(numbers, setups, (drawn, setup) => {
        const settings = settingsOf({ ...setup, mode: 'unattended', gates: ['approval'] });
        const world = new SimulatedWorld(choicesFrom(drawn), optionsOf(setup), settings);
        for (let step = 0; step < 200 && world.step(); step++);
        if (!awaitsApproval(world.loop)) return;
        waited++;
        const iterations = world.loop.iterations.length;
        const resumed = { sessionId: 's-2', host: 'h', why: 'again', settings: null, flags: null };
        world.append({ type: 'loop.resumed', ...resumed });
        for (let step = 0; step < 20 && world.step(); step++);
        expect(world.loop).toMatchObject({ status: 'blocked', reason: 'approval' });
        expect(world.loop.iterations).toHaveLength(iterations);
      }),
      { numRuns: 500 },
    );
    expect(waited).toBeGreaterThan(5);
  });

  it('folds to the same loop from the log as step by step (I2)', () => {
    fc.assert(
      fc.property(numbers, setups, (drawn, setup) => {
        const { loop, events } = walk(choicesFrom(drawn), optionsOf(setup), settingsOf(setup));
        expect(fold(events)).toEqual(loop);
      }),
      { numRuns: 200 },
    );
  });

  it('never counts more iterations than the cap and never reuses a number (I3)', () => {
    shows('004.number-unique');
    fc.assert(
      fc.property(numbers, setups, (drawn, setup) => {
        const { loop } = walk(choicesFrom(drawn), optionsOf(setup), settingsOf(setup));
        if (setup.cap > 0) expect(countedIterations(loop)).toBeLessThanOrEqual(setup.cap);
        const seen = loop.iterations.map(({ number }) => number);
        expect(seen).toEqual(seen.map((_, index) => index + 1));
      }),
      { numRuns: 200 },
    );
  });

  it('leaves no iteration open when it rests', () => {
    fc.assert(
      fc.property(numbers, setups, (drawn, setup) => {
        const { loop } = walk(choicesFrom(drawn), optionsOf(setup), settingsOf(setup));
        if (isResting(loop.status)) expect(openIteration(loop)).toBeNull();
      }),
      { numRuns: 200 },
    );
  });
});

describe('a crash at any point of the log', () => {
  it('is repaired once, keeps every finished iteration and goes on with the next number (I4)', () => {
    fc.assert(
      fc.property(numbers, setups, fc.nat(), landed, (drawn, setup, at, rebased) => {
        const { events } = walk(choicesFrom(drawn), optionsOf(setup), settingsOf(setup));
        const prefix = events.slice(0, 2 + (at % Math.max(1, events.length - 1)));
        const crashed = fold(prefix);
        if (crashed === null || isResting(crashed.status)) return;
        const world = new SimulatedWorld(choicesFrom(drawn), crashed.options, crashed.settings);
        world.loop = crashed;
        const open = openIteration(crashed);
        const lastSeen = (open?.startedAt ?? 0) + 5000;
        const found = { endedProcess: false, lastSeen, rebased };
        world.append(...repair(crashed, { why: 'crash', ...found }));
        expect(world.loop).toMatchObject({ rebaseOnto: null });
        if (crashed.status === 'rebasing' && rebased !== null) {
          expect(world.loop).toMatchObject({ head: rebased, baseline: null });
          expect(world.loop.workspace.base).toBe(crashed.rebaseOnto);
        }
        const interrupted = world.loop.iterations.at(-1);
        if (interrupted?.outcome === 'interrupted' && interrupted.number === open?.number) {
          expect(interrupted.durationMs).toBe(5000);
        }
        expect(repair(world.loop, { why: 'again', ...found })).toEqual([]);
        world.append({
          type: 'loop.resumed',
          sessionId: 's-2',
          host: 'h',
          why: 'crash',
          settings: null,
          flags: null,
        });
        const finished = crashed.iterations.filter(({ endedAt }) => endedAt !== null);
        expect(world.loop.iterations.slice(0, finished.length)).toEqual(finished);
        for (let step = 0; step < 200 && world.step(); step++);
        const seen = world.loop.iterations.map(({ number }) => number);
        expect(seen).toEqual(seen.map((_, index) => index + 1));
        if (world.loop.status === 'complete') expect(hasProof(world.loop)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('requests at any moment', () => {
  it('never undo a completion that was decided, however often the loop is interrupted and resumed', () => {
    let decided = 0;
    fc.assert(
      fc.property(
        numbers,
        setups,
        fc.array(fc.nat({ max: 60 }), { maxLength: 6 }),
        (drawn, setup, cuts) => {
          const world = new SimulatedWorld(
            choicesFrom(drawn),
            optionsOf(setup),
            settingsOf({ ...setup, gates: [] }),
          );
          for (const stepsUntilCut of [...cuts, 400]) {
            world.request = null;
            for (let step = 0; step < stepsUntilCut && world.step(); step++);
            if (stepsUntilCut === 400) break;
            world.request = { kind: 'interrupt', when: stepsUntilCut % 2 === 0 ? 'cut' : 'finish' };
            for (let step = 0; step < 60 && world.step(); step++);
            if (world.loop.status !== 'paused') break;
            world.append({
              type: 'loop.resumed',
              sessionId: 's-2',
              host: 'h',
              why: 'resumed',
              settings: null,
              flags: null,
            });
          }
          const completing = world.events.some(
            ({ event }) =>
              event.type === 'decision.made' && event.decision.end?.status === 'complete',
          );
          if (!completing) return;
          decided++;
          expect(world.loop.status).toBe('complete');
        },
      ),
      { numRuns: 1500 },
    );
    expect(decided).toBeGreaterThan(20);
  });
});
