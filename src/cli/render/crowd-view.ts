import type { Activity } from '../../core/agent/outcome.ts';
import { awaitsMerge } from '../../core/loop/finishing.ts';
import { isPartlyUnpriced, knownCost, ranIterations, type Loop } from '../../core/loop/loop.ts';
import type { QueueSnapshot } from '../../core/schedule/queue-view.ts';
import type { LiveEvent } from '../../ports/live.ts';
import type { CliContext } from '../context.ts';
import { formatElapsed, formatSpending, plural } from './format.ts';
import type { Talk, View } from './live-view.ts';
import { renderCrowd, renderLoopLine } from './loop-lines.ts';
import { OutageBoard } from './outage-text.ts';
import { createPaint } from './paint.ts';
import { StatusBlock } from './status-block.ts';
import { statusStyle, statusText } from './status-word.ts';
import { activityLine, agentAtWork, busyWith, storyOf } from './story.ts';
import { line, oneLine, renderLine, type StoryLine } from './story-line.ts';
import { Told } from './told.ts';
import { cutToWidth } from './width.ts';

type Recorded = Extract<LiveEvent, { kind: 'recorded' }>['recorded'];

type Busy = {
  readonly loop: Loop;
  readonly where: string;
  readonly doing: string;
  /** When the loop was first seen. */
  readonly since: number;
};

const mostLines = 12;

/**
 * Many loops at once on `context.err`. On a terminal one live line per loop and one about all, with a line above for
 * each that ends; without one, what each loop does as plain lines that begin with its id.
 */
export class CrowdView implements View {
  readonly #context: Pick<CliContext, 'err' | 'clock'>;
  readonly #talk: Talk;
  readonly #block: StatusBlock | null;
  readonly #loops = new Map<string, Loop>();
  readonly #busy = new Map<string, Busy>();
  readonly #told = new Told();
  readonly #outages = new OutageBoard();
  readonly #ended: Record<string, number> = {};
  readonly #checks = { passed: 0, failed: 0 };
  #queue: QueueSnapshot | null = null;

  constructor(context: Pick<CliContext, 'err' | 'clock'>, talk: Talk) {
    this.#context = context;
    this.#talk = talk;
    this.#block =
      talk === 'quiet'
        ? null
        : new StatusBlock(context.err, context.clock, (columns) => this.#lines(columns));
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
        return;
      case 'queue':
        this.#queue = event.queue;
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

  say(text: string): void {
    this.#print(null, line('note', text));
  }

  tell(text: string): void {
    if (this.#block === null) this.#context.err.write(`${text}\n`);
    else this.#print(null, line('note', text, 'yellow'));
  }

  #recorded(loop: Loop, recorded: Recorded): void {
    const { event } = recorded;
    this.#loops.set(loop.id, loop);
    if (event.type === 'verification.ended') {
      this.#checks[event.report.overall.passed ? 'passed' : 'failed']++;
    }
    this.#nowBusy(loop, event);
    const isEnd = this.#isEnd(loop, event);
    if (isEnd) this.#ended[loop.status] = (this.#ended[loop.status] ?? 0) + 1;
    if (this.#tellsAll) {
      for (const each of storyOf(recorded, loop)) this.#print(loop, each);
    } else if (isEnd) {
      this.#print(null, endLine(loop));
    } else if (event.type === 'warning.raised' || isOwnWait(event)) {
      for (const each of storyOf(recorded, loop)) this.#print(loop, each);
    }
  }

  /** Plain lines tell the story of every loop; on a terminal that is for those who want to see more. */
  get #tellsAll(): boolean {
    return !this.#context.err.isTerminal || this.#talk === 'verbose';
  }

  #isEnd(loop: Loop, { type }: Recorded['event']): boolean {
    return type === 'loop.merged' || (type === 'loop.rested' && !awaitsMerge(loop));
  }

  #nowBusy(loop: Loop, event: Recorded['event']): void {
    const text = awaitsMerge(loop) ? 'merging' : busyWith(event, loop);
    const before = this.#busy.get(loop.id);
    if (text === null) this.#busy.delete(loop.id);
    else if (text !== undefined) {
      const since = before?.since ?? this.#context.clock.monotonic();
      this.#busy.set(loop.id, { loop, where: text, doing: '', since });
    } else if (before !== undefined) this.#busy.set(loop.id, { ...before, loop });
  }

  #activity(loopId: string, activity: Activity): void {
    const shown = activityLine(activity);
    const busy = this.#busy.get(loopId);
    if (shown.text === '' || busy === undefined) return;
    const where = busy.where.replace(` · ${agentAtWork}`, '');
    this.#busy.set(loopId, { ...busy, where, doing: `${activity.kind} ${shown.text}` });
    if (this.#talk === 'verbose') this.#print(busy.loop, shown);
  }

  /** Without a live line, why loops wait is told whenever that changes. */
  #tellWait(queue: QueueSnapshot): void {
    if (this.#context.err.isTerminal) return;
    const text = this.#told.newWait(queue);
    if (text !== null) this.say(text);
  }

  #print(loop: Loop | null, story: StoryLine): void {
    if (this.#block === null || (story.isVerbose && this.#talk !== 'verbose')) return;
    const { err } = this.#context;
    const paint = createPaint(err.hasColour);
    const prefix = loop === null ? '' : `${loop.id} `;
    const columns = err.isTerminal ? Math.max(20, err.columns - prefix.length) : null;
    const text = renderLine(story, columns, paint);
    const lines = text.split('\n').map((each) => `${paint('dim', prefix)}${each}`);
    this.#block.print(lines.join('\n'));
  }

  #lines(columns: number): readonly string[] {
    const { clock, err } = this.#context;
    const paint = createPaint(err.hasColour);
    const all = [...this.#busy.values()];
    const room = Math.max(1, Math.min(mostLines, (err.rows ?? 24) - 6));
    const shown = all.slice(0, all.length > room ? room - 1 : room);
    const left = all.length - shown.length;
    const merging = all.filter(({ loop }) => awaitsMerge(loop)).length;
    // Those have given their slots to others.
    const down = all.filter(({ loop }) => loop.wait?.condition === 'outage').length;
    return [
      ...shown.map(({ loop, where, doing, since }) => {
        const time = formatElapsed(clock.monotonic() - since);
        return renderLoopLine({ title: loop.title, where, doing, time }, columns, paint);
      }),
      ...(left > 0 ? [paint('dim', `  and ${plural(left, 'more loop')}`)] : []),
      ...this.#outages.lines.map((text) => paint('yellow', cutToWidth(text, columns))),
      renderCrowd(
        {
          queue: this.#queue,
          running: all.length - merging - down,
          merging,
          down,
          ended: this.#ended,
          checks: this.#checks,
          cost: this.#cost(),
        },
        columns,
      ),
    ];
  }

  #cost(): string | null {
    const costs = this.loops.map(knownCost).filter((cost) => cost !== null);
    const sum = costs.length === 0 ? null : costs.reduce((all, cost) => all + cost, 0);
    return formatSpending(sum, this.loops.some(isPartlyUnpriced));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#block?.[Symbol.asyncDispose]();
  }
}

/** A wait of this loop alone; what all loops of a provider wait for is told once. */
function isOwnWait(event: Recorded['event']): boolean {
  return event.type === 'loop.waiting' && event.condition !== 'outage';
}

/** How one loop ended, in one line. */
function endLine(loop: Loop): StoryLine {
  const { status, reason, mergedInto, title, text } = loop;
  const how = plural(ranIterations(loop).length, 'iteration');
  const why = status === 'complete' || reason === 'auth' ? how : oneLine(text ?? '', 160);
  const where = mergedInto === null ? '' : `, merged into ${mergedInto}`;
  const mark = status === 'complete' ? '✓' : '✗';
  const words = `${statusText(status, reason)} · ${oneLine(title, 80)} · ${why}${where}`;
  return { ...line(mark, words, statusStyle(status)), isMark: true, isCut: true };
}
