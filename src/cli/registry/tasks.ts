import type { RegistryEntry } from './entry.ts';

const group = 'Tasks';

/** What is to be done. */
export const tasksCommands: readonly RegistryEntry[] = [
  {
    path: ['task', 'add'],
    summary: 'Write down a task.',
    group,
    load: async () => (await import('../command/task-add.ts')).taskAdd,
  },
  {
    path: ['task', 'list'],
    summary: 'List tasks with status, priority and what they wait for.',
    group,
    load: async () => (await import('../command/task-list.ts')).taskList,
  },
  {
    path: ['task', 'show'],
    summary: 'Show everything about one task: text, dependencies, loops, log.',
    group,
    load: async () => (await import('../command/task-show.ts')).taskShow,
  },
  {
    path: ['task', 'tree'],
    summary: 'Show tasks as a tree with their status.',
    group,
    load: async () => (await import('../command/task-tree.ts')).taskTree,
  },
  {
    path: ['task', 'next'],
    summary: 'Show which task would be started next, and why others wait.',
    group,
    load: async () => (await import('../command/task-next.ts')).taskNext,
  },
  {
    path: ['task', 'edit'],
    summary: 'Change the fields of a task.',
    group,
    load: async () => (await import('../command/task-edit.ts')).taskEdit,
  },
  {
    path: ['task', 'deps'],
    summary: 'Show or change what a task comes after.',
    group,
    load: async () => (await import('../command/task-deps.ts')).taskDeps,
  },
  {
    path: ['task', 'done'],
    summary: 'Say that a task is done, without a loop.',
    group,
    load: async () => (await import('../command/task-done.ts')).taskDone,
  },
  {
    path: ['task', 'fail'],
    summary: 'Give up on a task that was begun.',
    group,
    load: async () => (await import('../command/task-fail.ts')).taskFail,
  },
  {
    path: ['task', 'reset'],
    summary: 'Open a task again, for another loop.',
    group,
    load: async () => (await import('../command/task-reset.ts')).taskReset,
  },
  {
    path: ['task', 'delete'],
    summary: 'Remove a task with its parts, its loops and their branches.',
    group,
    load: async () => (await import('../command/task-delete.ts')).taskDelete,
  },
  {
    path: ['task', 'decompose'],
    summary: 'Let an agent split a task into smaller ones.',
    group,
    load: async () => (await import('../command/task-decompose.ts')).taskDecompose,
  },
  {
    path: ['task', 'import'],
    summary: 'Read tasks from a Markdown checklist, JSON, YAML, prd.json or beads.',
    group,
    load: async () => (await import('../command/task-import.ts')).taskImport,
  },
  {
    path: ['task', 'export'],
    summary: 'Print every task as Markdown, JSON, YAML or beads.',
    group,
    load: async () => (await import('../command/task-export.ts')).taskExport,
  },
];
