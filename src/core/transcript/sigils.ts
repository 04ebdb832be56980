import { type FailureReport, parseFailureReport } from './failure-report.ts';
import { maskCode } from './mask-code.ts';
import { sigilNames, sigilPlaceholders } from './sigil-names.ts';
import { type Attributes, findTags, type Tag } from './tag.ts';

export type Learning = {
  /** As the agent wrote it; categories this version does not know are kept. */
  readonly category: string;
  readonly tags: readonly string[];
  readonly content: string;
};

export type Difficulty = 'trivial' | 'easy' | 'moderate' | 'hard' | 'blocked';

/** What an agent says about its work in its final message. Absent and malformed are both null. */
export type Sigils = {
  /** The id the agent claims to have finished; null when it also declares failure. */
  readonly taskDone: string | null;
  readonly taskFailed: string | null;
  readonly nextModel: string | null;
  readonly summary: string | null;
  readonly failureReport: FailureReport | null;
  readonly learnings: readonly Learning[];
  readonly difficulty: Difficulty | null;
  readonly retrySuggestion: string | null;
  /** Why what judges the work had to change; absent when nothing is said of it, which is nearly always. */
  readonly judgeChanged?: string;
};

const difficulties: readonly Difficulty[] = ['trivial', 'easy', 'moderate', 'hard', 'blocked'];
const maxLearnings = 1000;
const maxWordChars = 200;
const maxSummaryLines = 5;

/**
 * Reads the sigils of an agent's final message. Tags inside code are text, the first valid tag of each kind wins,
 * and nothing throws. Linear in the length of the message.
 */
export function parseSigils(message: string): Sigils {
  const source = readSource(message);
  const taskFailed = firstOf(source, 'task-failed', oneLine);
  const taskDone = firstOf(source, 'task-done', (content, tag) =>
    isWholeLine(source.text, tag) ? word(content) : null,
  );
  const judgeChanged = firstOf(source, 'judge-changed', (content) =>
    content === sigilPlaceholders.judgeChanged ? null : nonEmpty(content),
  );
  return {
    taskDone: taskFailed === null ? taskDone : null,
    taskFailed,
    nextModel: firstOf(source, 'next-model', word),
    summary: firstOf(source, 'summary', ownSummary),
    failureReport: firstOf(source, 'failure-report', parseFailureReport),
    learnings: parseLearnings(source),
    difficulty: firstOf(
      source,
      'difficulty-estimate',
      (content) => difficulties.find((known) => known === content) ?? null,
    ),
    retrySuggestion: firstOf(source, 'retry-suggestion', (content) =>
      content === sigilPlaceholders.retrySuggestion ? null : nonEmpty(content),
    ),
    ...(judgeChanged === null ? {} : { judgeChanged }),
  };
}

/**
 * What the agent says it did: the `<summary>` sigil, else up to five lines after a Summary heading
 * (`## Summary`, `### Summary`, `Summary:`), else null. Never a proof of anything.
 */
export function extractSummary(message: string): string | null {
  const source = readSource(message);
  return firstOf(source, 'summary', ownSummary) ?? underHeading(source);
}

/** `masked` has the same length as `text`, without the tags that stand in code. */
type Source = { readonly text: string; readonly masked: string };

function readSource(message: string): Source {
  const text = message.replaceAll('\r\n', '\n');
  return { text, masked: maskCode(text) };
}

function firstOf<T>(
  { text, masked }: Source,
  name: string,
  read: (content: string, tag: Tag) => T | null,
): T | null {
  for (const tag of findTags(masked, name, hasNone)) {
    const value = read(text.slice(tag.contentStart, tag.contentEnd).trim(), tag);
    if (value !== null) return value;
  }
  return null;
}

function hasNone(attributes: Attributes): boolean {
  return Object.keys(attributes).length === 0;
}

function ownSummary(content: string): string | null {
  return content === sigilPlaceholders.summary ? null : nonEmpty(content);
}

function nonEmpty(content: string): string | null {
  return content === '' ? null : content;
}

function oneLine(content: string): string | null {
  return content === '' || content.length > maxWordChars || content.includes('\n') ? null : content;
}

function word(content: string): string | null {
  return oneLine(content) === null || /[\s<>]/.test(content) ? null : content;
}

/** Looks no further than the nearest character that is not blank, so that many tags on one line stay cheap. */
function isWholeLine(text: string, { start, end }: Tag): boolean {
  let before = start - 1;
  while (isBlank(text[before])) before--;
  let behind = end;
  while (isBlank(text[behind])) behind++;
  return (before < 0 || text[before] === '\n') && (behind === text.length || text[behind] === '\n');
}

function isBlank(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\r';
}

/** What stands in a failure report is part of the report. */
function parseLearnings({ text, masked }: Source): Learning[] {
  const learnings: Learning[] = [];
  const reports = [...findTags(masked, 'failure-report', hasNone)];
  let next = 0;
  for (const tag of findTags(masked, 'learning', isLearning)) {
    while ((reports[next]?.end ?? Infinity) <= tag.start) next++;
    if ((reports[next]?.start ?? Infinity) < tag.start) continue;
    const { attributes, contentStart, contentEnd } = tag;
    const content = text.slice(contentStart, contentEnd).trim();
    if (content === '' || content === sigilPlaceholders.learning) continue;
    learnings.push({
      category: attributes['category']?.trim() ?? '',
      tags: splitTags(attributes['tags'] ?? ''),
      content,
    });
    if (learnings.length === maxLearnings) break;
  }
  return learnings;
}

function isLearning({ category, tags }: Attributes): boolean {
  return category !== undefined && category.trim() !== '' && tags !== undefined;
}

function splitTags(tags: string): string[] {
  return tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function underHeading({ text, masked }: Source): string | null {
  const lines = text.split('\n');
  const readable = masked.split('\n');
  for (let i = 0; i < lines.length; i++) {
    const heading = summaryHeading(readable[i] ?? '');
    if (heading === null) continue;
    const kept = heading === '' ? [] : [heading];
    for (let next = i + 1; next < lines.length && kept.length < maxSummaryLines; next++) {
      const line = lines[next] ?? '';
      if (line.startsWith('#') || isSigilLine(readable[next] ?? '')) break;
      if (line.trim() !== '') kept.push(line.trimEnd());
    }
    if (kept.length > 0) return kept.join('\n').trim();
  }
  return null;
}

/** The text on the heading's own line; null when the line is no Summary heading. */
function summaryHeading(line: string): string | null {
  const bare = line.trim().replaceAll('*', '');
  if (bare.startsWith('Summary:')) return bare.slice('Summary:'.length).trim();
  const title = bare.replace(/^#{1,6}/, '').trim();
  return title !== bare && /^summary:?$/i.test(title) ? '' : null;
}

const tagNames = sigilNames.filter((name) => name !== 'summary');

function isSigilLine(line: string): boolean {
  const text = line.trimStart();
  return text.startsWith('<') && tagNames.some((name) => text.startsWith(name, 1));
}
