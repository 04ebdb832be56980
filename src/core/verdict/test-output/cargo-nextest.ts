import { addFailure, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** `cargo nextest run` */
export const cargoNextest: Runner = { name: 'cargo', starts: 'S', read };

type Run = { readonly draft: Draft; isClosed: boolean };

const statuses: Readonly<Record<string, TestStatus>> = {
  PASS: 'passed',
  LEAK: 'passed',
  FAIL: 'failed',
  TIMEOUT: 'failed',
  ABORT: 'failed',
  SIGABRT: 'failed',
  SIGSEGV: 'failed',
};

function read(): Reader {
  const runs: Run[] = [];
  return {
    line: (text, number) => readLine(runs, text.trimStart(), number),
    isIdle: () => runs.at(-1)?.isClosed !== false,
    end: () =>
      runs.map(({ draft, isClosed }) => {
        draft.incomplete ||= !isClosed;
        return draft;
      }),
  };
}

function readLine(runs: Run[], text: string, number: number): void {
  if (/^Starting \d+ tests? across \d+ binar/.test(text)) {
    const draft = createDraft('cargo', number);
    draft.anchored = true;
    runs.push({ draft, isClosed: false });
    return;
  }
  const run = runs.at(-1);
  if (run === undefined || run.isClosed) return;
  const test = /^([A-Z]+) \[ *(\d+\.\d+)s\] (?:\([^()]*\) )?(\S.*)$/.exec(text);
  const status = statuses[test?.[1] ?? ''];
  if (test !== null && status !== undefined) {
    const name = test[3] ?? '';
    addTest(run.draft, name, status, Number(test[2]) * 1000);
    if (status === 'failed') addFailure(run.draft, name, '');
    return;
  }
  if (text.startsWith('Summary [')) close(run, text, number);
}

/** `Summary [   0.010s] 4 tests run: 3 passed (1 slow), 1 failed, 1 timed out, 1 skipped` */
function close(run: Run, text: string, number: number): void {
  const match = /^Summary \[ *\d+\.\d+s\] \d+(?:\/(\d+))? tests? run: (.*)$/.exec(text);
  if (match === null) return;
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const part of (match[2] ?? '').replaceAll(/ \([^()]*\)/g, '').split(', ')) {
    const count = Number.parseInt(part, 10) || 0;
    if (part.endsWith(' passed')) counts.passed += count;
    else if (part.endsWith(' skipped')) counts.skipped += count;
    else counts.failed += count;
  }
  setCounts(run.draft, counts, number);
  run.isClosed = true;
  run.draft.incomplete = counts.failed === 0 && run.draft.failures.length > 0;
}
