import { describe, expect, it } from 'vitest';
import type { Output } from '../../../src/cli/context.ts';
import { CrowdView } from '../../../src/cli/render/crowd-view.ts';
import { renderCrowdSummary } from '../../../src/cli/render/crowd-summary.ts';
import { createPaint } from '../../../src/cli/render/paint.ts';
import { fold } from '../../../src/core/loop/evolve.ts';
import type { LoopEvent } from '../../../src/core/loop/event.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import type { LiveEvent } from '../../../src/ports/live.ts';
import { createdEvent } from '../../contract/store-fixture.ts';

/** A clock that stands still; who sleeps is woken by the end only. */
const clock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  sleep: (_ms, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
    }),
};

function viewOn(columns: number | null) {
  let text = '';
  const output: Output = {
    write: (written) => void (text += written),
    isTerminal: columns !== null,
    hasColour: false,
    columns: columns ?? 80,
    rows: 10,
  };
  return { view: new CrowdView({ err: output, clock }, 'normal'), screen: () => screen(text) };
}

/** What a terminal shows: lines above the cursor can be erased too. */
function screen(text: string): readonly string[] {
  const lines = [''];
  const codes = ['\r', '\n', '\u001B[1A', '\u001B[2K'];
  const parts = codes.reduce<readonly string[]>(
    (all, code) => all.flatMap((part) => splitKeeping(part, code)),
    [text],
  );
  for (const part of parts) {
    if (part === '\n') lines.push('');
    else if (part === '\u001B[1A') lines.pop();
    else if (part === '\u001B[2K') lines[lines.length - 1] = '';
    else if (part !== '\r') lines[lines.length - 1] += part;
  }
  return lines;
}

function splitKeeping(text: string, code: string): readonly string[] {
  return text.split(code).flatMap((part, index) => (index === 0 ? [part] : [code, part]));
}

function recorded(id: string, title: string, ...events: readonly LoopEvent[]): LiveEvent {
  const all = [{ ...createdEvent(id, `t-${id}`), title }, ...events];
  const log = all.map((event, index) => ({ seq: index + 1, time: 0, elapsedMs: 0, event }));
  return { kind: 'recorded', loop: fold(log)!, recorded: log.at(-1)! };
}

const iteration: LoopEvent = {
  type: 'iteration.started',
  number: 1,
  attempt: 1,
  startTree: 'a',
  startHead: null,
};
const agent: LoopEvent = { type: 'agent.started', process: null, try: 1 };
const blocked: LoopEvent = {
  type: 'loop.rested',
  status: 'blocked',
  reason: 'conflict',
  text: 'conflicts with main in README.md',
};

const queue: LiveEvent = {
  kind: 'queue',
  queue: {
    places: [1, 2].map((position) => ({
      id: `loop:t-${position}`,
      kind: 'loop',
      provider: null,
      position,
      waitedMs: 0,
      obstacle: { kind: 'busy', slot: 'loop', limit: 3 },
      estimateMs: null,
    })),
    held: { loop: 3, agent: 3, request: 0 },
    limits: { loop: 3, agent: 3, request: 10 },
  },
};

describe('many loops at once', () => {
  it('have a live line each and one about all; who ended is told above', async () => {
    const { view, screen: shown } = viewOn(72);
    view.listener(recorded('loop-1', 'Write the lexer', iteration, agent));
    view.listener({
      kind: 'activity',
      loopId: 'loop-1',
      iteration: 1,
      activity: { kind: 'editing', text: 'src/lexer.ts' },
    });
    view.listener(recorded('loop-2', 'Accept commas in every list', iteration));
    view.listener(queue);
    view.listener(recorded('loop-3', 'Rename the parser', blocked));
    expect(shown()).toMatchInlineSnapshot(`
      [
        "  ✗ blocked (conflict) · Rename the parser · conflicts with main in REA…",
        "  Write the lexer    iteration 1 · editing src/lexer.ts              0s",
        "  Accept commas in…  iteration 1 · preparing                         0s",
        "2 of 3 slots in use · 2 wait: all 3 loop slots are in use · 1 blocked",
      ]
    `);
    await view[Symbol.asyncDispose]();
    expect(shown()).toMatchInlineSnapshot(`
      [
        "  ✗ blocked (conflict) · Rename the parser · conflicts with main in REA…",
        "",
      ]
    `);
  });

  it('fit into a narrow terminal, and as many as it has room for', async () => {
    const { view, screen: shown } = viewOn(40);
    for (let n = 1; n <= 6; n++)
      view.listener(recorded(`loop-${n}`, `Task ${n}`, iteration, agent));
    view.listener(queue);
    view.say('hello');
    expect(shown()).toMatchInlineSnapshot(`
      [
        "  note       hello",
        "  Task 1      iteration 1 · agent …  0s",
        "  Task 2      iteration 1 · agent …  0s",
        "  Task 3      iteration 1 · agent …  0s",
        "  and 3 more loops",
        "6 of 3 slots in use",
      ]
    `);
    for (const line of shown()) expect(line.length).toBeLessThan(40);
    await view[Symbol.asyncDispose]();
  });

  it('are told as plain lines with their id where there is no terminal', async () => {
    const { view, screen: shown } = viewOn(null);
    view.listener(queue);
    view.listener(queue);
    view.listener(recorded('loop-3', 'Rename the parser', blocked));
    expect(shown()).toMatchInlineSnapshot(`
      [
        "  note       2 wait: all 3 loop slots are in use",
        "loop-3   blocked    conflicts with main in README.md",
        "",
      ]
    `);
    await view[Symbol.asyncDispose]();
  });
});

it('many loops are summed up with those that need a person', () => {
  const events = [
    recorded('loop-1', 'Write the lexer', blocked),
    recorded('loop-2', 'Other', { ...blocked, status: 'complete', reason: 'verified', text: '' }),
  ];
  const loops = events.flatMap((event) => (event.kind === 'recorded' ? [event.loop] : []));
  expect(renderCrowdSummary(loops, createPaint(false))).toMatchInlineSnapshot(`
    "2 loops · 1 blocked · 1 complete
    loop-1 Write the lexer is blocked (conflict): conflicts with main in README.md
      loopwright loop explain loop-1  see what is in the way
    next: loopwright status
    "
  `);
});
