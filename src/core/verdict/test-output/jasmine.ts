import { addError, addReport, createDraft, type Draft, setCounts, takeWorse } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** jasmine's own console reporter, version 2 to 7. */
export const jasmine: Runner = { name: 'jasmine', starts: '0123456789SFILN', read };

type Summary = {
  readonly line: number;
  readonly specs: number;
  readonly failures: number;
  readonly pending: number;
};

type Run = {
  readonly draft: Draft;
  /** How many marks, `.F*`, were printed. */
  marks: number;
  suiteErrors: number;
  isClosed: boolean;
};

type State = {
  readonly runs: Run[];
  /** Counts, until the line below says that they are the last word. */
  summary: Summary | null;
  failure: { readonly name: string; lines: string[]; isMessage: boolean } | null;
};

function read(): Reader {
  const state: State = { runs: [], summary: null, failure: null };
  return {
    line: (text, number) => readLine(state, text, number),
    isIdle: () => state.runs.at(-1)?.isClosed !== false,
    end: () => {
      endFailure(state);
      return state.runs.map(({ draft, isClosed }) => {
        draft.incomplete ||= !isClosed;
        return draft;
      });
    },
  };
}

function openRun(state: State, line: number, isAnchored: boolean): Run {
  const draft = createDraft('jasmine', line);
  draft.anchored = isAnchored;
  const run: Run = { draft, marks: 0, suiteErrors: 0, isClosed: false };
  state.runs.push(run);
  return run;
}

function readLine(state: State, text: string, number: number): void {
  const run = state.runs.at(-1);
  const isOpen = run !== undefined && !run.isClosed;
  if (text === 'Started') {
    // test-unit of Ruby starts alike, below its title.
    openRun(state, number, true);
    return;
  }
  if (text.startsWith('Loaded suite ')) return;
  const summary = readSummary(text, number);
  if (summary !== null) {
    state.summary = summary;
    return;
  }
  if (text.startsWith('Finished in ') && state.summary?.line === number - 1)
    return close(state, state.summary, number);
  if (!isOpen) {
    if (text.startsWith('Incomplete: ') && run?.draft.last === number - 1)
      addError(run.draft, text);
    return;
  }
  const focused = /^Ran (\d+) of (\d+) specs?\b/.exec(text);
  if (focused !== null && Number(focused[1]) < Number(focused[2])) addError(run.draft, text);
  if (text === 'No specs found') run.isClosed = true;
  else readDetail(state, run, text);
}

/** `6 specs, 2 failures, 2 pending specs` */
function readSummary(text: string, line: number): Summary | null {
  if (!text.includes(' spec')) return null;
  const match = /^(\d+) specs?, (\d+) failures?(?:, (\d+) pending specs?)?$/.exec(text);
  if (match === null) return null;
  return {
    line,
    specs: Number(match[1]),
    failures: Number(match[2]),
    pending: Number(match[3] ?? 0),
  };
}

/** Failures of whole suites come on top of those of specs. */
function close(state: State, summary: Summary, number: number): void {
  endFailure(state);
  const last = state.runs.at(-1);
  const run = last === undefined || last.isClosed ? openRun(state, summary.line, false) : last;
  const { specs, failures, pending } = summary;
  const failedSpecs = Math.max(0, failures - run.suiteErrors);
  const counts = { passed: specs - failedSpecs - pending, failed: failures, skipped: pending };
  setCounts(run.draft, counts, number);
  run.isClosed = true;
  run.draft.incomplete = failures === 0 && run.draft.failures.length > 0;
  state.summary = null;
  if (run === last || last === undefined || !last.draft.anchored) return;
  state.runs.pop();
  takeWorse(last.draft, run.draft);
}

/** `1) parser throws`, `  Message:`, the message, `  Stack:` */
function readDetail(state: State, run: Run, text: string): void {
  const { failure } = state;
  if (failure?.isMessage === true) {
    if (text === '  Stack:' || failure.lines.length >= 30) endFailure(state);
    else failure.lines.push(text.slice(4));
    return;
  }
  if (text === '  Message:' && failure !== null) {
    failure.isMessage = true;
    return;
  }
  if (/^[.F*]+$/.test(text)) run.marks += text.length;
  const suite = /^Suite error: (.*)$/.exec(text);
  const name = /^\d+\) (.+)$/.exec(text)?.[1] ?? suite?.[1];
  if (name === undefined) return;
  if (suite !== null) run.suiteErrors++;
  endFailure(state);
  state.failure = { name, lines: [], isMessage: false };
}

/** Pending specs are listed like failures, but without a message. */
function endFailure(state: State): void {
  const { failure } = state;
  const run = state.runs.at(-1);
  if (failure !== null && failure.isMessage && run !== undefined)
    addReport(run.draft, failure.name, failure.lines.join('\n'));
  state.failure = null;
}
