import { appendBlocks } from './blocks.ts';
import type { TemplateContext, TemplateOptions, Templates } from './templates.ts';

export type PromptRequest = TemplateOptions & {
  readonly template: string;
  readonly context: TemplateContext;
  readonly templates: Templates;
  /** Goes to the very end: the system prompt, for agents that have no place of their own for it. */
  readonly ending?: string;
};

export type RenderedPrompt = { readonly text: string; readonly warnings: readonly string[] };

/** What the next iteration sends. A pure function of its input: nothing is looked up, no time is read. */
export function renderPrompt(request: PromptRequest): RenderedPrompt {
  const { template, context, templates, ending, ...options } = request;
  const { text } = templates.render(template, context, options);
  const printed = templates.printedVariables(template, options);
  const complete = appendBlocks(text, context, printed);
  return {
    text: ending === undefined ? complete.text : `${complete.text.trimEnd()}\n\n${ending}`,
    warnings: complete.warning === null ? [] : [complete.warning],
  };
}
