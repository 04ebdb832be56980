import { addError, addFailure, countTest, createDraft, type Draft } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** `cargo test`: one run for each test binary. */
export const cargo: Runner = { name: 'cargo', read };

type Counts = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** One test binary: `running 6 tests` … `test result: ok. …`. */
type Binary = {
  readonly draft: Draft;
  readonly announced: number;
  isClosed: boolean;
  /** The next binary is said to run, and nothing follows. */
  isBeforeCut?: boolean;
};

type State = {
  readonly binaries: Binary[];
  /** How many binaries and sets of doc tests were said to run. */
  targets: number;
  /** What kept binaries from running. */
  readonly build: Draft;
  /** The output of a failing test being read, `---- name stdout ----`. */
  section: { readonly name: string; readonly lines: string[]; isMessage: boolean } | null;
};

function read(): Reader {
  const state: State = {
    binaries: [],
    targets: 0,
    build: createDraft('cargo', 0),
    section: null,
  };
  return {
    line: (text, number) => {
      if (isTarget(text)) state.targets++;
      readLine(state, text, number);
    },
    end: (lastLine) => {
      endSection(state);
      const { binaries, build } = state;
      build.anchored = true;
      const last = binaries.at(-1);
      if (last !== undefined) last.isBeforeCut = breaksOff(state, lastLine);
      return [...binaries.map(finish), ...(build.errors.length > 0 ? [build] : [])];
    },
  };
}

const targets = /^ +(?:Running (?:unittests )?\S+ \(|Doc-tests \S)/;

function isTarget(text: string): boolean {
  return (
    (text.startsWith('     Running ') || text.startsWith('   Doc-tests ')) && targets.test(text)
  );
}

/** Where both streams come one after the other, what runs is said behind all results. */
function breaksOff({ targets: said, binaries }: State, lastLine: string): boolean {
  // A result ends with what was filtered out, and with the time in later releases.
  if (lastLine.startsWith('test result: '))
    return !/ filtered out(?:; finished in \d+\.\d+s)?$/.test(lastLine.trimEnd());
  if (lastLine !== '' && 'running '.startsWith(lastLine)) return true;
  const rest = lastLine.trimStart();
  if (rest === lastLine || (isTarget(lastLine) && said <= binaries.length)) return false;
  return ['Running ', 'Doc-tests '].some((word) => word.startsWith(rest) || rest.startsWith(word));
}

function readLine(state: State, text: string, number: number): void {
  const running = /^running (\d+) tests?$/.exec(text);
  if (running !== null) {
    endSection(state);
    const draft = createDraft('cargo', number);
    draft.anchored = true;
    state.binaries.push({ draft, announced: Number(running[1]), isClosed: false });
    return;
  }
  if (text.startsWith('test result: ')) return readResult(state, text, number);
  if (text.startsWith('error')) return readBuildError(state, text, number);
  const binary = state.binaries.at(-1);
  if (binary === undefined || binary.isClosed) return;
  const section = /^---- (.+) (?:stdout|stderr) ----$/.exec(text)?.[1];
  if (section !== undefined) {
    endSection(state);
    state.section = { name: section, lines: [], isMessage: false };
    return;
  }
  if (state.section !== null) return readSection(state, state.section, text);
  const test =
    /^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)(?:, .*| <[\d.]+s>)?$/.exec(
      text.trimEnd(),
    );
  const quiet = /^(\S.*) --- FAILED$/.exec(text)?.[1];
  if (test !== null) countTest(binary.draft, test[1] ?? '', statuses[test[2] ?? ''] ?? 'failed');
  else if (quiet !== undefined) countTest(binary.draft, quiet, 'failed');
  else return;
  binary.draft.last = number;
}

const statuses: Readonly<Record<string, TestStatus>> = {
  ok: 'passed',
  FAILED: 'failed',
  ignored: 'skipped',
};

/**
 * Closes the binary whose announced tests add up to the result; another result was printed by a test. When one comes
 * behind a closed binary and adds up as well, the earlier one may be the printed one: the worse of both holds.
 */
function readResult(state: State, text: string, number: number): void {
  const match =
    /^test result: (?:ok|FAILED)\. (\d+) passed; (\d+) failed; (\d+) ignored; (?:(\d+) allowed fail; )?(\d+) measured/.exec(
      text,
    );
  if (match === null) return;
  const [passed, failed, ignored, allowed, measured] = match
    .slice(1)
    .map((part) => Number(part ?? 0));
  const counts = {
    passed: (passed ?? 0) + (measured ?? 0),
    failed: failed ?? 0,
    skipped: (ignored ?? 0) + (allowed || 0),
  };
  const sum = counts.passed + counts.failed + counts.skipped;
  const binary = state.binaries.at(-1);
  if (binary === undefined) {
    const draft = createDraft('cargo', number);
    state.binaries.push({ draft, announced: sum, isClosed: true });
    return setCounts(draft, counts, number);
  }
  if (binary.announced !== sum) return;
  if (binary.isClosed && binary.draft.failed >= counts.failed) return;
  endSection(state);
  binary.isClosed = true;
  setCounts(binary.draft, counts, number);
}

function setCounts(draft: Draft, { passed, failed, skipped }: Counts, number: number): void {
  draft.passed = passed;
  draft.failed = failed;
  draft.skipped = skipped;
  draft.last = number;
}

/** The message starts behind `thread 'x' panicked at …` and ends before the backtrace. */
function readSection(state: State, section: NonNullable<State['section']>, text: string): void {
  if (text === 'failures:') return endSection(state);
  const panic = /^thread '.*' (?:\(\d+\) )?panicked at (.*)$/.exec(text);
  if (panic !== null && section.lines.length === 0) {
    section.isMessage = true;
    const inline = /^'(.*)', \S+:\d+:\d+$/.exec(panic[1] ?? '')?.[1];
    if (inline !== undefined) section.lines.push(inline);
    return;
  }
  if (/^(stack backtrace:|note: )/.test(text) || text === '') section.isMessage = false;
  else if (section.isMessage && section.lines.length < 30) section.lines.push(text);
  else if (text.startsWith('Error: ') && section.lines.length === 0) section.lines.push(text);
}

function endSection(state: State): void {
  const { section } = state;
  const draft = state.binaries.at(-1)?.draft;
  if (section !== null && draft !== undefined)
    addFailure(draft, section.name, section.lines.join('\n'));
  state.section = null;
}

function readBuildError({ build }: State, text: string, number: number): void {
  if (!/^error: (could not compile |no test target|couldn't (read|find) |failed to )/.test(text))
    return;
  if (build.errors.length === 0) build.first = number;
  addError(build, text.slice('error: '.length));
  build.last = number;
}

function finish({ draft, isClosed, isBeforeCut = false }: Binary): Draft {
  draft.incomplete = !isClosed || isBeforeCut;
  for (const { status, name } of draft.tests) {
    if (status === 'failed') addFailure(draft, name, '');
  }
  return draft;
}
