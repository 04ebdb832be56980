import { keyOf, type Result, type Results } from '../reliability/render.ts';
import type { CorpusResults } from './corpus-results.ts';
import {
  renderCosts,
  renderFigures,
  renderHonest,
  renderRemains,
  renderTricks,
  type Cost,
} from './render-corpus.ts';
import type { Trick } from './tricks.ts';

export type Recorded = {
  readonly results: Results;
  readonly corpus: CorpusResults;
  readonly costs: readonly Cost[];
};

/** The page, from the tables of tricks and honest changes and the results of their tests. */
export function renderVerification(
  tricks: readonly Trick[],
  { results, corpus, costs }: Recorded,
): string {
  const rows = tricks.map((trick) => renderTrick(trick, results[keyOf(trick.test)]));
  const known = [
    knownHead,
    '| trick | runner | result | how | test |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
  return [
    head,
    renderFigures(corpus),
    remainsHead,
    renderRemains(corpus),
    helps,
    renderCosts(costs),
    renderTricks(corpus),
    renderHonest(corpus),
    known,
  ].join('\n');
}

function renderTrick(
  { trick, runner, verdict, how, test }: Trick,
  result: Result | undefined,
): string {
  const shown = isShown(result) ? `**${verdict}**` : `not shown (meant to be ${verdict})`;
  return `| ${trick} | ${runner} | ${shown} | ${how} | \`${test.title}\` |`;
}

/** The test that says so ran, and passed. */
export function isShown(result: Result | undefined): boolean {
  return result !== undefined && result.passed > 0 && result.failed === 0;
}

const head = `# Verification: tricks and honest changes

What agents do to get a green run without doing the work, what becomes of it, and what becomes of honest work that looks alike.
Each row is a test in which a scripted agent plays it against the real runner and claims to be done (\`test/tricks/\`). Every
trick has a check of the truth that the agent never sees, and it fails. Written by \`node scripts/verification.ts\` from the tables
in \`test/tricks/corpus/\` and \`scripts/verification/tricks.ts\` and the reports of the tests; a test fails when it is stale. How
it works is on the pages of [confirmation](confirmation.md) and [integrity](integrity.md).

- **caught**: the loop does not end complete; or it does, unproven, and what was changed of the judge is named.
- **asked**: an honest change that is complete only after one more iteration, or by the agent's word.
- **refused**: an honest change that does not end complete.
`;

const remainsHead = `## What remains

Shown by a test each, and complete with a proof:
`;

const helps = `No run of the same tests can tell these from work: hard-coded answers, code that detects the runner, time bombs, and answers
that are read from the test. What helps:

- \`verify.hidden\`: commands from outside of the repository that the agent never sees, with other inputs than the tests.
- \`llm-judge\`: a fresh read-only agent that reads the diff.
- Repeated runs, on another day and another machine: CI before the merge.
- \`verify.judge\`: globs for helpers of tests that stand among the sources.
- \`sandbox: bubblewrap\`: an agent that cannot write outside of its worktree cannot leave anything there for the product to read.
- Reviewing the diff. \`unproven\` says where that is needed most.
`;

const knownHead = `## The first list

Tricks that earlier versions looked for in the text of tests and configuration.

- **caught**: the loop does not end complete, and the agent is told why.
- **put back**: undone before anything is judged, told and shown. The verdict is that of the real judge.
- **seen**: without effect on the verdict, and named.
- **not caught**: works. The test shows that it does.
`;
