import type { Fault, TestRef } from './fault/fault.ts';

/** How often the cases of a test passed, failed and were left out. */
export type Result = { readonly passed: number; readonly failed: number; readonly skipped: number };

/** Results by `file: title`. */
export type Results = Readonly<Record<string, Result>>;

export function keyOf({ file, title }: TestRef): string {
  return `${file}: ${title}`;
}

/** The page, from the table and the results of its tests. */
export function renderReliability(faults: readonly Fault[], results: Results): string {
  return `${head}\n${faults.map((fault) => renderFault(fault, results)).join('\n')}`;
}

function renderFault({ id, fault, follows, tests, untested }: Fault, results: Results): string {
  const shown = tests.map(
    (test) => `- ${renderResult(results[keyOf(test)])}: \`${test.title}\` in \`test/${test.file}\``,
  );
  if (untested !== undefined) shown.push(`- not tested here: ${untested}`);
  return `## ${id}: ${fault}\n\n${follows}.\n\n${shown.join('\n')}\n`;
}

function renderResult(result: Result | undefined): string {
  if (result === undefined) return 'no result';
  const { passed, failed, skipped } = result;
  const parts = [
    passed > 0 ? `${passed} passed` : '',
    failed > 0 ? `${failed} failed` : '',
    skipped > 0 ? `${skipped} left out` : '',
  ];
  return parts.filter((part) => part !== '').join(', ') || 'no result';
}

const head = `# Reliability

What can go wrong around one loop, what follows, and the test that shows it. Written by \`node scripts/reliability.ts\`
from the table in \`scripts/reliability/faults.ts\` and the reports of the tests; a test fails when it is stale.

Every test of an engine that is killed, fails or sleeps compares the same promises afterwards, those of full disks the
ones about the store, the agent and processes (\`test/support/invariants.ts\`): the store is sound, its hash chain whole and its sequences without gaps; folding the log
gives the projection; what was stored before the fault is a prefix of the log after it; no iteration number is used twice
and no agent started twice for one; a complete loop has a stored pass; the work of every finished iteration is in the
branch; checkout, index, refs and configuration of the user are the same bytes; no process, worktree, lock, temporary file,
queue entry or claim is left.

Failpoints: \`LOOPWRIGHT_FAIL_AT=name:N:kill|throw|hang|stop\`, several separated by commas. The names are in
\`src/ports/failpoint.ts\`: one before and one after every step that changes something, and every fact that is stored.
\`npm test\` runs a sample of the matrix, other cases for every commit (\`LOOPWRIGHT_TEST_SAMPLE\` chooses one),
\`npm run test:full\` all of it. A row without a result was not run by the report this page was made from.
`;
