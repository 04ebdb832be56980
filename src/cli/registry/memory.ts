import type { RegistryEntry } from './entry.ts';

const group = 'Memory';

/** What was learned. */
export const memoryCommands: readonly RegistryEntry[] = [
  {
    path: ['memory', 'list'],
    summary: 'List what was learned, newest first.',
    group,
    load: async () => (await import('../command/memory-list.ts')).memoryList,
  },
  {
    path: ['memory', 'show'],
    summary: 'Show one learning: where it comes from and how it did.',
    group,
    load: async () => (await import('../command/memory-show.ts')).memoryShow,
  },
  {
    path: ['memory', 'search'],
    summary: 'Find the learnings that are likely to help with a task.',
    group,
    load: async () => (await import('../command/memory-search.ts')).memorySearch,
  },
  {
    path: ['memory', 'journal'],
    summary: 'List how attempts at all tasks went, newest first.',
    group,
    load: async () => (await import('../command/memory-journal.ts')).memoryJournal,
  },
  {
    path: ['memory', 'stats'],
    summary: 'Show how much learnings help, measured against iterations they were withheld from.',
    group,
    load: async () => (await import('../command/memory-stats.ts')).memoryStats,
  },
  {
    path: ['memory', 'add'],
    summary: 'Teach something yourself; it is active at once.',
    group,
    load: async () => (await import('../command/memory-add.ts')).memoryAdd,
  },
  {
    path: ['memory', 'edit'],
    summary: 'Correct a learning, confirm it, or take it out of use.',
    group,
    forPeople: true,
    load: async () => (await import('../command/memory-edit.ts')).memoryEdit,
  },
  {
    path: ['memory', 'import'],
    summary: 'Read learnings from a file of JSON lines.',
    group,
    forPeople: true,
    load: async () => (await import('../command/memory-import.ts')).memoryImport,
  },
  {
    path: ['memory', 'export'],
    summary: 'Print every learning as one JSON object per line.',
    group,
    load: async () => (await import('../command/memory-export.ts')).memoryExport,
  },
  {
    path: ['memory', 'prune'],
    summary: 'Give up what is old: reports, metrics, unused learnings, files of old loops.',
    group,
    forPeople: true,
    load: async () => (await import('../command/memory-prune.ts')).memoryPrune,
  },
  {
    path: ['memory', 'forget'],
    summary: 'Take back everything one loop taught.',
    group,
    forPeople: true,
    load: async () => (await import('../command/memory-forget.ts')).memoryForget,
  },
  {
    path: ['memory', 'reset'],
    summary: 'Forget everything: learnings, attempts, reports, metrics.',
    group,
    forPeople: true,
    load: async () => (await import('../command/memory-reset.ts')).memoryReset,
  },
];
