import { stringify } from 'yaml';
import { formatPath, isTree } from '../../core/config/tree.ts';
import { scalars } from '../../core/config/scalars.ts';
import { LoopwrightError } from '../../core/error.ts';
import { nearest } from '../../core/text/nearest.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { requiredArgument, wantsJson } from '../input.ts';
import { findConfig, originAt, shownSettings, valuesByKey } from './config-values.ts';

export const configGet: Command = {
  path: ['config', 'get'],
  summary: 'Print the value of one key.',
  args: [
    {
      name: 'KEY',
      summary: 'A key such as `limits.max-iterations`, or a whole section.',
      required: true,
    },
  ],
  examples: [
    {
      line: 'loopwright config get validation.command',
      does: 'Prints the validation command alone.',
    },
    { line: 'loopwright config get budget', does: 'Prints a section as YAML.' },
  ],
  run: runConfigGet,
};

async function runConfigGet(input: CommandInput, context: CliContext): Promise<number> {
  const key = requiredArgument(input, 'KEY');
  const { config } = await findConfig(context);
  const values = valuesByKey(shownSettings(config));
  const value = values.has(key) ? values.get(key) : unsetValue(key, values);
  if (wantsJson(input)) {
    const origin = originAt(config, key.split('.'));
    context.out.write(`${JSON.stringify({ key, value, origin })}\n`);
    return exitCodes.ok;
  }
  const isNested = isTree(value) || Array.isArray(value);
  const text = isNested ? stringify(value, { lineWidth: 0 }) : `${String(value)}\n`;
  context.out.write(plainText(text));
  return exitCodes.ok;
}

/** A key that exists and that nobody has set is null; any other is refused. */
function unsetValue(key: string, values: ReadonlyMap<string, unknown>): null {
  const known = scalars().map(({ path }) => formatPath(path));
  if (known.includes(key)) return null;
  const keys = [...new Set([...values.keys(), ...known])];
  const close = nearest(key, keys) ?? known.find((each) => each.endsWith(`.${key}`)) ?? null;
  const question = close === null ? '' : `; did you mean \`${close}\`?`;
  throw new LoopwrightError('config.unknown_key', `there is no key \`${key}\`${question}`, {
    hint: '`loopwright config show` lists every key',
    details: { key, nearest: close },
  });
}
