import { createDraft, type Draft, setCounts } from './draft.ts';
import type { Reader, Runner } from './runner.ts';

/** pytest with the pytest-sugar plugin, which replaces its closing line. */
export const pytestSugar: Runner = { name: 'pytest', starts: 'TR', read };

type Run = {
  readonly draft: Draft;
  hasResults: boolean;
  passed: number;
  failed: number;
  skipped: number;
};

function read(): Reader {
  const runs: Run[] = [];
  return {
    line: (text, number) => {
      if (text.startsWith('Test session starts (platform: ')) {
        runs.push(createRun(number));
        return;
      }
      const run = runs.at(-1);
      if (run === undefined) return;
      if (/^Results \(\d+(?:\.\d+)?s.*\):$/.test(text)) run.hasResults = true;
      else if (run.hasResults) readCount(run, text, number);
    },
    isIdle: () => runs.length === 0,
    end: () => runs.map(finish),
  };
}

function createRun(line: number): Run {
  const draft = createDraft('pytest', line);
  draft.anchored = true;
  return { draft, hasResults: false, passed: 0, failed: 0, skipped: 0 };
}

/** `       3 passed` */
function readCount(run: Run, text: string, number: number): void {
  const match = /^ +(\d+) (passed|xpassed|failed|errors?|skipped|xfailed)$/.exec(text);
  if (match === null) return;
  const count = Number(match[1]);
  const word = match[2] ?? '';
  if (word === 'passed' || word === 'xpassed') run.passed += count;
  else if (word === 'skipped' || word === 'xfailed') run.skipped += count;
  else run.failed += count;
  run.draft.last = number;
}

function finish(run: Run): Draft {
  setCounts(run.draft, run, run.draft.last);
  run.draft.incomplete = !run.hasResults;
  return run.draft;
}
