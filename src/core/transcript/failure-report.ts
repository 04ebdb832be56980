import { headChars } from '../text/code-points.ts';
import { sigilPlaceholders } from './sigil-names.ts';

export type FailureReport = {
  readonly whatTried: string;
  readonly whyFailed: string;
  /** As the agent wrote it; `unknown` when it wrote none. */
  readonly errorCategory: string;
  readonly relevantFiles: readonly string[];
  readonly stackTrace: string | null;
};

const maxStackChars = 500;
const knownKeys = [
  'what_tried',
  'why_failed',
  'error_category',
  'relevant_files',
  'stack_trace',
] as const;
type Key = (typeof knownKeys)[number];

/**
 * Reads the `key: value` lines of a failure report; null without `what_tried` and `why_failed`, and for the one of the system
 * prompt. A value goes on over
 * the following lines until the next key; fields this version does not know are ignored with their lines.
 */
export function parseFailureReport(content: string): FailureReport | null {
  const fields = readFields(content);
  const whatTried = fields.get('what_tried');
  const whyFailed = fields.get('why_failed');
  if (whatTried === undefined || whyFailed === undefined) return null;
  const { whatTried: shownTried, whyFailed: shownWhy } = sigilPlaceholders;
  if (whatTried === shownTried && whyFailed === shownWhy) return null;
  const stack = fields.get('stack_trace') ?? '';
  return {
    whatTried,
    whyFailed,
    errorCategory: fields.get('error_category') || 'unknown',
    relevantFiles: listItems(fields.get('relevant_files') ?? ''),
    stackTrace: stack === '' ? null : headChars(stack, maxStackChars),
  };
}

function readFields(content: string): Map<Key, string> {
  const lines = new Map<Key, string[]>();
  let current: string[] | null = null;
  let inStack = false;
  for (const line of content.split('\n')) {
    const field = readField(line);
    const key = knownKeys.find((known) => known === field?.key);
    if (field !== null && key !== undefined) {
      current = [field.value];
      // The first wins, as with tags.
      if (!lines.has(key)) lines.set(key, current);
      inStack = key === 'stack_trace';
    } else if (field !== null && !inStack && isForeignField(line, field.key)) {
      current = null;
    } else {
      current?.push(line.trimEnd());
    }
  }
  return new Map([...lines].map(([key, value]) => [key, value.join('\n').trim()]));
}

function readField(line: string): { readonly key: string; readonly value: string } | null {
  const colon = line.indexOf(':');
  if (colon === -1) return null;
  return { key: line.slice(0, colon).trim(), value: line.slice(colon + 1).trim() };
}

/** Words that start a line of prose or of an error message rather than a field. */
const labels = new Set(
  'error warning note hint help info fatal panic expected received actual got want left right http https'.split(
    ' ',
  ),
);

function isForeignField(line: string, key: string): boolean {
  if (!line.startsWith(key) || labels.has(key)) return false;
  const behind = line[key.length + 1];
  return /^[a-z][a-z0-9_]*$/.test(key) && (behind === undefined || behind === ' ');
}

/** Separated by commas or lines, also as a list of JSON or YAML. */
function listItems(value: string): string[] {
  const isArray = value.startsWith('[') && value.endsWith(']');
  return (isArray ? value.slice(1, -1) : value)
    .split(/[,\n]/)
    .map((item) => item.trim())
    .map((item) => (item.startsWith('- ') ? item.slice(2).trim() : item))
    .map(withoutQuotes)
    .filter((item) => item !== '');
}

function withoutQuotes(item: string): string {
  const [quote = ''] = item;
  const isQuoted = ['"', "'", '`'].includes(quote) && item.length > 1 && item.endsWith(quote);
  return isQuoted ? item.slice(1, -1).trim() : item;
}
