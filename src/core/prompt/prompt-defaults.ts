import { LoopwrightError } from '../error.ts';

/** What the front matter of a prompt file asks for. */
export type PromptDefaults = {
  /** Variables that must have a value. */
  readonly required: readonly string[];
  /** Values of variables that would be empty or absent. */
  readonly defaults: Readonly<Record<string, unknown>>;
  /** Names the prompt in messages. */
  readonly source: string;
};

/** The context with the file's defaults in the gaps. A required variable without a value is an error. */
export function withPromptDefaults(
  file: PromptDefaults,
  context: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const gaps = Object.entries(file.defaults).filter(([name]) => isEmpty(context, name));
  const filled = { ...context, ...Object.fromEntries(gaps) };
  const missing = file.required.find((name) => isEmpty(filled, name));
  if (missing === undefined) return filled;
  throw new LoopwrightError(
    'prompt.missing_variable',
    `The prompt of ${file.source} requires a value for "${missing}".`,
    { hint: `Set the input "${missing}" or give it a default.`, details: { name: missing } },
  );
}

function isEmpty(context: Readonly<Record<string, unknown>>, name: string): boolean {
  if (!Object.hasOwn(context, name)) return true;
  const value = context[name];
  return value === undefined || value === null || value === '';
}
