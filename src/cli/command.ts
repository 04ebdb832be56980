import type { CliContext } from './context.ts';

/** One command of the CLI, as data: parsing, help, completion and the reference are made from it. */
export type Command = {
  /** `['task', 'add']` is `loopwright task add`. */
  readonly path: readonly [string, ...string[]];
  /** One line for lists. */
  readonly summary: string;
  /** Further paragraphs for `--help`. */
  readonly details?: string;
  readonly args?: readonly Argument[];
  /** `--json` and `--help` are added to every command. */
  readonly options?: readonly Option[];
  /** Whole command lines, each with what it does. */
  readonly examples: readonly Example[];
  /** Answers with the exit code. Results go to `context.out`, talk to `context.err`. */
  run(input: CommandInput, context: CliContext): Promise<number>;
};

export type Argument = {
  /** Shown as `TASK`. */
  readonly name: string;
  readonly summary: string;
  readonly required: boolean;
  readonly variadic?: boolean;
  /** What completion offers: ids of these, or fixed words. */
  readonly completes?: Completes;
};

export type Option = {
  /** Long name without dashes: `max-iterations`. `no-commit` is a flag of its own. */
  readonly name: string;
  readonly short?: string;
  readonly summary: string;
  /** Name of the value (`N`, `DURATION`); a flag without one is a boolean. */
  readonly value?: string;
  readonly repeatable?: boolean;
  readonly choices?: readonly string[];
  /**
   * The value may be left out and is then this one; only a word of `choices` behind the flag is taken as its value,
   * and `--no-NAME` means the last of them.
   */
  readonly bare?: string;
  /** Left out of `--help`, shown by `--help-all` and in the reference. */
  readonly advanced?: boolean;
  readonly completes?: Completes;
};

export type Completes = 'tasks' | 'loops' | 'files' | readonly string[];

type Example = { readonly line: string; readonly does: string };

export type CommandInput = {
  /** By argument name; a variadic one is a list, an absent optional one is missing. */
  readonly args: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** By option name as written (`max-iterations`); repeatable ones are lists; only what was given. */
  readonly options: Readonly<Record<string, string | boolean | readonly string[] | undefined>>;
};
