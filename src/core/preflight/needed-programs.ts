import { readLists, type ShellWord } from './shell-lists.ts';

/** A program without which a shell text cannot end well. */
export type NeededProgram = {
  /** A name to look for on PATH, or a path. */
  readonly name: string;
  /** Folder it is started in, relative to where the text starts; null: not known. */
  readonly folder: string | null;
};

/** Commands of the shell that bring no program and change nothing about where programs are looked for. */
const harmless: ReadonlySet<string> = new Set(
  `: true false echo printf test [ cd export readonly umask ulimit set unset shift times wait read pwd sleep
   exit return kill getopts local declare typeset let type`.split(/\s+/),
);

/** Commands of the shell after which nothing can be told, and words that begin something else than a command. */
const unknown: ReadonlySet<string> = new Set(
  `. source eval alias unalias hash trap exec builtin enable shopt bind complete compgen pushd popd dirs bg fg jobs
   disown history fc mapfile readarray caller help logout suspend break continue coproc
   if then else elif fi for while until do done case esac select function time in { } ! [[ ]]`.split(
    /\s+/,
  ),
);

/** Programs and commands that start the program named behind them. */
const starters: ReadonlySet<string> = new Set(['exec', 'command', 'env', 'nohup', 'time']);

/**
 * Programs that must be there before the text is started: without one of them it certainly fails. What may be installed,
 * sourced or defined on the way, what is only tried (`a || b`), and what is not read here, is not among them.
 */
export function neededPrograms(text: string): readonly NeededProgram[] {
  const { lists, isCut } = readLists(text);
  let folder: string | null = '';
  for (const [index, { pipelines, hasOr }] of lists.entries()) {
    const decides = index === lists.length - 1 && !isCut && !hasOr;
    for (const commands of pipelines) {
      const seen = commands.map(readCommand);
      if (seen.some(({ kind }) => kind === 'unknown')) return [];
      const programs = seen.flatMap((each) => (each.kind === 'program' ? each.name : []));
      // An earlier program may bring a later one; those of a pipeline start together.
      if (programs.length > 0) {
        return decides ? programs.map((name): NeededProgram => ({ name, folder })) : [];
      }
      const target = seen.find((each) => each.kind === 'cd');
      if (target?.kind === 'cd') folder = enter(folder, target.to);
    }
  }
  return [];
}

type Seen =
  | { readonly kind: 'program'; readonly name: string }
  | { readonly kind: 'cd'; readonly to: string | null }
  | { readonly kind: 'harmless' | 'unknown' };

function readCommand(words: readonly ShellWord[]): Seen {
  let rest = words;
  for (;;) {
    const [first] = rest;
    if (first === undefined) return { kind: 'harmless' };
    const assigned = /^([A-Za-z_]\w{0,200})\+?=/.exec(first.text);
    if (assigned !== null) {
      if (changesLookup(assigned[1] ?? '')) return { kind: 'unknown' };
      rest = rest.slice(1);
      continue;
    }
    if (!first.isPlain && first.text !== '[') return { kind: 'unknown' };
    if (!starters.has(first.text)) return readPlain(first.text, rest.slice(1));
    const next = rest[1];
    if (next === undefined || next.text.startsWith('-')) return { kind: 'unknown' };
    rest = rest.slice(1);
  }
}

function readPlain(name: string, args: readonly ShellWord[]): Seen {
  if (name === '' || unknown.has(name)) return { kind: 'unknown' };
  if (name === 'cd') {
    const [to] = args;
    const isKnown = args.length === 1 && to?.isPlain === true && !to.text.startsWith('-');
    return { kind: 'cd', to: isKnown ? to.text : null };
  }
  if (!harmless.has(name)) return { kind: 'program', name };
  const changes = args.some(({ text }) => changesLookup(/^\w{1,200}/.exec(text)?.[0] ?? ''));
  return { kind: changes && name !== 'echo' && name !== 'printf' ? 'unknown' : 'harmless' };
}

function changesLookup(variable: string): boolean {
  return variable === 'PATH' || variable === 'ENV' || variable === 'BASH_ENV';
}

function enter(folder: string | null, to: string | null): string | null {
  if (folder === null || to === null || to.startsWith('/')) return null;
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of to.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.join('/');
}
