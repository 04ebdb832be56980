import type { Command, Option } from './command.ts';
import { wrap, wrapCommand } from './render/wrap.ts';

export type HelpEntry = {
  readonly path: readonly [string, ...string[]];
  readonly summary: string;
  readonly group: string;
  /** One of the few commands that a newcomer needs. */
  readonly firstDay?: boolean;
};

export function commandLine({ path }: Pick<Command, 'path'>): string {
  return ['loopwright', ...path].join(' ');
}

const maxColumns = 100;
const maxNameWidth = 30;

/** The help of the program: what it is, the commands of the first day, and where the others are. */
export function renderProgramHelp(entries: readonly HelpEntry[], columns: number): string {
  const width = Math.min(columns, maxColumns);
  const firstDay = entries.filter(({ firstDay: isFirst }) => isFirst === true).map(wholeRow);
  const others = groupsOf(entries).filter((group) =>
    entries.some((entry) => entry.group === group && entry.firstDay !== true),
  );
  const groups = others.map((group): Row => {
    const words = entries.filter((entry) => entry.group === group).map(({ path }) => path[0]);
    return [`help ${group.toLowerCase()}`, [...new Set(words)].join(', ')];
  });
  return joinParts([
    wrap('Loopwright runs coding agents in a loop until the work is verifiably done.', width, ''),
    'Usage: loopwright COMMAND [ARGUMENTS] [OPTIONS]',
    `The first day:\n${renderRows(firstDay, width)}`,
    `Everything else:\n${renderRows([...groups, ['help all', 'Every command in one list.']], width)}`,
    wrap(explainsOne, width, ''),
  ]);
}

const explainsOne =
  '`loopwright COMMAND --help` explains a command; `loopwright --version` prints the version.';

/** Every command under its heading. */
export function renderAllHelp(entries: readonly HelpEntry[], columns: number): string {
  const width = Math.min(columns, maxColumns);
  const parts = groupsOf(entries).map((group) => renderTopic(group, entries, width));
  return joinParts([...parts, wrap(explainsOne, width, '')]);
}

/** The commands under one heading: `loopwright help tasks`. */
export function renderTopicHelp(
  topic: string,
  entries: readonly HelpEntry[],
  columns: number,
): string {
  const width = Math.min(columns, maxColumns);
  return joinParts([renderTopic(topic, entries, width), wrap(explainsOne, width, '')]);
}

/** Headings in the order of the registry. */
export function groupsOf(entries: readonly HelpEntry[]): readonly string[] {
  return [...new Set(entries.map(({ group }) => group))];
}

function renderTopic(topic: string, entries: readonly HelpEntry[], width: number): string {
  const rows = entries.filter(({ group }) => group === topic).map(wholeRow);
  return `${topic}:\n${renderRows(rows, width)}`;
}

function wholeRow({ path, summary }: HelpEntry): Row {
  return [path.join(' '), summary];
}

function joinParts(parts: readonly string[]): string {
  return `${parts.join('\n\n')}\n`;
}

/** The help of a word that has commands under it: `loopwright loop`. */
export function renderGroupHelp(
  word: string,
  entries: readonly HelpEntry[],
  columns: number,
): string {
  const width = Math.min(columns, maxColumns);
  const rows = entries.map((entry): Row => [entry.path.slice(1).join(' '), entry.summary]);
  return [
    `Usage: loopwright ${word} COMMAND [ARGUMENTS] [OPTIONS]`,
    `Commands:\n${renderRows(rows, width)}`,
    `\`loopwright ${word} COMMAND --help\` explains one.\n`,
  ].join('\n\n');
}

/** The help of one command. `options` are all it takes. */
export function renderCommandHelp(
  command: Command,
  options: readonly Option[],
  columns: number,
): string {
  const width = Math.min(columns, maxColumns);
  const parts = [
    wrap(usageLine(command), width, 'Usage: ', '         '),
    wrap(command.summary, width, ''),
  ];
  if (command.details !== undefined) {
    parts.push(...command.details.split('\n\n').map((text) => wrap(text, width, '')));
  }
  const args = (command.args ?? []).map((arg): Row => [arg.name, arg.summary]);
  if (args.length > 0) parts.push(`Arguments:\n${renderRows(args, width)}`);
  parts.push(`Options:\n${renderRows(options.map(optionRow), width)}`);
  parts.push(`Examples:\n${renderExamples(command, width)}`);
  return `${parts.join('\n\n')}\n`;
}

export function usageLine(command: Command): string {
  const args = (command.args ?? []).map(({ name, required, variadic }) => {
    const shown = variadic === true ? `${name}...` : name;
    return required ? shown : `[${shown}]`;
  });
  return [commandLine(command), ...args, '[OPTIONS]'].join(' ');
}

/** `-f, --follow`, `--limit N`, `--memory [on|off]`. */
export function optionUsage(option: Option): string {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  const value = option.bare === undefined ? option.value : `[${option.value ?? ''}]`;
  return `${short}--${option.name}${value === undefined ? '' : ` ${value}`}`;
}

type Row = readonly [name: string, text: string];

function optionRow(option: Option): Row {
  const listed =
    option.choices !== undefined &&
    option.bare === undefined &&
    option.choices.join('|') !== option.value;
  const choices = listed ? ` One of ${option.choices.join(', ')}.` : '';
  const again = option.repeatable === true ? ' May be repeated.' : '';
  return [optionUsage(option), `${option.summary}${choices}${again}`];
}

function renderRows(rows: readonly Row[], width: number): string {
  const longest = Math.max(...rows.map(([name]) => name.length));
  const indent = Math.min(longest, maxNameWidth) + 4;
  return rows
    .map(([name, text]) => {
      const start = `  ${name}`.padEnd(indent);
      const isLong = name.length > maxNameWidth;
      const body = wrap(text, width, isLong ? ' '.repeat(indent) : start, ' '.repeat(indent));
      return isLong ? `  ${name}\n${body}` : body;
    })
    .join('\n');
}

function renderExamples({ examples }: Command, width: number): string {
  return examples
    .map(({ line, does }) => `${wrapCommand(line, width, '  ')}\n${wrap(does, width, '      ')}`)
    .join('\n');
}
