import { addFailure, addTest, createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';
import type { TestStatus } from './test-run.ts';

/** The pretty formatter of bats. Its other formats are TAP and JUnit XML. */
export const bats: Runner = { name: 'bats', starts: '✓✗-', read };

const marks: Readonly<Record<string, TestStatus>> = {
  '✓': 'passed',
  '✗': 'failed',
  '-': 'skipped',
};

function read(): Reader {
  const finished: Draft[] = [];
  let draft: Draft | null = null;
  let failure: { readonly name: string; readonly lines: string[] } | null = null;

  const endFailure = (): void => {
    if (draft !== null && failure !== null)
      addFailure(draft, failure.name, failure.lines.join('\n'));
    failure = null;
  };

  return {
    line: (text, number) => {
      const summary = readSummary(text);
      if (summary !== null && draft !== null) {
        endFailure();
        if (close(draft, summary, number)) {
          finished.push(draft);
          draft = null;
        }
        return;
      }
      if (!text.startsWith(' ')) return;
      const status = text[2] === ' ' ? marks[text[1] ?? ''] : undefined;
      if (status === undefined) {
        if (failure !== null && failure.lines.length < 30) failure.lines.push(text.slice(3));
        return;
      }
      endFailure();
      draft ??= createDraft('bats', number);
      draft.last = number;
      const name = text
        .slice(3)
        .trim()
        .replace(/ \[\d+\]$/, '');
      addTest(draft, status === 'skipped' ? name.replace(/ \(skipped.*\)$/, '') : name, status);
      if (status === 'failed') failure = { name, lines: [] };
    },
    isIdle: () => draft === null,
    end: () => finished,
  };
}

type Summary = { readonly tests: number; readonly failed: number; readonly skipped: number };

/** `5 tests, 2 failures, 1 skipped in 3 seconds` */
function readSummary(text: string): Summary | null {
  if (!text.includes(' test')) return null;
  const match =
    /^(\d+) tests?, (\d+) failures?(?:, (\d+) skipped)?(?:, (\d+) not run)?(?: in \d+(?:\.\d+)? seconds?)?$/.exec(
      text,
    );
  if (match === null) return null;
  return {
    tests: Number(match[1]),
    failed: Number(match[2]),
    skipped: Number(match[3] ?? 0) + Number(match[4] ?? 0),
  };
}

/** Each test prints one line, so counts of another number of tests were printed by one. */
function close(draft: Draft, { tests, failed, skipped }: Summary, number: number): boolean {
  const printed = draft.tests.filter(({ status }) => status === 'failed').length;
  if (draft.tests.length < 1000 && (draft.tests.length < tests || printed > failed)) return false;
  draft.anchored = true;
  setCounts(draft, { passed: tests - failed - skipped, failed, skipped }, number);
  return true;
}
