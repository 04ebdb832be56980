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
  and asserts. Nothing here judges meaning. Where a red base became green and only tests changed, the story, the summary
  and \`loop explain\` warn of it. Review the diff of the tests, or keep tests that the agent never
  sees and run them in a further command.
- **Code for the tests.** Returning what the tests ask for, and nothing else.
- **Fixtures and data** that tests read, and helpers they call, unless these are files of tests themselves.
- **Deep inside installed packages.** The programs in \`node_modules/.bin\` are compared, the packages behind them are not. A
  \`validation.setup\` that installs afresh, or \`verify.clean-room\`, takes this away.
- **Names that are not printed.** Where a runner prints no names (jest, pytest without \`-v\`, plain scripts), a run
  shows only numbers: one test that is deleted and one that is added look alike. Plain \`go test\`, \`mvn -q\` and dots show
  only what fails, so a red base has nothing that a green run could be compared with. The sources are compared all the same.
- **What the source scan does not understand.** It knows the spelling of common runners (JavaScript, TypeScript, Python, Rust, Go,
  Java, Kotlin, C#, Ruby, PHP, Elixir, C++, bats), not their grammar: a test made by a loop or a macro is seen in runs only, and
  \`if (process.env.CI) return\` in the middle of a test is not seen.
- **Scripts behind scripts.** Protected are files that the command of a check or gate names, or an npm script or make rule that it
  starts, and whose name has a part that speaks of checking (check, verify, validate, accept, judge, grade, gate, test, spec,
  suite, lint, ci, separated by \`-\`, \`_\` or \`.\`), or that stand in a folder \`test\`, \`tests\`, \`checks\`, \`ci\` or \`.ci\`.
  Any other script that judges, such as \`tools/run.sh\` or what \`check.sh\` calls, is the agent's to change until
  \`verify.protected\` lists it: \`+protected: [tools/run.sh]\`.
- **One assertion of several.** A test that keeps a real assertion beside one that cannot fail, or beside one whose failure is
  caught, still asserts something. Only an empty \`catch\` or \`except: pass\` around assertions is seen.
- **Hidden configuration after a setup.** Where \`validation.setup\` may bring configuration of its own and the verdict on the base is
  reused, nothing is known of what stood there before, so hidden configuration is not compared.
- **Outside of the worktree.** An agent without a sandbox can change programs of the machine, the store of this program, or
  the program itself. \`sandbox: bubblewrap\` is the answer to that.
`;
