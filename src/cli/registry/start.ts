import type { RegistryEntry } from './entry.ts';

const group = 'Start';

/** First steps. */
export const startCommands: readonly RegistryEntry[] = [
  {
    path: ['demo'],
    summary: 'Watch one real loop in a sample repository; no key, no network.',
    group,
    firstDay: true,
    load: async () => (await import('../command/demo.ts')).demo,
  },
  {
    path: ['init'],
    summary: 'Look at this repository and write a loopwright.yml for it.',
    group,
    firstDay: true,
    load: async () => (await import('../command/init.ts')).init,
  },
];
