import { keyOf, type Result, type Results } from '../reliability/render.ts';
import type { Trick } from './tricks.ts';

/** The page, from the tricks and the results of their tests. */
export function renderVerification(tricks: readonly Trick[], results: Results): string {
  const rows = tricks.map((trick) => renderTrick(trick, results[keyOf(trick.test)]));
  return [
    head,
    '| trick | runner | result | how | test |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    tail,
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

const head = `# Verification: tricks

What agents do to get a green run without doing the work, and what becomes of it. Each row is a test in which a scripted
agent plays the trick against the real runner and claims to be done (\`test/tricks/\`). Written by
\`node scripts/verification.ts\` from the table in \`scripts/verification/tricks.ts\` and the reports of the tests; a test fails
when it is stale. How it works is on the page of [integrity](integrity.md).

- **caught**: the check \`integrity\` fails, so the iteration cannot complete the loop; the agent is told, and the terminal and
  \`loopwright loop explain\` say \`cheat\`.
- **put back**: undone before anything is judged, told and shown. The verdict is that of the real judge.
- **seen**: without effect on the verdict, and named.
- **not caught**: works. The test shows that it does.
`;

const tail = `
## What cannot be caught

- **A weaker question.** A changed expectation, a rounder tolerance, a mocked module, an updated snapshot: the test still runs
  and asserts. Nothing here judges meaning. Review the diff of the tests, or keep tests that the agent never
  sees and run them in a further command.
- **Code for the tests.** Returning what the tests ask for, and nothing else.
- **Fixtures and data** that tests read, and helpers they call, unless these are files of tests themselves.
- **Deep inside installed packages.** The programs in \`node_modules/.bin\` are compared, the packages behind them are not. A
  \`validation.setup\` that installs afresh, or \`verify.clean-room\`, takes this away.
- **Names that are not printed.** Where a runner prints no names (jest, go test and pytest without \`-v\`, plain scripts), a run
  shows only numbers: one test that is deleted and one that is added look alike. The sources are compared all the same.
- **What the source scan does not understand.** It knows the spelling of common runners (JavaScript, TypeScript, Python, Rust, Go,
  Java, Kotlin, C#, Ruby, PHP, Elixir, C++, bats), not their grammar: a test made by a loop or a macro is seen in runs only, and
  \`if (process.env.CI) return\` in the middle of a test is not seen.
- **Scripts behind scripts.** A script that judges and that no command, npm script or make rule names, or whose name says nothing of
  checking, is protected only by \`verify.protected\`.
- **Outside of the worktree.** An agent without a sandbox can change programs of the machine, the store of this program, or
  the program itself. \`sandbox: bubblewrap\` is the answer to that.
`;
