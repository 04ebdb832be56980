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
  try {
    const asked = findCommand(registry, argv);
    switch (asked.kind) {
      case 'version':
        context.out.write(`${context.version}\n`);
        return exitCodes.ok;
      case 'program-help':
        context.out.write(renderProgramHelp(registry.filter(isListed), context.out.columns));
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
        context.out.write(renderGroupHelp(asked.word, asked.entries, context.out.columns));
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
  context.out.write(renderCommandHelp(command, options, context.out.columns));
  return exitCodes.ok;
}
