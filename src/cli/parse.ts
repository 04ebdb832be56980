import { Command as Parser, CommanderError, Option as ParserOption } from 'commander';
import { LoopwrightError } from '../core/error.ts';
import { nearest } from '../core/text/nearest.ts';
import type { Argument, Command, CommandInput, Option } from './command.ts';
import { commandLine } from './help.ts';

/** Options that every command has. */
const sharedOptions: readonly Option[] = [
  { name: 'json', summary: 'Print the result as one JSON object.' },
  { name: 'help', short: 'h', summary: 'Show this help.' },
];

const helpAll: Option = { name: 'help-all', summary: 'Show the help with every setting.' };

/** The options a command takes, the shared ones included. */
export function allOptions(command: Command): readonly Option[] {
  const own = command.options ?? [];
  const shared = sharedOptions.filter(({ name }) => own.every((each) => each.name !== name));
  return [...own, ...shared, ...(own.some(({ advanced }) => advanced === true) ? [helpAll] : [])];
}

/** Reads the words behind a command. Throws `usage.*` for what the command does not take. */
export function parseInput(command: Command, words: readonly string[]): CommandInput {
  const options = allOptions(command);
  const asked = mentioned(options, words);
  const parser = createParser(command, asked);
  try {
    parser.parse(withBareValues(words, options), { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) throw usageProblem(command, options, error);
    throw error;
  }
  const given = asked.flatMap((option): [string, string | boolean | readonly string[]][] => {
    const name = new ParserOption(`--${option.name}`).attributeName();
    if (parser.getOptionValueSource(name) !== 'cli') return [];
    return [[option.name, option.value === undefined ? true : textOf(parser.getOptionValue(name))]];
  });
  const input = {
    args: readArguments(command.args ?? [], parser.args),
    options: Object.fromEntries(given),
  };
  if (input.options['help'] !== true && input.options['help-all'] !== true) {
    requireArguments(command, input);
  }
  return input;
}

/** Every setting has an option, and telling the parser of all of them takes longer than parsing. */
function mentioned(options: readonly Option[], words: readonly string[]): readonly Option[] {
  const flags = new Set(words.map((word) => /^--(?:no-)?([^=]*)/.exec(word)?.[1]));
  return options.filter(
    ({ name, short }) => short !== undefined || flags.has(name.replace(/^no-/, '')),
  );
}

function textOf(value: unknown): string | readonly string[] {
  return Array.isArray(value) ? value.map(String) : String(value);
}

function createParser(command: Command, options: readonly Option[]): Parser {
  const parser = new Parser(command.path.join(' '))
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .helpOption(false)
    .allowExcessArguments(false);
  for (const option of options) parser.addOption(parserOption(option));
  // A missing argument is looked for afterwards, so that `--help` works without it.
  for (const { name, variadic } of command.args ?? []) {
    parser.argument(variadic === true ? `[${name}...]` : `[${name}]`);
  }
  return parser.action(() => {});
}

function parserOption(option: Option): ParserOption {
  const flags = `${option.short === undefined ? '' : `-${option.short}, `}--${option.name}`;
  const made = new ParserOption(option.value === undefined ? flags : `${flags} <${option.value}>`);
  if (option.choices !== undefined && option.bare === undefined) made.choices(option.choices);
  if (option.repeatable === true) {
    made.argParser((value: string, before: string[] | boolean | undefined) =>
      Array.isArray(before) ? [...before, value] : [value],
    );
  }
  return made;
}

/** `--memory off` and `--memory` become `--memory=off` and `--memory=on`, so that no other word is swallowed. */
function withBareValues(words: readonly string[], options: readonly Option[]): string[] {
  const named = new Map(options.map((option) => [`--${option.name}`, option]));
  const end = words.indexOf('--');
  const read = end === -1 ? words : words.slice(0, end);
  const out: string[] = [];
  for (let at = 0; at < read.length; at++) {
    const word = read[at] ?? '';
    const option = named.get(word);
    if (option === undefined) {
      const negated = named.get(word.replace(/^--no-/, '--'));
      const off = word.startsWith('--no-') ? negated?.choices?.at(-1) : undefined;
      out.push(
        negated?.bare === undefined || off === undefined ? word : `--${negated.name}=${off}`,
      );
      continue;
    }
    if (option.bare === undefined) {
      out.push(word);
      // The value of another option is never looked at.
      if (option.value !== undefined && at + 1 < read.length) out.push(read[++at] ?? '');
      continue;
    }
    const next = read[at + 1];
    const isValue = next !== undefined && option.choices?.includes(next) === true;
    out.push(`${word}=${isValue ? next : option.bare}`);
    if (isValue) at++;
  }
  return end === -1 ? out : [...out, ...words.slice(end)];
}

function readArguments(args: readonly Argument[], words: readonly string[]): CommandInput['args'] {
  return Object.fromEntries(
    args.flatMap(({ name, variadic }, index): [string, string | readonly string[]][] => {
      if (variadic === true) return [[name, words.slice(index)]];
      const word = words[index];
      return word === undefined ? [] : [[name, word]];
    }),
  );
}

function requireArguments(command: Command, input: CommandInput): void {
  const missing = (command.args ?? []).find(({ name, required }) => {
    const value = input.args[name];
    return required && (value === undefined || value.length === 0);
  });
  if (missing === undefined) return;
  throw new LoopwrightError(
    'usage.missing_argument',
    `${commandLine(command)} needs ${missing.name}: ${missing.summary}`,
    { hint: seeHelp(command) },
  );
}

function usageProblem(
  command: Command,
  options: readonly Option[],
  error: CommanderError,
): LoopwrightError {
  const message = error.message.replace(/^error: /, '');
  const hint = seeHelp(command);
  switch (error.code) {
    case 'commander.unknownOption': {
      const flag = /'(.*)'/s.exec(message)?.[1] ?? message;
      const close = nearest(
        flag,
        options.map(({ name }) => `--${name}`),
      );
      const question = close === null ? '' : `; did you mean ${close}?`;
      const text = `${commandLine(command)} has no option ${flag}${question}`;
      return new LoopwrightError('usage.unknown_option', text, { hint });
    }
    case 'commander.excessArguments': {
      const text = message
        .replace(/^too many arguments.*?but got \d+: /s, 'too many arguments: ')
        .replace(/\.$/, '');
      return new LoopwrightError('usage.excess_arguments', text, {
        hint: `put text with spaces in quotes; ${hint}`,
      });
    }
    default:
      return new LoopwrightError('usage.invalid', message, { hint });
  }
}

function seeHelp(command: Command): string {
  return `see \`${commandLine(command)} --help\``;
}
