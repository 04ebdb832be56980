import { asksForJson } from './asks-for-json.ts';
import { refuseInside } from './calling-loop.ts';
import type { CliContext } from './context.ts';
import { exitCodes } from './exit-code.ts';
import { findCommand, isListed } from './find-command.ts';
import {
  renderAllHelp,
  renderCommandHelp,
  renderGroupHelp,
  renderProgramHelp,
  renderTopicHelp,
} from './help.ts';
import { allOptions, parseInput } from './parse.ts';
import type { RegistryEntry } from './registry/entry.ts';

/** Runs one command line and answers with its exit code. Never throws. */
export async function runCli(
  argv: readonly string[],
  context: CliContext,
  registry: readonly RegistryEntry[],
): Promise<number> {
  const write = (text: string, key: 'help' | 'version') =>
    context.out.write(asksForJson(argv) ? jsonOf({ [key]: text }) : `${text.trimEnd()}\n`);
  try {
    const asked = findCommand(registry, argv);
    switch (asked.kind) {
      case 'version':
        write(context.version, 'version');
        return exitCodes.ok;
      case 'program-help':
        write(renderProgramHelp(registry.filter(isListed), context.out.columns), 'help');
        return exitCodes.ok;
      case 'all-help':
        context.out.write(renderAllHelp(registry.filter(isListed), context.out.columns));
        return exitCodes.ok;
      case 'topic-help': {
        const listed = registry.filter(isListed);
        context.out.write(renderTopicHelp(asked.topic, listed, context.out.columns));
        return exitCodes.ok;
      }
      case 'group-help':
        write(renderGroupHelp(asked.word, asked.entries, context.out.columns), 'help');
        return exitCodes.ok;
      case 'command':
        return await runCommand(asked.entry, asked.words, context);
    }
  } catch (error) {
    const { reportError } = await import('./report-error.ts');
    return reportError(error, context, argv);
  }
}

async function runCommand(
  entry: RegistryEntry,
  words: readonly string[],
  context: CliContext,
): Promise<number> {
  const command = await entry.load();
  const input = parseInput(command, words);
  const wantsAll = input.options['help-all'] === true;
  if (!wantsAll && input.options['help'] !== true) {
    if (entry.forPeople === true) refuseInside(entry.path.join(' '), context);
    return command.run(input, context);
  }
  const options = allOptions(command).filter(({ advanced }) => wantsAll || advanced !== true);
  const help = renderCommandHelp(command, options, context.out.columns);
  context.out.write(input.options['json'] === true ? jsonOf({ help }) : help);
  return exitCodes.ok;
}

function jsonOf(result: Readonly<Record<string, string>>): string {
  return `${JSON.stringify({ ...result, exitCode: exitCodes.ok })}\n`;
}
