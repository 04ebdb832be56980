import { stringify } from 'yaml';
import { formatPath } from '../../core/config/tree.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { renderTable, type Cell } from '../render/table.ts';
import {
  findConfig,
  formatOrigin,
  leavesOf,
  originAt,
  shownSettings,
  type FoundConfig,
} from './config-values.ts';

export const configShow: Command = {
  path: ['config', 'show'],
  summary: 'Show every setting with its value, and where it comes from.',
  details:
    'Layers, weakest first: defaults, your own file, loopwright.yml of the repository, LOOPWRIGHT_* variables, flags. Without --origin the output is itself valid configuration.',
  options: [
    { name: 'origin', summary: 'Name the file and line, variable or default behind each value.' },
  ],
  examples: [
    { line: 'loopwright config show', does: 'Prints the settings as YAML.' },
    {
      line: 'loopwright config show --origin | grep -v default',
      does: 'Shows only what somebody has set.',
    },
  ],
  run: runConfigShow,
};

async function runConfigShow(input: CommandInput, context: CliContext): Promise<number> {
  const found = await findConfig(context);
  const settings = shownSettings(found.config);
  const withOrigin = isGiven(input, 'origin');
  if (wantsJson(input)) {
    const result = withOrigin ? { settings, origins: originsOf(found) } : settings;
    context.out.write(`${JSON.stringify(result)}\n`);
    return exitCodes.ok;
  }
  const text = withOrigin ? renderOrigins(found, context) : stringify(settings, { lineWidth: 0 });
  context.out.write(plainText(text));
  return exitCodes.ok;
}

function originsOf({ config }: FoundConfig): Readonly<Record<string, unknown>> {
  const leaves = leavesOf(shownSettings(config));
  return Object.fromEntries(leaves.map(({ path }) => [formatPath(path), originAt(config, path)]));
}

function renderOrigins({ config }: FoundConfig, { out }: CliContext): string {
  const rows = leavesOf(shownSettings(config)).map(({ path, value }): readonly Cell[] => {
    const origin = originAt(config, path);
    const from = formatOrigin(origin);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const isSet = origin.layer !== 'defaults';
    return [
      formatPath(path),
      isSet ? { text: oneLine(text), style: 'bold' } : oneLine(text),
      { text: from, style: isSet ? 'green' : 'dim' },
    ];
  });
  const columns = [{ heading: 'KEY' }, { heading: 'VALUE', flexible: true }, { heading: 'FROM' }];
  const width = out.isTerminal ? out.columns : Infinity;
  return renderTable(columns, rows, width, createPaint(out.hasColour));
}

function oneLine(text: string): string {
  return plainText(text).replaceAll(/\s*\n\s*/g, ' ⏎ ');
}
