import type { Activity } from '../../core/agent/outcome.ts';
import type { LoopEvent, RecordedEvent } from '../../core/loop/event.ts';
import { onlyTestsText } from '../../core/loop/judges.ts';
import { flakyOf } from '../../core/loop/loop-feedback.ts';
import { lastIteration, type Loop } from '../../core/loop/loop.ts';
import { hookLines } from './story-hook.ts';
import { unrecordedText } from '../../core/loop/unrecorded.ts';
import { baseMoveText } from '../../core/loop/base-text.ts';
import { tamperedText } from '../../core/loop/surroundings.ts';
import { flakyText } from '../../core/verdict/flaky.ts';
import { formatDuration, plural } from './format.ts';
import { checkLines, gateLines } from './story-checks.ts';
import { confirmationLines } from './story-confirmation.ts';
import {
  agentLines,
  decisionLines,
  headerLine,
  memoryLines,
  snapshotLines,
  usageText,
} from './story-iteration.ts';
import { detail, line, verbose, type StoryLine } from './story-line.ts';
import { startLines } from './story-start.ts';
import { statusStyle } from './status-word.ts';

/** A recorded event as lines for people; `run` and `logs` tell the same story. `loop` is at least as new. */
export function storyOf({ event, time }: RecordedEvent, loop: Loop): readonly StoryLine[] {
  switch (event.type) {
    case 'loop.created':
      return [];
    case 'loop.started':
      return startLines(loop);
    case 'loop.resumed':
      return [
        ...startLines(loop),
        line('resumed', event.why),
        ...(event.unrecorded === undefined ? [] : [warning(unrecordedText(event.unrecorded))]),
      ];
    case 'settings.reread':
      return [line('settings', 'changed in your files; read again')];
    case 'workspace.opened':
      return workspaceLines(event, loop);
    case 'workspace.set_up':
      return [setUpLine(event)];
    case 'baseline.started':
      return [verbose('baseline', 'verifying the untouched base')];
    case 'baseline.recorded':
      return baselineLines(event);
    case 'integrity.allowed':
      return [line('allowed', allowedText(event), 'yellow')];
    case 'iteration.started':
      return [];
    case 'model.chosen':
      return [headerLine(event, loop)];
    case 'prompt.built':
      return [
        verbose('prompt', `${event.chars} characters, sha256 ${event.hash.slice(0, 12)}`),
        ...memoryLines(event, loop),
        ...event.warnings.map(warning),
      ];
    case 'session.rebooted':
      return [line('session', rebootText(event), 'yellow')];
    case 'hooks.ran':
      return event.results.flatMap(hookLines);
    case 'agent.started':
      return event.try === 1
        ? [
            verbose(
              'agent',
              `started${event.process === null ? '' : ` as process ${event.process.pid}, contained by ${event.process.containment ?? 'process-group'}`}`,
            ),
          ]
        : [line('agent', `started again, try ${event.try}`)];
    case 'agent.ended':
      return agentLines(event.record, lastIteration(loop)?.model ?? null);
    case 'usage.added':
      return [
        event.purpose === 'work'
          ? line('used', `${usageText(event)}, by the run that was interrupted`)
          : verbose(event.purpose, usageText(event)),
      ];
    case 'protected.restored':
      return event.paths.length === 0
        ? []
        : [
            line(
              'restored',
              `protected, so put back: ${event.paths.join(', ')} (verify.allow lets a loop change them)`,
              'yellow',
            ),
          ];
    case 'snapshot.taken':
      return snapshotLines(event);
    case 'surroundings.changed':
      return [warning(tamperedText(event))];
    case 'base.moved':
      return [warning(baseMoveText(event))];
    case 'verification.started':
      return [];
    case 'verification.ended':
      return [
        ...checkLines(event.report),
        ...flakyLines(loop),
        ...(event.report.overall.passed ? onlyTestsLines(loop) : []),
      ];
    case 'iteration.ended':
      // The hook has said it.
      if (event.status === 'skipped') return [];
      return event.outcome === 'interrupted'
        ? [line('iteration', `${event.number} was cut short and does not count`, 'yellow')]
        : [
            verbose(
              'iteration',
              `${event.status}, ${event.outcome} in ${formatDuration(event.durationMs)}`,
            ),
          ];
    case 'confirmation.ended':
      return confirmationLines(event.confirmation);
    case 'judge.allowed':
      return [line('allowed', judgeAllowedText(event), 'yellow')];
    case 'proof.accepted':
      return [line('accepted', `by ${event.by}, although it is unproven`, 'yellow')];
    case 'gate.judged':
      return gateLines(event.result);
    case 'approval.given':
      return [
        line('approved', `by ${event.by}${event.note === '' ? '' : `: ${event.note}`}`, 'green'),
      ];
    case 'approval.refused':
      return [line('rejected', `by ${event.by}: ${event.reason}`, 'yellow')];
    case 'approval.asked':
      return [line('asks', `${event.question.text} ${answerHint(loop)}`, 'yellow')];
    case 'mode.switched':
      return [line('mode', `${event.to}; it was ${event.from}`)];
    case 'decision.made':
      return decisionLines(event.decision, loop);
    case 'loop.waiting':
      return [waitLine(event, time)];
    case 'loop.woken':
      return [verbose('waiting', 'is over')];
    case 'rebase.started':
      return [
        line(
          'rebase',
          `${loop.workspace.baseRef ?? 'the base'} moved to ${event.onto.slice(0, 8)}`,
        ),
      ];
    case 'rebase.ended':
      return [verbose('rebase', `done, head is ${event.head.slice(0, 8)}`)];
    case 'rebase.conflicted':
      return [line('rebase', `conflicts in ${event.files.join(', ')}`, 'red')];
    case 'rebase.aborted':
      return [line('rebase', `given up: ${event.why}`, 'yellow')];
    case 'warning.raised':
      return [warning(event.text)];
    case 'messages.received':
      return event.messages.map(({ kind, from, text }) => {
        const style = kind === 'alert' ? 'yellow' : null;
        return line(kind, text === '' ? `from ${from}` : `from ${from}: ${text}`, style);
      });
    case 'progress.cleared':
      return [line('progress', 'cleared: the next prompt tells nothing of earlier iterations')];
    case 'loop.rested':
      // The decision, or the question, has said the same.
      return [lastIteration(loop)?.decision?.end?.text, loop.asked?.text].includes(event.text)
        ? []
        : [line(event.status, restText(event), statusStyle(event.status))];
    case 'merge.started':
      return [verbose('merge', `moving ${event.into} to ${event.to.slice(0, 8)}`)];
    case 'loop.merged':
      return [line('merged', `into ${event.into} at ${event.commit.slice(0, 8)}`, 'green')];
  }
}

/** What to do about a sign-in is said once, of the provider. */
function restText({ reason, text }: Event<'loop.rested'>): string {
  return reason === 'auth' ? `(${reason})` : text;
}

/** One action of the agent; thinking and the end of the run are only for those who want all. */
export function activityLine({ kind, text }: Activity): StoryLine {
  const isVerbose = kind === 'thinking' || kind === 'finished';
  return { ...line(kind, text, kind === 'waiting' ? 'yellow' : 'dim'), isVerbose, isCut: true };
}

function answerHint({ id }: Loop): string {
  return `(\`loopwright approve ${id}\` or \`reject\`)`;
}

function flakyLines(loop: Loop): readonly StoryLine[] {
  return flakyOf(loop).map((each) => line('flaky', flakyText(each), 'yellow'));
}

function onlyTestsLines(loop: Loop): readonly StoryLine[] {
  const text = onlyTestsText(loop);
  return text === null ? [] : [warning(text)];
}

function warning(text: string): StoryLine {
  return line('warning', text, 'yellow');
}

/** What is said of an agent that has not said yet what it does. */
export const agentAtWork = 'agent at work';

/** What the loop is busy with after an event; other events leave it as it is. */
const busyWords: Partial<Readonly<Record<LoopEvent['type'], string>>> = {
  'loop.started': 'opening the workspace',
  'loop.resumed': 'opening the workspace',
  'baseline.started': 'verifying the untouched base',
  'iteration.started': 'preparing',
  'agent.started': agentAtWork,
  'agent.ended': 'taking a snapshot',
  'verification.started': 'running the checks',
  'iteration.ended': 'deciding',
  'loop.waiting': 'waiting',
  'loop.woken': 'going on',
  'rebase.started': 'rebasing',
};

/** For a status line: a text, null when the loop rests, undefined when nothing changes. */
export function busyWith({ type }: LoopEvent, loop: Loop): string | null | undefined {
  if (type === 'loop.rested' || type === 'loop.merged') return null;
  const word = busyWords[type];
  const number = lastIteration(loop)?.number;
  return word === undefined || number === undefined ? word : `iteration ${number} · ${word}`;
}

type Event<T extends LoopEvent['type']> = Extract<LoopEvent, { type: T }>;

function workspaceLines(event: Event<'workspace.opened'>, loop: Loop): readonly StoryLine[] {
  const isNew = event.created && loop.workspace.mode === 'worktree';
  const opened = isNew
    ? line('workspace', `made at ${event.path}`)
    : verbose('workspace', `at ${event.path}`);
  const missing = `not in your checkout, so not brought along: ${event.missing.join(', ')}`;
  return [
    opened,
    ...event.repaired.map((text) => line('repaired', text, 'yellow')),
    ...(event.missing.length === 0 ? [] : [warning(missing)]),
  ];
}

function setUpLine({ command, exitCode, durationMs }: Event<'workspace.set_up'>): StoryLine {
  const took = `in ${formatDuration(durationMs)}`;
  if (exitCode === 0) return line('setup', `✓ ${command} ${took}`);
  return line('setup', `✗ ${command} failed ${took} (exit code ${exitCode ?? 'none'})`, 'red');
}

function baselineLines(event: Event<'baseline.recorded'>): readonly StoryLine[] {
  const known = event.reused ? ' (known from an earlier loop)' : '';
  const lines: StoryLine[] = [line('baseline', `${baselineText(event)}${known}`)];
  if (event.report !== null && event.state !== 'green') {
    lines.push(
      ...checkLines(event.report).map((each) => (each.isDetail ? each : detail(each.text))),
    );
  }
  if (event.warning !== null) lines.push(warning(event.warning));
  return lines;
}

function allowedText({ keys, by, reason }: Event<'integrity.allowed'>): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${by} accepts ${plural(keys.length, 'finding')} of integrity${why}`;
}

function judgeAllowedText({ paths, by, reason }: Event<'judge.allowed'>): string {
  const why = reason === null ? '' : `: ${reason}`;
  return `${by} accepts changes to ${plural(paths.length, 'file')} that judge the work${why}`;
}

function baselineText({ state }: Event<'baseline.recorded'>): string {
  switch (state) {
    case 'red':
      return 'red: the checks fail on the untouched base, so a later pass is proof';
    case 'green':
      return 'green: the checks pass already, so the agent must also claim to be done';
    case 'unknown':
      return 'unknown: the checks prove nothing on the untouched base';
    case 'skipped':
      return 'skipped';
    case 'broken':
      return 'broken: a check could not run on the untouched base';
  }
}

function waitLine({ condition, until, text }: Event<'loop.waiting'>, time: number): StoryLine {
  const left = formatDuration(Math.max(0, until - time));
  const at = new Date(until).toISOString().slice(11, 19);
  return line(
    'waiting',
    `${condition.replaceAll('_', ' ')}, ${left} until ${at} UTC: ${text}`,
    'yellow',
  );
}

function rebootText({ percent, text, source }: Event<'session.rebooted'>): string {
  const writer = source === 'agent' ? 'written by the agent' : 'made from what is recorded';
  return `its context is ${percent} % full: a fresh session starts from a handoff document of ${text.length} characters, ${writer}`;
}
