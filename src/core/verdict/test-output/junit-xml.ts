import { addError, addFailure, countTest, createDraft, type Draft } from './draft.ts';
import type { TestStatus } from './test-run.ts';

/** A report in a text: its run, and the place it takes. */
export type JunitReport = { readonly draft: Draft; readonly start: number; readonly end: number };

type Case = {
  readonly name: string;
  readonly durationMs: number | null;
  status: TestStatus;
  /** It was expected to fail, as node:test says it. */
  isTodo: boolean;
  message: string | null;
};

type State = {
  readonly draft: Draft;
  depth: number;
  current: Case | null;
  /** Whether the text of a failure is being read. */
  isMessage: boolean;
  isOver: boolean;
};

/**
 * Finds reports in JUnit's XML in a text: a file, or a log that shows one. A report that breaks off is incomplete and
 * ends with the text. Linear: tags are looked for one after the other, whatever the lines look like.
 */
export function findJunitReports(text: string): JunitReport[] {
  const reports: JunitReport[] = [];
  for (let from = 0; ;) {
    const start = nextReport(text, from);
    if (start === -1) return reports;
    const report = readReport(text, start);
    reports.push(report);
    from = report.end;
  }
}

/** A report begins at the start of a line; its XML declaration may stand before it. */
function nextReport(text: string, from: number): number {
  for (
    let at = text.indexOf('<testsuite', from);
    at !== -1;
    at = text.indexOf('<testsuite', at + 1)
  ) {
    if (!/^<testsuites?[\s>/]/.test(text.slice(at, at + 12))) continue;
    const lineStart = text.lastIndexOf('\n', at) + 1;
    const before = text.slice(Math.max(lineStart, at - 300), at).trim();
    if (before === '' || /^\uFEFF?<\?xml[^<>]*\?>$/.test(before) || before.endsWith('-->'))
      return at;
  }
  return -1;
}

function readReport(text: string, start: number): JunitReport {
  const draft = createDraft('junit', 0);
  draft.anchored = true;
  const state: State = { draft, depth: 0, current: null, isMessage: false, isOver: false };
  let at = start;
  while (!state.isOver) {
    const open = text.indexOf('<', at);
    if (open === -1) break;
    if (state.isMessage) addText(state, text.slice(at, Math.min(open, at + 2000)), false);
    const end = readMarkup(state, text, open);
    if (end === -1) break;
    at = end;
  }
  if (state.isOver) return { draft, start, end: at };
  endCase(state);
  draft.incomplete = true;
  return { draft, start, end: text.length };
}

/** Reads what begins with `<`; returns the place behind it, or -1 when it breaks off. */
function readMarkup(state: State, text: string, open: number): number {
  if (text.startsWith('<![CDATA[', open)) {
    const end = text.indexOf(']]>', open);
    if (state.isMessage && end !== -1)
      addText(state, text.slice(open + 9, Math.min(end, open + 2009)), true);
    return end === -1 ? -1 : end + 3;
  }
  if (text.startsWith('<!--', open)) {
    const end = text.indexOf('-->', open);
    return end === -1 ? -1 : end + 3;
  }
  const close = endOfTag(text, open);
  if (close === -1) return -1;
  readTag(state, text.slice(open + 1, close));
  return close + 1;
}

/** The `>` that ends a tag; one inside of quotes does not. */
function endOfTag(text: string, open: number): number {
  for (let i = open + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x3e) return i;
    if (code !== 0x22 && code !== 0x27) continue;
    const end = text.indexOf(code === 0x22 ? '"' : "'", i + 1);
    if (end === -1) return -1;
    i = end;
  }
  return -1;
}

function readTag(state: State, tag: string): void {
  const isEnd = tag.startsWith('/');
  const isAlone = tag.endsWith('/');
  const name = /^\/?([\w:.-]+)/.exec(tag)?.[1] ?? '';
  switch (name) {
    case 'testsuites':
    case 'testsuite':
      if (isEnd) state.depth--;
      else if (!isAlone) state.depth++;
      endCase(state);
      state.isOver = state.depth <= 0;
      return;
    case 'testcase':
      endCase(state);
      if (!isEnd) startCase(state, tag);
      if (isAlone) endCase(state);
      return;
    case 'failure':
    case 'error':
    case 'warning':
      if (isEnd) state.isMessage = false;
      else markFailed(state, tag, isAlone, name === 'error');
      return;
    case 'skipped':
      if (state.current === null || isEnd) return;
      state.current.status = 'skipped';
      state.current.isTodo = attribute(tag, 'type') === 'todo';
      return;
    default:
  }
}

function startCase(state: State, tag: string): void {
  const title = attribute(tag, 'name') ?? '';
  const group = attribute(tag, 'classname');
  const seconds = attribute(tag, 'time');
  const isDisabled =
    attribute(tag, 'status') === 'notrun' ||
    attribute(tag, 'status') === 'disabled' ||
    attribute(tag, 'result') === 'suppressed';
  state.current = {
    name: group === null || group === '' ? title : `${group} > ${title}`,
    durationMs:
      seconds === null ? null : Number.parseFloat(seconds.replaceAll(',', '')) * 1000 || 0,
    status: isDisabled ? 'skipped' : 'passed',
    isTodo: false,
    message: null,
  };
}

/** An error outside of a test is one of its suite. */
function markFailed(state: State, tag: string, isAlone: boolean, isError: boolean): void {
  const message = attribute(tag, 'message') ?? '';
  const { current, draft } = state;
  if (current === null) {
    if (isError || message !== '') addError(draft, message === '' ? 'a suite failed' : message);
    return;
  }
  if (current.isTodo) return;
  current.status = 'failed';
  if (current.message === null || current.message === '') current.message = message;
  state.isMessage = !isAlone && current.message === '';
}

function addText({ current }: State, text: string, isRaw: boolean): void {
  if (current === null || (current.message?.length ?? 0) >= 2000) return;
  current.message = `${current.message ?? ''}${isRaw ? text : decode(text)}`;
}

function endCase(state: State): void {
  const { current, draft } = state;
  state.current = null;
  state.isMessage = false;
  if (current === null) return;
  countTest(draft, current.name, current.status, current.durationMs);
  if (current.status === 'failed')
    addFailure(draft, current.name, (current.message ?? '').replaceAll('\r\n', '\n'));
}

function attribute(tag: string, name: string): string | null {
  for (let at = tag.indexOf(`${name}=`); at !== -1; at = tag.indexOf(`${name}=`, at + 1)) {
    if (!/\s/.test(tag[at - 1] ?? '')) continue;
    const quote = tag[at + name.length + 1] ?? '';
    if (quote !== '"' && quote !== "'") continue;
    const from = at + name.length + 2;
    const end = tag.indexOf(quote, from);
    return end === -1 ? null : decode(tag.slice(from, Math.min(end, from + 4000)));
  }
  return null;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

function decode(text: string): string {
  if (!text.includes('&')) return text;
  return text.replaceAll(/&(#x[0-9a-fA-F]{1,6}|#\d{1,7}|\w{1,8});/g, (whole, entity: string) => {
    if (!entity.startsWith('#')) return entities[entity] ?? whole;
    const code = entity.startsWith('#x')
      ? Number.parseInt(entity.slice(2), 16)
      : Number(entity.slice(1));
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
