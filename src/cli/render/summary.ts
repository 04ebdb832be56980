import { isHeldUnproven, proofOf } from '../../core/loop/finishing.ts';
import { onlyTestsText } from '../../core/loop/judges.ts';
import {
  isPartlyUnpriced,
  knownCost,
  loopTokens,
  ranIterations,
  type Loop,
} from '../../core/loop/loop.ts';
import { standingWarnings } from '../../core/loop/stuck.ts';
import { changeText } from '../../core/verdict/confirmation.ts';
import { newestTests } from '../../protocol/loop-result.ts';
import type { LoopFiles } from '../../engine/loop-files.ts';
import { formatDuration, formatSpending, formatTests, formatTokens, plural } from './format.ts';
import { nextCommands } from './next-commands.ts';
import type { Paint } from './paint.ts';
import { statusSaysAll, statusStyle, statusText } from './status-word.ts';
import { oneLine } from './story-line.ts';

const shownFiles = 10;
const labelWidth = 12;

export type Summary = { readonly facts: string; readonly next: string };

/** How a loop ended, what it changed and cost, and what to type next but for the command that holds `without`. */
export function renderSummary(
  loop: Loop,
  files: LoopFiles,
  paint: Paint,
  without: string | null = null,
): Summary {
  const status = paint(statusStyle(loop.status), statusText(loop.status, loop.reason));
  const lines = [
    `${paint('bold', loop.id)} is ${status}${statusSaysAll(loop) ? '' : `: ${oneLine(loop.text ?? '')}`}`,
    ...row('task', `${oneLine(loop.title, 100)} (${loop.taskId})`),
    ...row('changed', changedText(files)),
    ...statRows(files).map((text) => `${' '.repeat(labelWidth + 4)}${text}`),
    ...row('branch', branchText(loop)),
    ...row('tests', testsText(loop)),
    ...proofRows(loop, paint),
    ...row('merge', isHeldUnproven(loop) ? heldMerge : null),
    ...row('iterations', `${ranIterations(loop).length} in ${formatDuration(loop.activeMs)}`),
    ...row('cost', costText(loop)),
    ...warningsOf(loop).flatMap((text) => row('warning', paint('yellow', oneLine(text, 300)))),
  ];
  const next = nextCommands(loop, files.changed.length > 0).filter(
    ({ line }) => without === null || !line.includes(without),
  );
  const width = Math.max(...next.map(({ line }) => line.length));
  const commands = next.map(({ line, does }) => `  ${line.padEnd(width)}  ${paint('dim', does)}`);
  return { facts: `${lines.join('\n')}\n`, next: `${['next:', ...commands].join('\n')}\n` };
}

const heldMerge = 'waits for you: unproven work is merged only with `git.merge-unproven: true`';

function warningsOf(loop: Loop): readonly string[] {
  const text = onlyTestsText(loop);
  const standing = standingWarnings(loop);
  return text === null ? standing : [...standing, text];
}

function row(label: string, text: string | null): readonly string[] {
  return text === null ? [] : [`  ${label.padEnd(labelWidth)}${text}`];
}

function changedText({ changed, lines }: LoopFiles): string {
  if (changed.length === 0) return 'nothing';
  return `${plural(changed.length, 'file')}${lines === null ? '' : `, ${lines}`}`;
}

function statRows({ rows }: LoopFiles): readonly string[] {
  const shown = rows.slice(0, shownFiles).map((text) => oneLine(text, 120));
  const more = rows.length - shown.length;
  return more > 0 ? [...shown, `and ${more} more`] : shown;
}

function branchText({ workspace, mergedInto }: Loop): string | null {
  if (workspace.branch === null) return null;
  if (mergedInto !== null) return `merged into ${mergedInto}`;
  return workspace.mode === 'in-place' ? `${workspace.branch} (in place)` : workspace.branch;
}

const shownChanges = 8;

/** How well a completion is shown, and what was changed of the judge. */
function proofRows(loop: Loop, paint: Paint): readonly string[] {
  const proof = proofOf(loop);
  if (proof === null) return [];
  const isWeak = proof.kind === 'unproven';
  const text = `${proof.kind}: ${oneLine(proof.why, 300)}`;
  const changes = proof.confirmation?.changes ?? [];
  const more = changes.length - shownChanges;
  const listed = changes.slice(0, shownChanges).map((change) => oneLine(changeText(change), 120));
  return [
    ...row('proof', isWeak ? paint('yellow', text) : text),
    ...[...listed, ...(more > 0 ? [`and ${more} more`] : [])].map(
      (each) => `${' '.repeat(labelWidth + 4)}${each}`,
    ),
  ];
}

function testsText(loop: Loop): string | null {
  const tests = newestTests(loop);
  return tests === null ? null : formatTests(tests);
}

function costText(loop: Loop): string | null {
  const tokens = loopTokens(loop);
  const parts = [
    formatSpending(knownCost(loop), isPartlyUnpriced(loop)),
    tokens === null ? null : formatTokens(tokens),
  ];
  const known = parts.filter((part) => part !== null);
  return known.length === 0 ? null : known.join(', ');
}
