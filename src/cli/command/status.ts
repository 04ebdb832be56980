import type { QueueReport } from '../../core/schedule/queue-report.ts';
import type { Task } from '../../core/task/task.ts';
import type { Loop } from '../../core/loop/loop.ts';
import { connectDaemon } from '../../daemon/connect.ts';
import { readOverview } from '../../engine/overview.ts';
import type { Active, HeldTask, Needed, Overview, Owner } from '../../ports/overview.ts';
import type { LoopRow } from '../../ports/store.ts';
import type { Health, RunBudgetUse } from '../../protocol/http/payload.ts';
import { overviewResult } from '../../protocol/overview.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { wantsJson } from '../input.ts';
import { formatAge, formatClock, formatCost, formatDuration, plural } from '../render/format.ts';
import { nextCommands } from '../render/next-commands.ts';
import { outageText } from '../render/outage-text.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { statusStyle, statusText } from '../render/status-word.ts';
import { oneLine } from '../render/story-line.ts';
import { waitingForPlace } from '../render/waiting-text.ts';
import { cutToWidth } from '../render/width.ts';

type Waiting = QueueReport['waiting'];

export const status: Command = {
  path: ['status'],
  summary: 'Show what runs, what waits, what needs you and what is next.',
  examples: [
    { line: 'loopwright status', does: 'Shows the state of this repository on one screen.' },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const overview = await readOverview(opened.engine);
    // A daemon of another version, or one that hangs, does not keep the store from being shown.
    const connected = await connectDaemon(opened.engine.stateDir).catch(() => null);
    const daemon = connected?.health ?? null;
    const doing = (await connected?.client.call('daemon').catch(() => null)) ?? null;
    const budget = doing?.budget ?? null;
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify(overviewResult(overview, daemon, budget))}\n`);
    } else {
      const text = renderOverview(overview, daemon, context);
      context.out.write(`${text}${budgetText(overview, budget)}`);
    }
    return exitCodes.ok;
  },
};

function renderOverview(
  overview: Overview,
  daemon: Health | null,
  { out, clock }: CliContext,
): string {
  const waiting = overview.queues.flatMap((queue) => queue.waiting);
  const paint = createPaint(out.hasColour);
  const now = clock.now();
  const signIns = signInTexts(overview.needsYou);
  const isDriven = ({ loop, owner }: Active): boolean =>
    owner?.isAlive === true || waiting.some(({ id }) => id === loop.taskId);
  const sections = [
    section(
      'down',
      overview.outages.map((outage) => paint('yellow', outageText(outage))),
    ),
    section(
      'running',
      overview.active.filter(isDriven).map((each) => activeText(each, waiting, now, paint)),
    ),
    section(
      'left by a process that is gone (`loopwright run` continues)',
      overview.active
        .filter((each) => !isDriven(each))
        .map(({ row }) => `${row.id}  ${stateText(row, paint)} · ${oneLine(row.title, 80)}`),
    ),
    section('needs you', [
      ...overview.needsYou.map((needed) => neededText(needed, signIns, paint)),
      ...overview.blockedTasks.map((task) => taskNeedsText(task, paint)),
    ]),
    section(
      'paused',
      overview.paused.map((row) => restingText(row, paint, `loopwright loop resume ${row.id}`)),
    ),
    section(
      'next',
      overview.next.map(
        ({ id, title, priority }) =>
          `${id}  ${priority.padEnd(8)}  ${oneLine(title, 100)}${placeText(waiting, id, '\n    ')}`,
      ),
    ),
    section(
      'waits for others',
      overview.held.map((each) => heldText(each)),
    ),
    section('slots', overview.queues.map(queueText)),
  ].filter((each) => each.rows.length > 0);
  const width = out.isTerminal ? out.columns : 200;
  const parts = sections.map(({ title, rows }) => {
    const lines = rows
      .flatMap((row) => row.split('\n'))
      .map((row) => `  ${fit(row, width - 2, out.hasColour)}`);
    return `${paint('bold', title)}\n${lines.join('\n')}`;
  });
  if (parts.length === 0)
    parts.push('nothing runs and nothing is ready; start with `loopwright run "what to do"`');
  return `${parts.join('\n\n')}\n\n${countsText(overview.counts)}${daemonText(daemon, overview)}\n`;
}

function usedOf(used: number, limit: number): string {
  return `${formatCost(used)} of ${formatCost(limit)}`;
}

/** What was used within 24 hours, and by the daemon where that is limited. */
function budgetText({ budget }: Overview, run: RunBudgetUse | null): string {
  const { dayUsd, dayLimitUsd } = budget;
  const parts = [
    `${dayLimitUsd === null ? formatCost(dayUsd) : usedOf(dayUsd, dayLimitUsd)} used within 24 hours`,
    run === null || run.maxCostUsd === null
      ? []
      : [`${usedOf(run.costUsd, run.maxCostUsd)} used by the daemon`],
    run === null || run.spent === null
      ? []
      : [`the daemon starts nothing more (${run.spent}); raise it in loopwright.yml to continue`],
  ].flat();
  return `${dayLimitUsd === null && run?.maxCostUsd == null ? 'cost' : 'budget'}: ${parts.join(' · ')}\n`;
}

function heldText({ task, after }: HeldTask): string {
  const shown = after.slice(0, 3).map(({ id, status: state }) => `${id} (${state})`);
  const more = after.length > shown.length ? ` and ${after.length - shown.length} more` : '';
  return `${task.id}  after ${shown.join(', ')}${more}  ${oneLine(task.title, 80)}`;
}

/** Who would work on it, and how to make somebody do. */
function daemonText(daemon: Health | null, { counts }: Overview): string {
  if (daemon !== null) return ` · the daemon is ${daemon.state} (process ${daemon.pid})`;
  const waits = (counts['ready'] ?? 0) > 0;
  return waits ? ' · no daemon: `loopwright run`, or `loopwright daemon start`' : '';
}

/** Painted text cannot be measured here; a terminal wraps it. */
function fit(text: string, width: number, isPainted: boolean): string {
  return isPainted ? text : cutToWidth(text, width);
}

type Section = { readonly title: string; readonly rows: readonly string[] };

function section(title: string, rows: readonly string[]): Section {
  return { title, rows };
}

/** Which place a task or a loop has in the line of an engine, after `before`; nothing when it does not stand there. */
function placeText(waiting: Waiting, id: string, before: string): string {
  const place = waiting.find((each) => each.id === id);
  return place === undefined ? '' : before + waitingForPlace(place);
}

/** What an engine lets run at once, and how long its slots were waited for. */
function queueText({ kind, pid, held, limits, statistics }: Overview['queues'][number]): string {
  const who = kind === 'daemon' ? 'the daemon' : `process ${pid}`;
  const { waitP50Ms, waitP95Ms, peaks, rejected } = statistics;
  const used = `${held.loop} of ${plural(limits.loop, 'loop')}, ${held.agent} of ${plural(limits.agent, 'agent')}, ${held.request} of ${plural(limits.request, 'request')}`;
  const most = `at most ${peaks.loop}, ${peaks.agent} and ${peaks.request} at once`;
  const waits = `waits p50 ${formatDuration(waitP50Ms)}, p95 ${formatDuration(waitP95Ms)}`;
  return `${who}: ${used}\n    ${most} · ${waits} · ${rejected} refused`;
}

function neededText(
  { row, loop }: Needed,
  signIns: ReadonlyMap<string, string>,
  paint: Paint,
): string {
  if (row.reason === 'auth') {
    const text = signIns.get(row.id);
    return restingText(row, paint, text === undefined ? null : oneLine(text, 300));
  }
  const commands = loop === null ? [] : nextCommands(loop, false).map(({ line }) => line);
  const answer = commands.find((line) => line.startsWith('loopwright approve'));
  const command = answer ?? commands[0] ?? `loopwright loop explain ${row.id}`;
  const why = loop?.text == null ? [] : [oneLine(loop.text, 160)];
  return restingText(row, paint, [...why, command].join('\n    '));
}

function activeText(
  { loop, row, owner }: Active,
  waiting: Waiting,
  now: number,
  paint: Paint,
): string {
  const state = paint(statusStyle(loop.status), statusText(loop.status, loop.reason));
  const cost = row.costUsd === null ? '' : ` · ${formatCost(row.costUsd)}`;
  // When a provider is tried again is said of the provider.
  const wait =
    loop.wait === null || loop.wait.condition === 'outage'
      ? ''
      : ` · ${formatDuration(Math.max(0, loop.wait.until - now))} left, until ${formatClock(loop.wait.until)} UTC`;
  const head = `${loop.id}  ${state} · iteration ${row.iterations}${cost}${wait} · last event ${formatAge(now - row.updatedAt)}`;
  return `${head}\n    ${oneLine(loop.title, 100)}\n    ${ownerText(loop, owner, waiting)}`;
}

function ownerText(loop: Loop, owner: Owner | null, waiting: Waiting): string {
  if (owner !== null && owner.isAlive) {
    const { pid, host } = owner;
    const place = placeText(waiting, loop.id, '; ');
    return owner.kind === 'daemon'
      ? `driven by the daemon (process ${pid} on ${host})${place}`
      : `driven by process ${pid} on ${host}${place}`;
  }
  return placeText(waiting, loop.taskId, '');
}

function restingText(row: LoopRow, paint: Paint, command: string | null): string {
  const head = `${row.id}  ${stateText(row, paint)} · ${oneLine(row.title, 80)}`;
  return command === null ? head : `${head}\n    ${command}`;
}

function stateText({ status: state, reason }: LoopRow, paint: Paint): string {
  return paint(statusStyle(state), statusText(state, reason));
}

/** What to do is said with the first of the loops that want the same sign-in. */
function signInTexts(needed: readonly Needed[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const { row, loop } of needed) {
    const text = row.reason === 'auth' ? (loop?.text ?? '') : '';
    if (text !== '' && ![...first.values()].includes(text)) first.set(row.id, text);
  }
  return first;
}

function taskNeedsText({ id, title, status: state, reason }: Task, paint: Paint): string {
  const why = reason === null ? '' : ` (${oneLine(reason, 120)})`;
  return `${id}  ${paint('red', state)} · ${oneLine(title, 80)}${why}`;
}

function countsText(counts: Overview['counts']): string {
  const { ready = 0, ...others } = counts;
  const rest = Object.entries(others).flatMap(([name, count]) =>
    count === 0 ? [] : [`${count} ${name}`],
  );
  return [`${plural(ready, 'task')} ready`, ...rest].join(', ');
}
