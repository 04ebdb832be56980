import type { Activity } from '../../core/agent/outcome.ts';
import { isPartlyUnpriced, knownCost, type Loop } from '../../core/loop/loop.ts';
import { isUnpriced } from '../../core/price/price.ts';
import type { QueueSnapshot } from '../../core/schedule/queue-view.ts';
import type { LiveEvent } from '../../ports/live.ts';
import type { CliContext } from '../context.ts';
import { formatElapsed, formatSpending, formatTokens, plural } from './format.ts';
import { OutageBoard } from './outage-text.ts';
import { createPaint } from './paint.ts';
import { StatusLine } from './status-line.ts';
import { renderStatus, type StatusParts } from './status-text.ts';
import { activityLine, agentAtWork, busyWith, storyOf } from './story.ts';
import { line, oneLine, renderLine, type StoryLine } from './story-line.ts';
import { Told } from './told.ts';

type Usage = Extract<LiveEvent, { kind: 'usage' }>;

export type Talk = 'quiet' | 'normal' | 'verbose';

/** More activity than this in a second is counted, not shown. */
const activityPerSecond = 20;

/** Tells people what the engine does, as it does it. */
export interface View extends AsyncDisposable {
  /** The newest state of every loop seen, in the order they were first seen. */
  readonly loops: readonly Loop[];
  /** Takes any live event; may be called from anywhere and never throws. */
  readonly listener: (event: LiveEvent) => void;
  /** A line of talk that belongs to no event. */
  say(text: string): void;
  /** Talk that a person must see even when it was asked to be quiet. */
  tell(text: string): void;
}

/** One loop after the other, in full, on `context.err`. */
export class LiveView implements View {
  readonly #context: Pick<CliContext, 'err' | 'clock'>;
  readonly #talk: Talk;
  readonly #status: StatusLine | null;
  readonly #loops = new Map<string, Loop>();
  readonly #told = new Told();
  readonly #outages = new OutageBoard();
  #busy: { readonly text: string; readonly since: number; readonly until: number | null } | null =
    null;
  #doing = '';
  /** What the runs under way have used, by loop. */
  readonly #running = new Map<string, Usage>();
  /** What was used when totals were last printed behind a line. */
  #printedTotals = '';
  #window = { start: 0, shown: 0, left: 0 };
  #isFirstHeading = true;

  constructor(context: Pick<CliContext, 'err' | 'clock'>, talk: Talk) {
    this.#context = context;
    this.#talk = talk;
    this.#status =
      talk === 'quiet'
        ? null
        : new StatusLine(context.err, context.clock, (columns) => this.#statusText(columns));
  }

  get loops(): readonly Loop[] {
    return [...this.#loops.values()];
  }

  readonly listener = (event: LiveEvent): void => {
    switch (event.kind) {
      case 'recorded':
        this.#recorded(event.loop, event.recorded);
        return;
      case 'activity':
        this.#activity(event.loopId, event.activity);
        return;
      case 'usage':
        this.#running.set(event.loopId, event);
        return;
      case 'queue':
        this.#tellWait(event.queue);
        return;
      case 'outage': {
        const now = this.#context.clock.now();
        const news = this.#outages.news(event.outage, event.isOver, now);
        if (news !== null) this.tell(news);
        return;
      }
      case 'notice':
        if (this.#told.isNews(event.text)) this.say(event.text);
        return;
    }
  };

  /** That the others wait while one loop works goes without saying; what holds all of them up does not. */
  #tellWait(queue: QueueSnapshot): void {
    const places = queue.places.filter(({ obstacle }) => obstacle.kind !== 'busy');
    const text = this.#told.newWait({ ...queue, places });
    if (text !== null) this.tell(text);
  }

  say(text: string): void {
    if (this.#status !== null) this.#print(line('note', text));
  }

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
    if (event.type === 'agent.started' || event.type === 'agent.ended') {
      this.#doing = '';
      this.#printedTotals = '';
      this.#running.delete(loop.id);
    }
  }

  #activity(loopId: string, activity: Activity): void {
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
    if (shown.isVerbose && this.#talk !== 'verbose') {
      this.#status.refresh();
      return;
    }
    this.#window.shown++;
    this.#print({ ...shown, tail: this.#newTotals(loopId) });
  }

  /** Where there is no live line to look at, totals stand behind the first action after they changed. */
  #newTotals(loopId: string): string {
    if (this.#context.err.isTerminal && this.#talk !== 'verbose') return '';
    const usage = this.#running.get(loopId);
    if (usage === undefined) return '';
    const { turns, tokens, cost } = this.#totals(usage);
    const text = [turns, tokens, cost].filter((part) => part !== null).join(', ');
    if (text === this.#printedTotals) return '';
    this.#printedTotals = text;
    return text;
  }

  #totals(usage: Usage | null): Pick<StatusParts, 'turns' | 'tokens' | 'cost'> {
    const { turns = null, tokens = null } = usage ?? {};
    return {
      turns: turns === null ? null : plural(turns, 'turn'),
      tokens: tokens === null ? null : formatTokens(tokens),
      cost: this.#spent(),
    };
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

  #statusText(columns: number): string | null {
    if (this.#busy === null) return null;
    const { clock } = this.#context;
    const { text, since, until } = this.#busy;
    const elapsed = formatElapsed(clock.monotonic() - since);
    const time = until === null ? elapsed : `${formatElapsed(until - clock.now())} left`;
    const usage = [...this.#running.values()].at(-1) ?? null;
    const where = this.#doing === '' ? text : text.replace(` · ${agentAtWork}`, '');
    const doing = oneLine(this.#doing, 200);
    return renderStatus({ where, doing, time, ...this.#totals(usage) }, columns);
  }

  /** Cost of the ended iterations and of the runs under way. */
  #spent(): string | null {
    const running = [...this.#running.values()];
    const known = [...this.loops.map(knownCost), ...running.map(({ costUsd }) => costUsd)];
    const costs = known.filter((cost) => cost !== null);
    const isPartial = this.loops.some(isPartlyUnpriced) || running.some(isUnpriced);
    const sum = costs.length === 0 ? null : costs.reduce((all, cost) => all + cost, 0);
    return formatSpending(sum, isPartial);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tellLeftOut();
    await this.#status?.[Symbol.asyncDispose]();
  }
}
