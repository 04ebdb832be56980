import { addError, addReport, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import { isTestFile } from './node-load-error.ts';

/** Reads the `dot` reporter of node:test. `line` is true for a line of its list of failures, which is of no other use. */
export type NodeDots = {
  readonly line: (text: string, number: number) => boolean;
  readonly end: () => readonly Draft[];
};

type Marks = { readonly first: number; passed: number; failed: number };

type Entry = { readonly name: string; readonly isTodo: boolean; readonly lines: string[] };

type List = { readonly marks: Marks; readonly entries: Entry[]; last: number };

const maxEntries = 10_000;

/**
 * Marks alone are what many tools print: a run is told by the list below them, which a run without failures lacks.
 * Suites have marks as well; failing ones are told by what the list says, passing ones count as tests.
 */
export function createNodeDots(): NodeDots {
  const finished: Draft[] = [];
  let marks: Marks | null = null;
  let list: List | null = null;
  const endList = (): void => {
    if (list !== null) finished.push(finish(list));
    list = null;
  };
  return {
    line: (text, number) => {
      if (text === '') return false;
      if (/^[.X]+$/.test(text)) {
        endList();
        marks = addMarks(marks ?? { first: number, passed: 0, failed: 0 }, text);
        return false;
      }
      if (text === 'Failed tests:' && marks !== null && marks.failed > 0) {
        list = { marks, entries: [], last: number };
        marks = null;
        return true;
      }
      marks = null;
      if (list === null || readEntry(list, text, number)) return list !== null;
      endList();
      return false;
    },
    end: () => {
      endList();
      return finished;
    },
  };
}

function addMarks(marks: Marks, text: string): Marks {
  for (const mark of text) {
    if (mark === '.') marks.passed++;
    else marks.failed++;
  }
  return marks;
}

/** `✖ compares (2.5ms)` and its error, indented; false for a line behind the list. */
function readEntry(list: List, text: string, number: number): boolean {
  const { marks, entries } = list;
  const start = /^[✖⚠] (.*) \(\d+(?:\.\d+)?ms\)( #.*)?$/.exec(text);
  if (start === null) {
    if (!text.startsWith('  ') || entries.length === 0) return false;
    const lines = entries.at(-1)?.lines;
    if (lines !== undefined && lines.length < 30) lines.push(text.slice(2));
    list.last = number;
    return true;
  }
  if (entries.length >= marks.failed) return false;
  if (entries.length < maxEntries)
    entries.push({ name: start[1] ?? '', isTodo: start[2] !== undefined, lines: [] });
  list.last = number;
  return true;
}

function finish({ marks, entries, last }: List): Draft {
  const draft = createDraft('node:test', marks.first);
  draft.anchored = true;
  let [failed, skipped] = [0, 0];
  for (const { name, isTodo, lines } of entries) {
    const message = messageOf(lines);
    if (isTodo) {
      skipped++;
      addTest(draft, name, 'skipped');
    } else if (!saysSubtestsFailed(message)) {
      failed++;
      addTest(draft, name, 'failed');
      addReport(draft, name, message);
      if (isTestFile(name)) addError(draft, `${name}: ${message}`);
    }
  }
  setCounts(draft, { passed: marks.passed, failed, skipped }, last);
  draft.showsOnlyFailures = true;
  draft.incomplete = entries.length < marks.failed;
  return draft;
}

/** What stands above the stack. */
function messageOf(lines: readonly string[]): string {
  const stack = lines.findIndex((line) => /^ *at \S/.test(line));
  return unquoted(
    lines
      .slice(0, stack === -1 ? lines.length : stack)
      .join('\n')
      .trim(),
  );
}

/** What is thrown without being an error is printed as a quoted string. */
export function unquoted(message: string): string {
  return /^'[^']*'$/.test(message) ? message.slice(1, -1) : message;
}

/** A parent that failed only through its subtests. */
export function saysSubtestsFailed(message: string): boolean {
  return /^\d+ subtests? failed$/.test(message);
}
