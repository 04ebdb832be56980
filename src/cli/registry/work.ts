import type { RegistryEntry } from './entry.ts';

const group = 'Work';

/** Running work and steering it. */
export const workCommands: readonly RegistryEntry[] = [
  {
    path: ['run'],
    summary: 'Run a task, or everything that is ready, until it is verifiably done.',
    group,
    firstDay: true,
    load: async () => (await import('../command/run.ts')).run,
  },
  {
    path: ['status'],
    summary: 'Show what runs, what waits, what needs you and what is next.',
    group,
    firstDay: true,
    load: async () => (await import('../command/status.ts')).status,
  },
  {
    path: ['approve'],
    summary:
      'Say yes to a loop: to its approval gate, to what it changed of its judge, or to it as unproven.',
    group,
    load: async () => (await import('../command/approve.ts')).approve,
  },
  {
    path: ['reject'],
    summary: 'Send the work of a loop that waits for an approval back.',
    group,
    load: async () => (await import('../command/reject.ts')).reject,
  },
  {
    path: ['merge'],
    summary: 'Bring the branch of a complete loop into its base.',
    group,
    firstDay: true,
    load: async () => (await import('../command/merge.ts')).merge,
  },
  {
    path: ['daemon', 'start'],
    summary: 'Work in the background: go on with interrupted loops, run what is ready.',
    group,
    load: async () => (await import('../command/daemon-start.ts')).daemonStart,
  },
  {
    path: ['daemon', 'stop'],
    summary: 'End the daemon when its iterations have ended, or now.',
    group,
    load: async () => (await import('../command/daemon-stop.ts')).daemonStop,
  },
  {
    path: ['daemon', 'status'],
    summary: 'Show what the daemon drives and where it answers.',
    group,
    load: async () => (await import('../command/daemon-status.ts')).daemonStatus,
  },
  {
    path: ['guide'],
    summary: 'Add guidance to every later prompt of a task.',
    group,
    load: async () => (await import('../command/guide.ts')).guide,
  },
];
