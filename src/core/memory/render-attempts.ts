import { countChars, headChars } from '../text/code-points.ts';
import type { FailureNote, PastAttempt } from './attempt.ts';
import { inertBlock, inertLine, inertParagraph, inertWord } from './inert-text.ts';
import { notesLabel } from './label.ts';
import { truncatedMark as truncated } from '../text/cut-sentence.ts';

const maxTextChars = 500;
const maxStackChars = 500;
const maxFiles = 10;
const earlierTruncated = '_(Earlier attempts truncated due to context budget)_';

export type RenderedAttempts = { readonly text: string; readonly shown: readonly number[] };

const none: RenderedAttempts = { text: '', shown: [] };

/**
 * The attempts within `room` code points. The newest is always there, cut if need be; older ones are added newest
 * first and printed oldest first.
 */
export function renderAttempts(
  attempts: readonly PastAttempt[],
  room: number,
  count: number = attempts.length,
): RenderedAttempts {
  const newest = attempts.at(-1);
  if (newest === undefined) return none;
  const head = headOf(count);
  const older = attempts.slice(0, -1).toReversed();
  const hasMore = count > attempts.length;
  const suggestion = suggestionOf(newest);
  const last = [renderAttempt(newest), ...suggestion];
  if (join([...head, ...(older.length > 0 ? [earlierTruncated] : []), ...last]).chars > room) {
    return cutNewest(head, newest, older.length > 0, room);
  }
  return withOlder({ head, older, last, hasMore }, newest.number, room);
}

/** The newest attempt alone, for the trimmed prompt. */
export function renderNewestAttempt(
  attempts: readonly PastAttempt[],
  room: number,
  count: number = attempts.length,
): RenderedAttempts {
  const newest = attempts.at(-1);
  if (newest === undefined || count === 1) return renderAttempts(attempts, room, count);
  const head = headOf(count);
  const { text, chars } = join([
    ...head,
    earlierTruncated,
    renderAttempt(newest),
    ...suggestionOf(newest),
  ]);
  return chars <= room ? { text, shown: [newest.number] } : cutNewest(head, newest, true, room);
}

function headOf(count: number): readonly string[] {
  return [
    '### Previous Attempts',
    notesLabel,
    `This task has been attempted ${count} time(s) before. **Do not repeat these approaches.**`,
  ];
}

type Sections = {
  readonly head: readonly string[];
  /** Newest first. */
  readonly older: readonly PastAttempt[];
  readonly last: readonly string[];
  /** There are older ones than these. */
  readonly hasMore: boolean;
};

function withOlder(
  { head, older, last, hasMore }: Sections,
  newest: number,
  room: number,
): RenderedAttempts {
  let shown: readonly string[] = [];
  const numbers = [newest];
  const markerFor = (count: number) => (count < older.length || hasMore ? [earlierTruncated] : []);
  for (const [index, attempt] of older.entries()) {
    const next = [renderAttempt(attempt), ...shown];
    if (join([...head, ...markerFor(index + 1), ...next, ...last]).chars > room) break;
    shown = next;
    numbers.unshift(attempt.number);
  }
  const marker = markerFor(numbers.length - 1);
  return { text: join([...head, ...marker, ...shown, ...last]).text, shown: numbers };
}

/** Gives up the end of the error output, then the suggestion, then the end of the rest: a fence is never left open. */
function cutNewest(
  head: readonly string[],
  newest: PastAttempt,
  hasOlder: boolean,
  room: number,
): RenderedAttempts {
  const before = [...head, ...(hasOlder ? [earlierTruncated] : [])];
  const bare = renderAttempt(newest, 0);
  for (const after of [[truncated, ...suggestionOf(newest)], [truncated]]) {
    const without = join([...before, bare, ...after]);
    if (without.chars > room) continue;
    const text = withSomeOutput(before, newest, after, room) ?? without.text;
    return { text, shown: [newest.number] };
  }
  const whole = join([...head, bare]).text;
  const left = room - countChars(truncated) - 2;
  // Less than the title of the attempt says nothing.
  const [title = ''] = bare.split('\n', 1);
  if (left < join([...head, title]).chars) return none;
  return { text: `${headChars(whole, left).trimEnd()}\n\n${truncated}`, shown: [newest.number] };
}

/** Less of an output says nothing. */
const fewestOutputChars = 40;

/** The attempt with as much of its output as fits; null when there is none or hardly any room. Fences and indents cost too. */
function withSomeOutput(
  before: readonly string[],
  newest: PastAttempt,
  after: readonly string[],
  room: number,
): string | null {
  if ((newest.report?.stackTrace ?? '').trim() === '') return null;
  let chars = Math.min(maxStackChars, room);
  while (chars >= fewestOutputChars) {
    const shown = join([...before, renderAttempt(newest, chars), ...after]);
    if (shown.chars <= room) return shown.text;
    chars -= Math.max(1, shown.chars - room);
  }
  return null;
}

function join(parts: readonly string[]): { readonly text: string; readonly chars: number } {
  const text = parts.join('\n\n');
  return { text, chars: countChars(text) };
}

function suggestionOf({ report }: PastAttempt): readonly string[] {
  const text = report?.retrySuggestion ?? '';
  if (text.trim() === '') return [];
  return [`**Suggested approach for this retry:**\n${inertParagraph(text, maxTextChars)}`];
}

function renderAttempt(attempt: PastAttempt, outputChars: number = maxStackChars): string {
  const { number, model, outcome } = attempt;
  const title = `#### Attempt ${number} (${inertWord(model, 60)}, ${outcome})`;
  return `${title}\n\n${attemptLines(attempt, outputChars).join('\n')}`;
}

function attemptLines(attempt: PastAttempt, outputChars: number): readonly string[] {
  const { report } = attempt;
  const ending = [
    `- **Outcome:** ${attempt.outcome} after ${attempt.durationMs}ms`,
    '- **No structured failure report was provided.**',
  ];
  if (report === null) return ending;
  const isOwn = report.whatTried.trim() !== '';
  return [
    ...(isOwn ? [`- **Approach:** ${inertLine(report.whatTried, maxTextChars)}`] : ending),
    ...(report.whyFailed.trim() === ''
      ? []
      : [`- **Why it failed:** ${inertLine(report.whyFailed, maxTextChars)}`]),
    ...(isOwn || report.errorCategory !== 'unknown'
      ? [`- **Error type:** ${inertLine(report.errorCategory, 60)}`]
      : []),
    ...fileLine(report),
    ...outputLines(report, outputChars),
  ];
}

function fileLine({ relevantFiles }: FailureNote): readonly string[] {
  if (relevantFiles.length === 0) return [];
  const files = relevantFiles.slice(0, maxFiles).map((file) => inertLine(file, 200));
  return [`- **Files involved:** ${files.join(', ')}`];
}

/** Indented into its list item, as is every line of the output. */
function outputLines({ stackTrace }: FailureNote, maxChars: number): readonly string[] {
  if (stackTrace === null || stackTrace.trim() === '' || maxChars === 0) return [];
  const block = inertBlock(stackTrace, maxChars)
    .split('\n')
    .map((line) => `  ${line}`.trimEnd());
  return ['- **Error output:**', ...block];
}
