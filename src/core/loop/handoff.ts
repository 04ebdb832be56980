/** The handoff document: what an agent whose context is full leaves to the session that takes its place. */
import { countChars, headChars } from '../text/code-points.ts';
import { plainText } from '../text/terminal.ts';
import { changedPaths } from './changes.ts';
import { filesTouched, type Loop } from './loop.ts';
import { truncatedMark } from '../text/cut-sentence.ts';

export type Handoff = {
  readonly text: string;
  /** Who wrote it: the agent itself, or the engine from what is recorded. */
  readonly source: 'agent' | 'facts';
};

const truncated = `\n${truncatedMark}`;

/** What the agent is asked for before its session ends. */
export function handoffPrompt(maxChars: number): string {
  return [
    'Your context is nearly full. Do not change any file and do not go on with the work now.',
    `Write a handoff document for the agent that takes over from you with an empty context, at most ${maxChars} characters of Markdown, as your final message and nothing else:`,
    '- objective: what the task asks for, in your words',
    '- state: what is done, what is open, which files matter and why',
    '- decisions: at most five, each with its reason',
    '- problems: what failed and why, what not to try again',
    '- next steps: in order',
  ].join('\n');
}

export function boundedHandoff(text: string, maxChars: number): string {
  const plain = plainText(text.slice(0, maxChars * 8)).trim();
  if (countChars(plain) <= maxChars) return plain;
  return `${headChars(plain, Math.max(0, maxChars - truncated.length)).trimEnd()}${truncated}`;
}

const maxFiles = 40;
const maxIterations = 5;

/** The same from what is recorded, where the agent could not write one. */
export function handoffFromFacts(loop: Loop, maxChars: number): string {
  const files = filesTouched(loop);
  const done = loop.iterations.filter(({ agent }) => agent !== null).slice(-maxIterations);
  const lines = [
    `Objective: ${loop.title}`,
    '',
    `Files touched (${files.length}):`,
    ...files.slice(0, maxFiles).map((file) => `- ${file}`),
    ...(files.length > maxFiles ? [`- and ${files.length - maxFiles} more`] : []),
    '',
    'Last iterations:',
    ...done.flatMap(({ number, agent, report, commit, changes }) => {
      const passed = report === null ? 'not verified' : report.overall.passed ? 'passed' : 'failed';
      const changed = changes === null ? 0 : changedPaths(changes).length;
      const at = commit === null ? 'no commit' : `commit ${commit.slice(0, 12)}`;
      const said = agent?.summary ?? '';
      return [
        `- iteration ${number}: checks ${passed}, ${changed} files changed, ${at}`,
        ...(said === '' ? [] : [`  said: ${said.replaceAll('\n', ' ').slice(0, 500)}`]),
      ];
    }),
  ];
  return boundedHandoff(lines.join('\n'), maxChars);
}
