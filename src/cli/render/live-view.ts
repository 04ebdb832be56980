import type { Activity } from '../../core/agent/outcome.ts';
import { loopCost, type Loop } from '../../core/loop/loop.ts';
import type { LiveEvent } from '../../ports/live.ts';
import type { CliContext } from '../context.ts';
import { formatCost, formatElapsed, plural } from './format.ts';
import { createPaint } from './paint.ts';
import { StatusLine } from './status-line.ts';
import { activityLine, busyWith, storyOf } from './story.ts';
import { line, oneLine, renderLine, type StoryLine } from './story-line.ts';

export type Talk = 'quiet' | 'normal' | 'verbose';

/** More activity than this in a second is counted, not shown. */
const activityPerSecond = 20;

/** What the engine does, as it does it, on `context.err`. */
export class LiveView implements AsyncDisposable {
  readonly #context: Pick<CliContext, 'err' | 'clock'>;
  readonly #talk: Talk;
  readonly #status: StatusLine | null;
  readonly #loops = new Map<string, Loop>();
  readonly #noticed = new Set<string>();
  #busy: { readonly text: string; readonly since: number; readonly until: number | null } | null =
    null;
  #doing = '';
  #costUsd: number | null = null;
  #window = { start: 0, shown: 0, left: 0 };
  #isFirstHeading = true;

  constructor(context: Pick<CliContext, 'err' | 'clock'>, talk: Talk) {
    this.#context = context;
    this.#talk = talk;
    this.#status =
      talk === 'quiet'
        ? null
        : new StatusLine(context.err, context.clock, () => this.#statusText());
  }

  /** The newest state of every loop seen, in the order they were first seen. */
  get loops(): readonly Loop[] {
    return [...this.#loops.values()];
  }

  /** Takes any live event; may be called from anywhere and never throws. */
  readonly listener = (event: LiveEvent): void => {
    switch (event.kind) {
      case 'recorded':
        this.#recorded(event.loop, event.recorded);
        return;
      case 'activity':
        this.#activity(event.activity);
        return;
      case 'usage':
        this.#costUsd = event.costUsd;
        return;
      case 'notice':
        // The same is found out for every loop; once is enough.
        if (!this.#noticed.has(event.text)) this.say(event.text);
        this.#noticed.add(event.text);
        return;
    }
  };

  /** A line of talk that belongs to no event. */
  say(text: string): void {
    if (this.#status !== null) this.#print(line('note', text));
  }

  /** Talk that a person must see even when it was asked to be quiet. */
  tell(text: string): void {
    if (this.#status === null) this.#context.err.write(`${text}\n`);
    else this.#print(line('note', text, 'yellow'));
  }

  #recorded(loop: Loop, recorded: Extract<LiveEvent, { kind: 'recorded' }>['recorded']): void {
    this.#loops.set(loop.id, loop);
    if (this.#status === null) return;
    this.#tellLeftOut();
    this.#nowBusyWith(recorded.event, loop);
    for (const each of storyOf(recorded, loop)) this.#print(each);
  }

  #nowBusyWith(event: Parameters<typeof busyWith>[0], loop: Loop): void {
    const text = busyWith(event, loop);
    const until = event.type === 'loop.waiting' ? event.until : null;
    if (text === null) this.#busy = null;
    else if (text !== undefined) {
      this.#busy = { text, since: this.#context.clock.monotonic(), until };
    }
    if (event.type === 'agent.started') this.#doing = '';
    if (event.type === 'agent.ended') {
      this.#doing = '';
      this.#costUsd = null;
    }
  }

  #activity(activity: Activity): void {
    if (this.#status === null) return;
    const now = this.#context.clock.monotonic();
    if (now - this.#window.start >= 1000) {
      this.#tellLeftOut();
      this.#window = { start: now, shown: 0, left: 0 };
    }
    if (this.#window.shown >= activityPerSecond) {
      this.#window.left++;
      return;
    }
    const shown = activityLine(activity);
    if (shown.text === '') return;
    this.#doing = `${activity.kind} ${shown.text}`;
    if (shown.isVerbose && this.#talk !== 'verbose') return;
    this.#window.shown++;
    this.#print(shown);
  }

  #tellLeftOut(): void {
    const { left } = this.#window;
    if (left === 0) return;
    this.#window = { ...this.#window, left: 0 };
    this.#print({
      ...line('', `and ${plural(left, 'more line')} of activity`, 'dim'),
      isDetail: true,
    });
  }

  #print(story: StoryLine): void {
    if (story.isVerbose && this.#talk !== 'verbose') return;
    const { err } = this.#context;
    const columns = err.isTerminal ? err.columns : null;
    const text = renderLine(story, columns, createPaint(err.hasColour));
    const spaced = story.label === null && !this.#isFirstHeading ? `\n${text}` : text;
    if (story.label === null) this.#isFirstHeading = false;
    this.#status?.print(spaced);
  }

  #statusText(): string | null {
    if (this.#busy === null) return null;
    const { clock } = this.#context;
    const { text, since, until } = this.#busy;
    const elapsed = formatElapsed(clock.monotonic() - since);
    const time = until === null ? elapsed : `${formatElapsed(until - clock.now())} left`;
    const cost = this.#spent();
    const parts = [text, time, cost === null ? null : formatCost(cost), oneLine(this.#doing, 120)];
    return parts.filter((part) => part !== null && part !== '').join(' · ');
  }

  /** Cost of the ended iterations and of the run under way. */
  #spent(): number | null {
    const ended = this.loops.flatMap((loop) => loopCost(loop) ?? []);
    const all = this.#costUsd === null ? ended : [...ended, this.#costUsd];
    return all.length === 0 ? null : all.reduce((sum, cost) => sum + cost, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tellLeftOut();
    await this.#status?.[Symbol.asyncDispose]();
  }
}
