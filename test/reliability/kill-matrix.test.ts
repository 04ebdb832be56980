import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/core/loop/event.ts';
import { failpointNames, type Failpoint } from '../../src/ports/failpoint.ts';
import { processesWith } from '../support/invariants.ts';
import { killFamily } from '../../scripts/torture/family.ts';
import { sampleName, sampleOfEach } from './sample.ts';
import { restartMachine } from '../support/restart-machine.ts';
import { scenario, type Ended, type Scenario, type ScenarioKind } from './scenario.ts';

/**
 * `kill`: the engine alone. `throw`: the step fails. `hang`: it never ends, then the engine is killed. `family`: the engine
 * with all that it started, git included. `twice`: the engine, and the next one soon after it took over. `person`: the engine, and a
 * person commits to the base before the next run.
 */
type Ending = 'kill' | 'throw' | 'hang' | 'family' | 'twice' | 'person';
type Case = {
  readonly point: Failpoint;
  readonly nth: number;
  readonly ending: Ending;
  readonly kind: ScenarioKind;
};

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';
const text = 'count to three';

/** Points that only a second engine reaches, and how the first one must end for that. */
const reachedAfter: Readonly<Record<string, string>> = {
  'loop.resumed': 'after:agent.started:2:kill',
  'restore-torn': 'after:run-agent:2:kill',
  'save-left-work': 'after:run-agent:2:kill',
  'rebase.aborted': 'after:rebase.started:1:kill',
  'settle-move': 'after:move-files:1:kill',
  'release-task': 'after:claim-task:1:kill',
  'messages.received': 'after:agent.started:2:kill',
  'progress.cleared': 'after:agent.started:2:kill',
};

/** Points that are reached only when the machine was started since. */
const afterRestart: ReadonlySet<string> = new Set(['restore-torn']);

/** What a person says to the loop meanwhile. */
const words: Readonly<Record<string, readonly string[]>> = {
  'messages.received': ['alert', 'last', 'mind the gap'],
  'progress.cleared': ['loop', 'clear-progress', 'last'],
};

/** Points that a person's answer reaches. */
const answers: Readonly<Record<string, readonly string[]>> = {
  'approval.given': ['approve', 'last'],
  'approval.refused': ['reject', 'last', '--reason', 'once more'],
  'integrity.allowed': ['approve', 'last'],
  'judge.allowed': ['approve', 'last'],
  'proof.accepted': ['approve', 'last'],
};

/** Once in the second iteration, where there is something to lose, if the point lies in an iteration. */
const inEveryIteration: ReadonlySet<string> = new Set([
  'run-check',
  'run-hook',
  'build-prompt',
  'run-agent',
  'restore-protected',
  'put-back',
  'commit',
  'write-patch',
  'iteration.started',
  'model.chosen',
  'prompt.built',
  'hooks.ran',
  'agent.started',
  'agent.ended',
  'usage.added',
  'protected.restored',
  'snapshot.taken',
  'verification.started',
  'verification.ended',
  'iteration.ended',
  'decision.made',
  'loop.waiting',
  'loop.woken',
  'warning.raised',
]);

/** Where a branch of the user's moves, and with it the files of a checkout that shows it. */
const movesBase =
  /fast-forward|merge|move|hold-loop|remove-workspace|delete-branch|release-loop|loop\.rested/;

/** Points that no scenario of this matrix reaches, and why. */
const unreachable: Readonly<Partial<Record<Failpoint, string>>> = {};

const cases = failpointNames
  .filter((point) => unreachable[point] === undefined)
  .flatMap((point): Case[] => {
    const nth = inEveryIteration.has(stepOf(point)) ? 2 : point === 'during:append' ? 5 : 1;
    const kind = kindFor(point);
    const endings: Ending[] = ['kill', 'throw'];
    if (['before:commit', 'after:fast-forward', 'during:append'].includes(point))
      endings.push('hang');
    // A person answers, or the base moves against the loop: those have other endings to tell.
    const isPlain = answers[stepOf(point)] === undefined && kind !== 'conflict';
    if (isPlain) endings.push('family', 'twice');
    // What a person commits on top of what the agent did blocks the loop: see test/engine/base-moves.test.ts.
    if (isPlain && kind !== 'moved') endings.push('person');
    const found = endings.map((ending): Case => ({ point, nth, ending, kind }));
    if (!['merge', 'shown'].includes(kind) || !movesBase.test(point)) return found;
    const shown = endings.filter((ending) => ending !== 'throw');
    return [...found, ...shown.map((ending): Case => ({ point, nth, ending, kind: 'checkout' }))];
  });

/** What the engine that takes over does first, and what it does last. */
const secondPoints = [
  'after:claim-loop:1',
  'after:open-workspace:1',
  'before:workspace.opened:1',
  'after:workspace.opened:1',
  'after:rebase.started:1',
  'after:rebase:1',
  'before:iteration.started:1',
  'after:run-agent:1',
  'after:commit:1',
  'before:fast-forward:1',
  'after:fast-forward:1',
  'before:loop.merged:1',
] as const;

describe(`an engine that ends at a failpoint (${isFull ? 'all' : sampleName})`, () => {
  it('has a case for every point, or says why not', () => {
    const covered = new Set(cases.map(({ point }) => point));
    const missing = failpointNames.filter((point) => !covered.has(point));
    expect(missing).toEqual(Object.keys(unreachable));
  });

  it.concurrent.each(isFull ? cases : sampleOfEach(cases, groupOf, 1))(
    '$point:$nth:$ending ($kind) leaves a loop that the next run completes, and nothing else',
    async ({ point, nth, ending, kind }) => {
      await using project = await scenario(kind);
      const prelude = reachedAfter[stepOf(point)];
      if (prelude !== undefined) {
        const first = await project.run(['run', text], { LOOPWRIGHT_FAIL_AT: prelude });
        expect(first.signal).toBe('SIGKILL');
        if (afterRestart.has(stepOf(point))) restartMachine(project.repo);
      }
      const said = words[stepOf(point)];
      if (said !== undefined) expect((await project.run(said)).exitCode).toBe(0);
      const answer = answers[stepOf(point)];
      if (answer !== undefined) {
        const waiting = await project.run(['run', text]);
        expect(waiting.exitCode, waiting.err).toBe(kind === 'cheat' ? 1 : 2);
      }
      const argv = answer ?? (prelude === undefined ? ['run', text] : ['run']);
      const failed = await endAt(project, argv, `${point}:${nth}`, ending);
      expect(whyNotReached(failed, ending)).toBeNull();

      const then = await project.loops();
      // An error is answered by putting the loop to rest, which stores facts of its own.
      if (ending !== 'throw') expect(acknowledged(then[0]?.events ?? [], point, nth)).toBe(true);
      await meanwhile(project, ending, point);
      await (answer === undefined ? goOn(project) : approveAtLast(project));

      const now = await project.loops();
      for (const { loop, events } of then) {
        const later = now.find((each) => each.loop.id === loop.id)?.events ?? [];
        expect(later.slice(0, events.length)).toEqual(events);
      }
      expect(await project.violations()).toEqual([]);
    },
    300_000,
  );
});

function groupOf({ ending, kind }: Case): string {
  return `${ending} ${kind === 'checkout' ? kind : ''}`;
}

/** What happens between the end of the engine and the run that completes the loop. */
async function meanwhile(project: Scenario, ending: Ending, point: Failpoint): Promise<void> {
  if (ending === 'person') await project.commitAsPerson();
  if (ending !== 'twice') return;
  const second = secondPoints[failpointNames.indexOf(point) % secondPoints.length];
  // It may come to its end before that point.
  await project.run(['run'], { LOOPWRIGHT_FAIL_AT: `${second}:kill` });
}

/** What must happen for the point to be reached. */
function kindFor(point: Failpoint): ScenarioKind {
  if (point.endsWith('conflicted')) return 'conflict';
  if (stepOf(point) === 'merge-rebase') return 'late';
  if (['move-files', 'move-ref', 'move-index', 'settle-move'].includes(stepOf(point)))
    return 'shown';
  if (['integrity.allowed', 'judge.allowed'].includes(stepOf(point))) return 'cheat';
  if (stepOf(point) === 'proof.accepted') return 'unproven';
  if (stepOf(point) === 'session.rebooted') return 'session';
  if (stepOf(point) === 'surroundings.changed') return 'tamper';
  if (['base.moved', 'move-back'].includes(stepOf(point))) return 'moved';
  if (answers[stepOf(point)] !== undefined) return 'approval';
  if (['approval.asked', 'mode.switched'].includes(stepOf(point))) return 'mode';
  if (['gate.judged', 'look-at-gate'].includes(stepOf(point))) return 'gate';
  return point.endsWith('usage.added') ? 'summary' : 'merge';
}

function stepOf(point: Failpoint): string {
  return point.slice(point.indexOf(':') + 1);
}

async function endAt(
  project: Scenario,
  argv: readonly string[],
  at: string,
  ending: Ending,
): Promise<Ended> {
  const isHeld = ending === 'hang' || ending === 'family';
  const action = isHeld ? 'hang' : ending === 'throw' ? 'throw' : 'kill';
  const run = project.start(argv, { LOOPWRIGHT_FAIL_AT: `${at}:${action}` });
  if (isHeld) {
    await run.printed((printed) => printed.includes('hanging at'));
    if (ending === 'hang') run.child.kill('SIGKILL');
    else killFamily(run.child.pid ?? 0, project.token);
  }
  const ended = await run.ended;
  return { ...ended, signal: run.child.signalCode };
}

function whyNotReached({ signal, exitCode, out, err }: Ended, ending: Ending): string | null {
  const reached = ending === 'throw' ? err.includes('failed on purpose') : signal === 'SIGKILL';
  return reached ? null : `exit code ${exitCode ?? signal}: ${out}${err}`;
}

/** What the engine went past is stored; what it had not reached is not. */
function acknowledged(events: readonly RecordedEvent[], point: Failpoint, nth: number): boolean {
  const stored = events.filter(({ event }) => event.type === stepOf(point)).length;
  if (!stepOf(point).includes('.')) return true;
  return point.startsWith('after:') ? stored >= nth : stored < nth || nth === 1;
}

/** A yes completes the loop; one that was sent back is run again first. */
async function approveAtLast(project: Scenario): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const answered = await project.run(['approve', 'last']);
    if (answered.exitCode === 0) break;
    const again = await project.run(['run']);
    expect([0, 2], again.out + again.err).toContain(again.exitCode);
  }
  expect(processesWith(project.token)).toEqual([]);
}

/** As a person would: `run` goes on with what is left; if nothing was stored yet, the same command again. */
async function goOn(project: Scenario): Promise<void> {
  const again = await project.run(['run']);
  const isConflict = again.out.includes('conflict');
  if (again.exitCode === 3 && (await project.loops()).length === 0) {
    const anew = await project.run(['run', text]);
    expect(anew.exitCode, anew.out + anew.err).toBe(0);
    return;
  }
  const done = (await project.loops()).every(({ loop }) => loop.status === 'complete');
  // Nothing may be left to do at all.
  if (again.exitCode === 3 && done) return;
  expect(again.exitCode, again.out + again.err).toBe(isConflict ? 2 : 0);
  expect(processesWith(project.token)).toEqual([]);
}
