import type { Command, Option } from '../../src/cli/command.ts';
import { isListed } from '../../src/cli/find-command.ts';
import { commandLine, optionUsage, usageLine } from '../../src/cli/help.ts';
import { allOptions } from '../../src/cli/parse.ts';
import { registry } from '../../src/cli/registry.ts';
import { generatedNote, table } from './markdown.ts';

const exitCodeRows = [
  ['0', 'done; for `run`: every loop is complete'],
  ['1', 'a loop failed, or something went wrong inside Loopwright'],
  [
    '2',
    'needs a person: blocked, uncommitted changes, a conflict, red checks at a merge, somebody else at work',
  ],
  ['3', 'bad setup, bad input, refusal, nothing to do'],
  [
    '4',
    'stopped, or work is left: `--limit` was reached, or tasks wait for work of another engine',
  ],
  ['5', 'stopped by a budget'],
  ['130', 'interrupted; the loop is paused and can go on'],
];

export async function renderCliReference(): Promise<string> {
  const commands = await Promise.all(registry.filter(isListed).map((entry) => entry.load()));
  const settings = sharedSettings(commands);
  return `${[
    generatedNote,
    '# Command line',
    'Results go to stdout, talk to stderr. Every command takes `--json` and `--help`. Options may also be written `--name=value`.',
    '## Exit codes',
    table(['code', 'meaning'], exitCodeRows),
    ...commands.map((command) => renderCommand(command, settings)),
    '## Settings as options',
    '`run` and `loop resume` take every setting of [the configuration](config.md) as an option. `--no-NAME` switches a boolean one off.',
    optionTable(settings),
  ].join('\n\n')}\n`;
}

function renderCommand(command: Command, settings: readonly Option[]): string {
  const names = new Set(settings.map(({ name }) => name));
  const options = allOptions(command).filter(({ advanced }) => advanced !== true);
  const parts = [`## ${commandLine(command)}`, command.summary];
  if (command.details !== undefined) parts.push(command.details);
  parts.push(`\`\`\`\n${usageLine(command)}\n\`\`\``);
  const args = command.args ?? [];
  if (args.length > 0) {
    parts.push(
      table(
        ['argument', ''],
        args.map(({ name, summary }) => [`\`${name}\``, summary]),
      ),
    );
  }
  parts.push(optionTable(options));
  if (allOptions(command).some(({ name, advanced }) => advanced === true && names.has(name))) {
    parts.push('And every setting: see [Settings as options](#settings-as-options).');
  }
  const examples = command.examples.map(({ line, does }) => `# ${does}\n${line}`);
  parts.push(`\`\`\`sh\n${examples.join('\n\n')}\n\`\`\``);
  return parts.join('\n\n');
}

function optionTable(options: readonly Option[]): string {
  const rows = options.map((option) => {
    const choices =
      option.choices === undefined || option.bare !== undefined
        ? ''
        : ` One of ${option.choices.map((each) => `\`${each}\``).join(', ')}.`;
    const again = option.repeatable === true ? ' May be repeated.' : '';
    return [`\`${optionUsage(option)}\``, `${option.summary}${choices}${again}`];
  });
  return table(['option', ''], rows);
}

function sharedSettings(commands: readonly Command[]): readonly Option[] {
  const run = commands.find(({ path }) => path.join(' ') === 'run');
  return (run?.options ?? []).filter(({ advanced }) => advanced === true);
}
