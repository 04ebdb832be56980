import type { Iteration, Loop } from '../../core/loop/loop.ts';
import { plainText } from '../../core/text/terminal.ts';
import { allChecks, reportTests, type VerificationReport } from '../../core/verdict/report.ts';
import type { Paint, Style } from '../render/paint.ts';
import { wrap } from '../render/wrap.ts';

/** What the run showed, told from its stored facts. */
export function renderStory(loop: Loop, width: number, paint: Paint): string {
  const lines = loop.iterations.map((iteration, index) => {
    const before =
      index === 0 ? (loop.baseline?.report ?? null) : (loop.iterations[index - 1]?.report ?? null);
    const mark =
      iteration.report?.overall.passed === true ? paint('green', '✓') : paint('red', '✗');
    return `  ${mark} ${wrap(`${iteration.number}. ${tellIteration(iteration, before)}`, width - 4, '', '       ')}`;
  });
  return ['What happened', ...lines].join('\n');
}

function tellIteration({ agent, report }: Iteration, before: VerificationReport | null): string {
  if (report === null) return 'Nothing was verified.';
  const tests = reportTests(report);
  const counts = tests === null ? 'the checks ran' : `${tests.passed} of ${tests.total} tests pass`;
  const claims = agent?.claim === 'done';
  if (report.overall.passed)
    return `The engine ran the checks: ${counts}. That is the proof, so the loop is complete.`;
  if (claims)
    return `The agent said it was done. The engine ran the checks: ${counts}. So it was not, and the next iteration was told why.`;
  const broken = newlyFailing(report, before);
  const lost =
    broken.length === 0
      ? ''
      : ` But “${broken[0] ?? ''}” had passed before: named in the next prompt.`;
  return `The agent got further: ${counts}.${lost}`;
}

/** Tests that fail now and did not fail before. */
function newlyFailing(
  report: VerificationReport,
  before: VerificationReport | null,
): readonly string[] {
  if (before === null) return [];
  const old = new Set(failing(before));
  return failing(report).filter((name) => !old.has(name));
}

function failing(report: VerificationReport): readonly string[] {
  return allChecks(report).flatMap(({ check }) => check.failingTests);
}

const maxLines = 60;

/** The patch without git's own headers, coloured. */
export function renderPatch(patch: string, paint: Paint): string {
  const lines = plainText(patch)
    .split('\n')
    .filter((line) => !/^(?:diff --git|index |--- |\+\+\+ )/.test(line));
  const shown = lines.slice(0, maxLines).map((line) => {
    const style = patchStyle(line);
    return style === null ? `  ${line}`.trimEnd() : paint(style, `  ${line}`);
  });
  const more = lines.length - shown.length;
  return [...shown, ...(more > 0 ? [`  and ${more} more lines`] : [])].join('\n').trimEnd();
}

function patchStyle(line: string): Style | null {
  if (line.startsWith('+')) return 'green';
  if (line.startsWith('-')) return 'red';
  return line.startsWith('@@') ? 'cyan' : null;
}
