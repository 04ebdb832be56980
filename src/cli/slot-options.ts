import type { Opened } from '../daemon/compose.ts';
import type { RunOptions } from '../engine/run-loops.ts';
import type { CommandInput } from './command.ts';
import { option } from './input.ts';

/** Slots that the command line names itself: they win over what `--jobs` implies. */
export function slotOptions(
  input: CommandInput,
  { config }: Pick<Opened, 'config'>,
): Pick<RunOptions, 'maxLoops' | 'maxAgents'> {
  const { scheduler } = config.settings;
  return {
    ...(option(input, 'max-loops') === null ? {} : { maxLoops: scheduler['max-loops'] }),
    ...(option(input, 'max-agents') === null ? {} : { maxAgents: scheduler['max-agents'] }),
  };
}
