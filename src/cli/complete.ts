import type { Command, Completes, Option } from './command.ts';
import { isListed } from './find-command.ts';
import { allOptions } from './parse.ts';
import type { RegistryEntry } from './registry/entry.ts';

/** What may stand at the last word: fixed words, or things that must be looked up. */
export type Offer =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  | { readonly kind: 'tasks' | 'loops' | 'files' };

/** Completes the last of the words behind `loopwright`. */
export async function complete(
  registry: readonly RegistryEntry[],
  words: readonly string[],
): Promise<Offer> {
  const typed = words.slice(0, -1);
  const last = words.at(-1) ?? '';
  const listed = registry.filter(isListed);
  const entry = listed.find(({ path }) => path.every((word, index) => typed[index] === word));
  if (entry === undefined) return offerWords(commandWords(listed, typed), last);
  return completeCommand(await entry.load(), typed.slice(entry.path.length), last);
}

function commandWords(
  registry: readonly RegistryEntry[],
  typed: readonly string[],
): readonly string[] {
  const under = registry.filter(({ path }) => typed.every((word, index) => path[index] === word));
  const next = under.flatMap(({ path }) => path[typed.length] ?? []);
  return [...new Set(typed.length === 0 ? [...next, '--help', '--version'] : [...next, '--help'])];
}

function completeCommand(command: Command, typed: readonly string[], last: string): Offer {
  const options = allOptions(command);
  const before = findOption(options, typed.at(-1));
  if (before?.value !== undefined && before.bare === undefined)
    return offerFor(before.completes ?? before.choices, last);
  if (last.startsWith('-')) {
    const known = options.filter(({ advanced }) => advanced !== true || last.length > 2);
    return offerWords(
      known.map(({ name }) => `--${name}`),
      last,
    );
  }
  const position = countArguments(options, typed);
  const args = command.args ?? [];
  const argument = args[position] ?? (args.at(-1)?.variadic === true ? args.at(-1) : undefined);
  return offerFor(argument?.completes, last);
}

function findOption(options: readonly Option[], word: string | undefined): Option | undefined {
  if (word === undefined) return undefined;
  return options.find(({ name, short }) => word === `--${name}` || word === `-${short ?? ''}`);
}

function countArguments(options: readonly Option[], typed: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < typed.length; at++) {
    const option = findOption(options, typed[at]);
    if (option !== undefined) at += option.value !== undefined && option.bare === undefined ? 1 : 0;
    else if (typed[at]?.startsWith('-') !== true) count++;
  }
  return count;
}

function offerFor(completes: Completes | undefined, last: string): Offer {
  if (completes === undefined) return { kind: 'words', words: [] };
  return typeof completes === 'string' ? { kind: completes } : offerWords(completes, last);
}

function offerWords(words: readonly string[], last: string): Offer {
  return { kind: 'words', words: words.filter((word) => word.startsWith(last)) };
}
