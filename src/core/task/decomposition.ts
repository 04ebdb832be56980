import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { LoopwrightError } from '../error.ts';
import { singleLine } from '../prompt/inline.ts';
import { fence } from '../text/fence.ts';
import { plainText } from '../text/terminal.ts';

/** A part of a task as an agent proposes it. `after` are numbers of earlier parts, from 1. */
export type ProposedPart = {
  readonly title: string;
  readonly description: string;
  readonly after: readonly number[];
};

/** The tree around a task: what more it may hold. */
export type TreeRoom = {
  /** Of the task itself; 1 at the top. */
  readonly depth: number;
  readonly children: number;
  /** Tasks in the whole tree. */
  readonly size: number;
};

export const treeLimits = { depth: 3, children: 10, size: 100 } as const;
const fewest = 3;
const most = 7;

const Part = lazy(() =>
  z.object({
    title: z.string().trim().min(1).max(500),
    description: z.string().max(20_000).default(''),
    after: z.array(z.union([z.number().int(), z.string()])).default([]),
  }),
);
const Parts = lazy(() => z.array(Part()).min(fewest).max(most));

/** Asks for the parts of a task. What earlier attempts left is data for it. */
export function decompositionPrompt(task: {
  readonly title: string;
  readonly description: string;
  readonly attempts: string;
}): string {
  return [
    `Split one task into ${fewest} to ${most} smaller ones that can be done and verified one after the other. Read the files in the current folder as far as you need to; change nothing.`,
    `## Task\n\n**Title:** ${singleLine(task.title, 500)}`,
    ...(task.description.trim() === '' ? [] : [`### Description\n\n${task.description.trim()}`]),
    ...(task.attempts === '' ? [] : [task.attempts]),
    `## Answer\n\nEnd with one JSON array and nothing after it. \`after\` names the parts that must be done first, by their number from 1:`,
    fence(
      '[{"title": "short, imperative", "description": "what exactly, and how one sees that it is done", "after": [1]}]',
      'json',
    ),
  ].join('\n\n');
}

/** Reads the proposal from the agent's final message. Throws `task.bad_proposal` with what is wrong. */
export function readProposal(message: string): readonly ProposedPart[] {
  const found = lastArray(message);
  if (found === undefined) throw badProposal('there is no JSON array in the answer');
  const parsed = Parts().safeParse(found);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const place = issue === undefined ? '' : ` at ${issue.path.join('.') || 'the list'}`;
    throw badProposal(`${issue?.message ?? 'it has another shape'}${place}`);
  }
  const titles = parsed.data.map(({ title }) => plainText(singleLine(title, 200)));
  if (new Set(titles).size < titles.length) throw badProposal('two parts have the same title');
  return parsed.data.map(({ description, after }, index) => ({
    title: titles[index] ?? '',
    description: plainText(description).trim(),
    after: after.map((reference) => numberOf(reference, titles, index)),
  }));
}

/** Throws `task.too_many_parts` when the tree has no room for so many more. */
export function assertRoom({ depth, children, size }: TreeRoom, parts: number): void {
  const problem =
    depth >= treeLimits.depth
      ? `tasks are nested at most ${treeLimits.depth} deep`
      : children + parts > treeLimits.children
        ? `a task has at most ${treeLimits.children} parts, and it has ${children}`
        : size + parts > treeLimits.size
          ? `a tree has at most ${treeLimits.size} tasks, and it has ${size}`
          : null;
  if (problem === null) return;
  throw new LoopwrightError('task.too_many_parts', `${parts} more parts do not fit: ${problem}`, {
    hint: 'write the parts yourself with `loopwright task add --parent`, or make it a task of its own',
  });
}

/** Only an earlier part can come first, so there are no cycles. */
function numberOf(reference: number | string, titles: readonly string[], index: number): number {
  const number =
    typeof reference === 'number' ? reference : titles.indexOf(singleLine(reference, 200)) + 1;
  if (number >= 1 && number <= index) return number;
  throw badProposal(
    `part ${index + 1} comes after “${String(reference)}”, which is no earlier part`,
  );
}

/** The last JSON array of the text that can be read; `[` are tried from the end, a bounded number of them. */
function lastArray(text: string): unknown {
  const end = text.lastIndexOf(']');
  if (end === -1) return undefined;
  let found: unknown;
  let start = text.lastIndexOf('[', end);
  for (let tries = 0; start !== -1 && tries < maxTries; tries++) {
    try {
      const value: unknown = JSON.parse(text.slice(start, end + 1));
      if (Array.isArray(value)) found = value;
    } catch {
      // Not a whole array from here on: an earlier bracket may begin it.
    }
    start = start === 0 ? -1 : text.lastIndexOf('[', start - 1);
  }
  return found;
}

const maxTries = 200;

function badProposal(problem: string): LoopwrightError {
  return new LoopwrightError(
    'task.bad_proposal',
    `the agent's proposal cannot be used: ${problem}`,
    { hint: 'try again, or write the parts yourself with `loopwright task add --parent`' },
  );
}
