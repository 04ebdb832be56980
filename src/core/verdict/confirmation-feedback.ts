import { inlineCode, singleLine } from '../prompt/inline.ts';
import { headChars } from '../text/code-points.ts';
import { fence } from '../text/fence.ts';
import { changeText, type Confirmation } from './confirmation.ts';

const shownChanges = 15;
const outputChars = 2000;

/** What the next iteration is told of a pass that was not confirmed. It says what was found, and blames nobody. */
export function confirmationFeedback(confirmation: Confirmation, taskId: string): string {
  const { verdict, why, changes, runs } = confirmation;
  const lines = [
    `The checks pass in your worktree. They ran once more on your commit, in a clean checkout${
      verdict === 'refused' ? '' : ' and with every file that judges the work as it is on the base'
    }. There ${singleLine(why, 600)}.`,
  ];
  if (verdict === 'contradicted') lines.push(...contradiction(confirmation));
  if (verdict === 'refused') lines.push(cleanPlace);
  if (verdict === 'overpowered') lines.push(...oddities(confirmation), overpowered);
  if (changes.length > 0 && verdict !== 'contradicted') lines.push(...changeList(confirmation));
  const failed = runs.find(({ passed, kind }) => passed !== true && !failsByDesign.has(kind));
  const output = failed?.output.trim() ?? '';
  if (output !== '') lines.push(fence(headChars(output, outputChars)));
  lines.push(
    `When it is done, claim it again: <task-done>${taskId}</task-done> on a line of its own.`,
  );
  return lines.join('\n');
}

/** Their failures say nothing of the work. */
const failsByDesign: ReadonlySet<string> = new Set(['red-first', 'tripwire']);

const cleanPlace =
  'Only what is committed counts: nothing that is ignored, untracked, installed by hand, kept in a home or temporary folder, or left by an earlier run is there. Make the committed files pass by themselves.';
const overpowered =
  'A test that compares two different values must fail in every run. Take out what patches, shadows or ends the test runner or its assertions.';

/** What was found beside the changed files, each once. */
function oddities({ findings, changes, why }: Confirmation): readonly string[] {
  const listed = new Set(changes.map(changeText));
  return findings
    .filter((text) => !listed.has(text) && !why.startsWith(text))
    .map((text) => `- ${singleLine(text, 300)}`);
}

function contradiction(confirmation: Confirmation): readonly string[] {
  return [
    ...changeList(confirmation),
    'Make the tests of the base pass as they are. If the task itself asks for these changes (a renamed function, a removed feature, another expected result), keep them and say why in your last message: <judge-changed>why</judge-changed>. A person then sees the changes beside the result.',
  ];
}

function changeList({ changes }: Confirmation): readonly string[] {
  const more = changes.length - shownChanges;
  if (changes.length === 0) return [];
  return [
    'Changed since the base, among the files that judge the work:',
    ...changes.slice(0, shownChanges).map((change) => `- ${inlineCode(changeText(change), 200)}`),
    ...(more > 0 ? [`- and ${more} more`] : []),
  ];
}

/** What it is told when the work has to be proven and is not. */
export function proofFeedback(why: string): string {
  return `The checks pass, but nothing proves the work: ${singleLine(why, 300)}. Add a test that fails without your change and passes with it, then claim to be done again.`;
}

/** What the first iteration is told when the checks pass before any work. `wantsProof`: the work is to bring a test. */
export function greenBaseFeedback(commands: readonly string[], wantsProof: boolean): string {
  const pass = `The checks (${namedCommands(commands)}) already pass on the base`;
  return wantsProof
    ? `${pass}, so passing them again proves nothing. Add a test that fails without your change and passes with it.`
    : `${pass}, and must pass with your work.`;
}

/** What it is told when nobody has run the checks on the base. */
export function unknownBaseFeedback(commands: readonly string[]): string {
  return `The checks are ${namedCommands(commands)}; they were not run on the base.`;
}

function namedCommands(commands: readonly string[]): string {
  return commands.map((command) => inlineCode(command, 500)).join(', ');
}
