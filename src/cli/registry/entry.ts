import type { Command } from '../command.ts';
import type { HelpEntry } from '../help.ts';

/** A command as a line in lists; its definition is loaded only when it is used, so that start-up stays fast. */
export type RegistryEntry = HelpEntry & {
  /** Not listed. */
  readonly hidden?: boolean;
  /** Refused inside a loop. */
  readonly forPeople?: boolean;
  load(): Promise<Command>;
};
