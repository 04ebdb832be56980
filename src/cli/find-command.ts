import { LoopwrightError } from '../core/error.ts';
import { nearest } from '../core/text/nearest.ts';
import { groupsOf } from './help.ts';
import type { RegistryEntry } from './registry/entry.ts';

/** What a command line asks for. */
export type Asked =
  | { readonly kind: 'program-help' }
  | { readonly kind: 'all-help' }
  | { readonly kind: 'topic-help'; readonly topic: string }
  | { readonly kind: 'version' }
  | {
      readonly kind: 'group-help';
      readonly word: string;
      readonly entries: readonly RegistryEntry[];
    }
  | { readonly kind: 'command'; readonly entry: RegistryEntry; readonly words: readonly string[] };

/** Finds the command by the first words. Throws `usage.unknown_command` with the nearest one. */
export function findCommand(registry: readonly RegistryEntry[], argv: readonly string[]): Asked {
  const [first, ...rest] = argv;
  if (first === undefined || first === '--help' || first === '-h') return { kind: 'program-help' };
  if (first === '--version' || first === '-V') return { kind: 'version' };
  if (first === 'help')
    return findTopic(registry, rest) ?? findCommand(registry, [...rest, '--help']);
  const single = registry.find(({ path }) => path.length === 1 && path[0] === first);
  if (single !== undefined) return { kind: 'command', entry: single, words: rest };
  const group = registry.filter(({ path }) => path.length > 1 && path[0] === first);
  if (group.length === 0) throw unknownCommand(first, topWords(registry), '');
  const [second, ...words] = rest;
  if (second === undefined || second === '--help' || second === '-h' || second === '--json') {
    return { kind: 'group-help', word: first, entries: group.filter(isListed) };
  }
  const entry = group.find(({ path }) => path[1] === second);
  if (entry !== undefined) return { kind: 'command', entry, words };
  throw unknownCommand(
    second,
    group.map(({ path }) => path[1] ?? ''),
    `${first} `,
  );
}

/** `help all`, `help tasks`. Null when the words name a command. */
function findTopic(registry: readonly RegistryEntry[], words: readonly string[]): Asked | null {
  const [word] = words;
  if (words.length !== 1 || word === undefined) return null;
  if (registry.some(({ path }) => path[0] === word)) return null;
  if (word === 'all') return { kind: 'all-help' };
  const topic = groupsOf(registry).find((group) => group.toLowerCase() === word.toLowerCase());
  return topic === undefined ? null : { kind: 'topic-help', topic };
}

export function isListed({ hidden }: RegistryEntry): boolean {
  return hidden !== true;
}

function topWords(registry: readonly RegistryEntry[]): readonly string[] {
  return [...new Set(registry.filter(isListed).map(({ path }) => path[0]))];
}

function unknownCommand(word: string, known: readonly string[], under: string): LoopwrightError {
  if (word.startsWith('-')) {
    return new LoopwrightError('usage.unknown_option', `loopwright ${under}has no option ${word}`, {
      hint: 'options come after the command; see `loopwright --help`',
    });
  }
  const close = nearest(word, known);
  const question = close === null ? '' : `; did you mean \`loopwright ${under}${close}\`?`;
  return new LoopwrightError(
    'usage.unknown_command',
    `there is no command \`${under}${word}\`${question}`,
    {
      hint: `see \`loopwright ${under}--help\``,
    },
  );
}
