import { filesTouched, lastIteration, ranIterations, type Loop } from '../loop/loop.ts';
import { reportTests } from '../verdict/report.ts';
import { headChars } from '../text/code-points.ts';
import { singleLine } from '../prompt/inline.ts';
import type { Message } from './message.ts';

const maxFiles = 20;
const maxShares = 5;

/** What is known about a loop, as lines of text: its status, its newest iteration, its files, and what it has shared. */
export function factsAbout(loop: Loop, shares: readonly Message[]): string {
  const last = lastIteration(loop);
  const tests = last?.report ? reportTests(last.report) : null;
  const files = filesTouched(loop);
  const summary = last?.agent?.summary ?? null;
  return [
    `loop: ${loop.id} (${singleLine(loop.title, 200)})`,
    `status: ${loop.status}${loop.reason === null ? '' : ` (${loop.reason})`}`,
    ...(loop.text === null ? [] : [`why: ${singleLine(loop.text, 500)}`]),
    `iterations: ${ranIterations(loop).length}`,
    ...(loop.workspace.branch === null ? [] : [`branch: ${loop.workspace.branch}`]),
    ...(last === null ? [] : [`newest iteration: ${last.number}, ${last.outcome ?? last.status}`]),
    ...(last?.report ? [`checks: ${last.report.overall.passed ? 'pass' : 'do not pass'}`] : []),
    ...(tests === null ? [] : [`tests: ${tests.passed} of ${tests.total} pass`]),
    ...(summary === null ? [] : [`summary: ${singleLine(summary, 500)}`]),
    ...(files.length === 0 ? [] : [`files: ${fileList(files)}`]),
    ...shares
      .filter(({ kind, sender }) => kind === 'share' && sender === loop.id)
      .slice(0, maxShares)
      .map(({ body }) => `shared: ${headChars(singleLine(body, 400), 400)}`),
  ].join('\n');
}

function fileList(files: readonly string[]): string {
  const more = files.length - maxFiles;
  const shown = files.slice(0, maxFiles).map((file) => singleLine(file, 200));
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
