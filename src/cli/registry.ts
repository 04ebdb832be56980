import type { RegistryEntry } from './registry/entry.ts';
import { startCommands } from './registry/start.ts';
import { workCommands } from './registry/work.ts';
import { tasksCommands } from './registry/tasks.ts';
import { loopsCommands } from './registry/loops.ts';
import { memoryCommands } from './registry/memory.ts';
import { setupCommands } from './registry/setup.ts';
import { moreCommands } from './registry/more.ts';

/** Every command, in the order of the help. */
export const registry: readonly RegistryEntry[] = [
  ...startCommands,
  ...workCommands,
  ...tasksCommands,
  ...loopsCommands,
  ...memoryCommands,
  ...setupCommands,
  ...moreCommands,
];
