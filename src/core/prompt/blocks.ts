import { countChars, headChars } from '../text/code-points.ts';
import type { TemplateContext } from './templates.ts';
import { type BlockVariable, blockVariables } from './template-variables.ts';

/** Blocks that most prompts do not have: a template need not know of them. */
const optionalBlocks = ['codebase-map', 'handoff'] as const;
type OptionalBlock = (typeof optionalBlocks)[number];

/** Headings of the blocks, in the default template and when appended. Memory brings its own. */
export const blockHeadings: Readonly<
  Record<BlockVariable | 'shared' | OptionalBlock, string | null>
> = {
  'codebase-map': '## Codebase Map',
  handoff: '## Handoff',
  memory: null,
  progress: '## Previous Iterations',
  feedback: '## Verification Feedback',
  guidance: '## Guidance',
  shared: '## Shared by Other Loops',
};

export const blockCeilingChars = 12_000;

export type FittingBlocks = {
  /** Renderings from the fullest to the shortest; the first that fits is taken. None means empty. */
  readonly memory: readonly string[];
  readonly progress: readonly string[];
  readonly feedback: string;
};

export type FittedBlocks = {
  readonly memory: string;
  readonly progress: string;
  readonly feedback: string;
};

/**
 * Keeps progress, memory and feedback within the ceiling together. Memory gives way first (its renderings leave
 * out status, learnings and older attempts, in this order), then older progress; feedback only if it alone is too long.
 */
export function fitBlocks(
  { memory, progress, feedback }: FittingBlocks,
  ceiling: number = blockCeilingChars,
): FittedBlocks {
  const shownFeedback = countChars(feedback) <= ceiling ? feedback : headChars(feedback, ceiling);
  const room = ceiling - countChars(shownFeedback);
  const fullProgress = progress[0] ?? '';
  const shownMemory =
    memory.find((text) => countChars(text) + countChars(fullProgress) <= room) ??
    memory.findLast((text) => countChars(text) <= room) ??
    '';
  const left = room - countChars(shownMemory);
  const shownProgress = progress.find((text) => countChars(text) <= left) ?? '';
  return { memory: shownMemory, progress: shownProgress, feedback: shownFeedback };
}

/**
 * Adds the blocks a template does not print. The warning stands even when they are empty this time; of shares, which are rare,
 * it is said only when there are some.
 */
export function appendBlocks(
  text: string,
  context: TemplateContext,
  printed: ReadonlySet<string>,
): { readonly text: string; readonly warning: string | null } {
  const lacking = [
    ...blockVariables.filter((name) => !printed.has(name)),
    ...(printed.has('shared') || !hasText(context['shared']) ? [] : ['shared' as const]),
  ];
  const optional = optionalBlocks.filter((name) => !printed.has(name));
  const blocks = [...optional, ...lacking].flatMap((name) => renderBlock(name, context[name]));
  const names = lacking.map((name) => `{{${name}}}`).join(', ');
  const warning =
    lacking.length === 0
      ? null
      : `The prompt template does not print ${names}; appended at the end.`;
  if (blocks.length === 0) return { text, warning };
  return { text: `${[text.trimEnd(), ...blocks].join('\n\n')}\n`, warning };
}

function renderBlock(name: keyof typeof blockHeadings, value: unknown): readonly string[] {
  if (!hasText(value)) return [];
  const heading = blockHeadings[name];
  return [heading === null ? value : `${heading}\n\n${value}`];
}

function hasText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
