import { addError, addReport, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestDetail } from './test-run.ts';

/** The progress and documentation formatters of RSpec 2 and 3. */
export const rspec: Runner = { name: 'rspec', read };

/** A line of the documentation format: a group, or an example, which one the next line tells. */
type Line = { readonly indent: number; readonly text: string; readonly number: number };

const maxLines = 5000;

type Run = {
  readonly draft: Draft;
  /** `Finished in …`: the counts stand on the next line. */
  finishedLine: number;
  section: 'failures' | 'pending' | null;
  failure: { readonly name: string; readonly lines: string[]; blanks: number } | null;
  /** An error outside of examples being read. */
  outside: string[] | null;
  readonly lines: Line[];
  /** Marks of progress alone do not tell RSpec; with its counts they do. */
  marksLine: number;
};

function read(): Reader {
  const finished: Draft[] = [];
  let run: Run | null = null;
  return {
    line: (text, number) => {
      // What stands above was another runner's.
      if (isForeign(text)) run = null;
      run ??= createRun();
      if (text.startsWith('Finished in ') && /^Finished in .*\d seconds?(?: \(|$)/.test(text)) {
        sign(run, number);
        run.finishedLine = number;
        return;
      }
      // What a test prints at the end may come between.
      if (number <= run.finishedLine + 6 && close(run, text, number)) {
        finished.push(run.draft);
        run = null;
        return;
      }
      readLine(run, text, number);
    },
    end: () => (run?.draft.anchored === true ? [...finished, cutOff(run)] : finished),
  };
}

/** Counts of runners whose dots, failures and times look alike. */
function isForeign(text: string): boolean {
  return /^(?:Ran \d+ tests? in |\d+ (?:tests?|doctests?|specs?|runs), )/.test(text);
}

function createRun(): Run {
  return {
    draft: createDraft('rspec', Number.MAX_SAFE_INTEGER),
    finishedLine: -10,
    section: null,
    failure: null,
    outside: null,
    lines: [],
    marksLine: -10,
  };
}

/** The run reaches from its first to its last line that only RSpec prints. */
function sign({ draft }: Run, number: number): void {
  draft.first = Math.min(draft.first, number);
  draft.last = number;
}

/** `9 examples, 2 failures, 3 pending, 1 error occurred outside of examples` */
function close(run: Run, text: string, number: number): boolean {
  const match =
    /^(\d+) examples?, (\d+) failures?(?:, (\d+) pending)?(?:, (\d+) errors? occurred outside of examples)?$/.exec(
      text,
    );
  if (match === null) return false;
  endFailure(run);
  endOutside(run);
  const [examples = 0, failed = 0, skipped = 0, outside = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const { draft } = run;
  setCounts(draft, { passed: examples - failed - skipped, failed, skipped }, number);
  if (outside > 0 && draft.errors.length === 0)
    addError(draft, `${outside} errors occurred outside of examples`);
  const { tests, first } = readDocumentation(run);
  if (tests.length === examples && examples > 0) {
    draft.anchored = true;
    draft.first = Math.min(draft.first, first);
    for (const { name, status } of tests) addTest(draft, name, status);
  }
  draft.anchored ||= run.marksLine > 0 || run.section !== null;
  draft.incomplete = failed === 0 && draft.failures.length > 0;
  return true;
}

function readLine(run: Run, text: string, number: number): void {
  if (run.outside !== null) {
    if (/^# |^Finished in /.test(text) || run.outside.length >= 20) endOutside(run);
    else run.outside.push(text);
    return;
  }
  if (text.startsWith('An error occurred ')) {
    run.outside = [text.replace(/ - Did you mean\?$/, '')];
    sign(run, number);
    return;
  }
  if (text === 'Failures:' || text.startsWith('Pending: (')) {
    endFailure(run);
    run.section = text === 'Failures:' ? 'failures' : 'pending';
    sign(run, number);
    return;
  }
  if (/^[.F*]+$/.test(text)) {
    // Other runners print dots as well: a later line of them begins anew.
    if (number > run.marksLine + 10 && run.section === null) run.draft.first = number;
    run.marksLine = number;
    sign(run, number);
    return;
  }
  if (run.section !== null) readFailure(run, text);
  else keepLine(run, text, number);
}

/** `  1) parser compares`, the code that failed, and why, up to the backtrace */
function readFailure(run: Run, text: string): void {
  const title = /^ {2}\d+\) (\S.*)$/.exec(text)?.[1];
  if (title !== undefined) {
    endFailure(run);
    if (run.section === 'failures')
      run.failure = { name: title.replace(/ FIXED$/, ''), lines: [], blanks: 0 };
    return;
  }
  const { failure } = run;
  if (failure === null) return;
  if (/^ {5}# /.test(text)) endFailure(run);
  else if (failure.lines.length < 30) failure.lines.push(text.slice(5));
}

function endFailure(run: Run): void {
  const { failure } = run;
  run.failure = null;
  if (failure === null) return;
  // The error itself follows the line of code, if there is one.
  const [first = '', ...rest] = failure.lines;
  const error = rest.join('\n').trim();
  addReport(
    run.draft,
    failure.name,
    first.startsWith('Failure/Error:') && error !== '' ? error : failure.lines.join('\n'),
  );
  run.draft.anchored = true;
}

function endOutside(run: Run): void {
  if (run.outside !== null) addError(run.draft, run.outside.join('\n'));
  run.outside = null;
}

/** Lines that may be documentation are kept until the counts tell. */
function keepLine(run: Run, text: string, number: number): void {
  if (run.lines.length >= maxLines) return;
  const indent = text.length - text.trimStart().length;
  run.lines.push({ indent, text: text.trim(), number });
}

/** In the documentation format a line is a group if deeper ones follow, else an example. */
function readDocumentation(run: Run): { readonly tests: TestDetail[]; readonly first: number } {
  const titles: Line[] = [];
  const tests: TestDetail[] = [];
  let first = 0;
  // An outermost group stands behind an empty line; what else begins there was printed by an example.
  const lines = run.lines.filter(
    ({ indent, text }, at) => indent > 0 || text === '' || (run.lines[at - 1]?.text ?? '') === '',
  );
  for (const [index, line] of lines.entries()) {
    if (line.text === '' || line.indent % 2 === 1) continue;
    while ((titles.at(-1)?.indent ?? -1) >= line.indent) titles.pop();
    const next = lines[index + 1];
    if (next !== undefined && next.text !== '' && next.indent > line.indent) {
      titles.push(line);
      continue;
    }
    if (line.indent === 0 || titles.length === 0) continue;
    if (tests.length === 0) first = line.number;
    tests.push(exampleOf(titles, line.text));
  }
  return { tests, first };
}

function exampleOf(titles: readonly Line[], text: string): TestDetail {
  const match = /^(.*?)(?: \((FAILED - \d+|PENDING: .*)\))?$/.exec(text);
  const note = match?.[2] ?? '';
  const name = [...titles.map((title) => title.text), match?.[1] ?? text].join(' ');
  const isSkipped = note.startsWith('PENDING');
  const status = note.startsWith('FAILED') ? 'failed' : isSkipped ? 'skipped' : 'passed';
  return { name, status, durationMs: null, error: null };
}

function cutOff(run: Run): Draft {
  endFailure(run);
  endOutside(run);
  run.draft.failed = run.draft.failures.length;
  run.draft.incomplete = true;
  return run.draft;
}
