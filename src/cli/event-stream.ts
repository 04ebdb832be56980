import type { LoopEvent } from '../core/loop/event.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { LiveEvent } from '../ports/live.ts';
import { liveEventLine, recordedLine, type EventLine } from '../protocol/event-line.ts';
import type { CliContext } from './context.ts';

/** Every event as one JSON object per line on `context.out`. */
export class EventStream {
  readonly #context: Pick<CliContext, 'out' | 'clock'>;
  readonly #seen = new Set<string>();

  constructor(context: Pick<CliContext, 'out' | 'clock'>) {
    this.#context = context;
  }

  readonly listener = (event: LiveEvent): void => {
    if (event.kind === 'recorded') {
      const { loop, recorded } = event;
      // A loop is created before anybody listens to it; at its start it still is what it was created as.
      const isNew = !this.#seen.has(loop.id) && recorded.event.type === 'loop.started';
      if (isNew && recorded.seq === 2) this.#write(createdLine(loop));
      this.#seen.add(loop.id);
    }
    this.#write(liveEventLine(event, this.#context.clock.now()));
  };

  #write(line: EventLine): void {
    this.#context.out.write(`${JSON.stringify(line)}\n`);
  }
}

function createdLine(loop: Loop): EventLine {
  const event: LoopEvent = {
    type: 'loop.created',
    loopId: loop.id,
    taskId: loop.taskId,
    title: loop.title,
    loopType: loop.loopType,
    agent: loop.agent,
    settings: loop.settings,
    flags: loop.flags,
    prompt: loop.prompt,
    options: loop.options,
    workspace: loop.workspace,
    attemptsBefore: loop.attemptsBefore,
    consecutiveFailures: loop.consecutiveFailures,
  };
  return recordedLine(loop.id, { seq: 1, time: loop.createdAt, elapsedMs: 0, event });
}
