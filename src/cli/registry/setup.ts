import type { RegistryEntry } from './entry.ts';

const group = 'Setup';

/** The machine, the configuration, the agents. */
export const setupCommands: readonly RegistryEntry[] = [
  {
    path: ['config', 'show'],
    summary: 'Show every setting with its value, and where it comes from.',
    group,
    load: async () => (await import('../command/config-show.ts')).configShow,
  },
  {
    path: ['config', 'get'],
    summary: 'Print the value of one key.',
    group,
    load: async () => (await import('../command/config-get.ts')).configGet,
  },
  {
    path: ['config', 'validate'],
    summary: 'Check the configuration and name every mistake with its place.',
    group,
    load: async () => (await import('../command/config-validate.ts')).configValidate,
  },
  {
    path: ['config', 'schema'],
    summary: 'Print the JSON Schema of loopwright.yml, for editors.',
    group,
    load: async () => (await import('../command/config-schema.ts')).configSchema,
  },
  {
    path: ['agents', 'check'],
    summary: 'Try an agent out: whether it starts, streams, edits, stops and leaves nothing.',
    group,
    load: async () => (await import('../command/agents-check.ts')).agentsCheck,
  },
  {
    path: ['agents', 'list'],
    summary: 'Show which agents are installed and configured, and how to use them.',
    group,
    load: async () => (await import('../command/agents-list.ts')).agentsList,
  },
  {
    path: ['judge'],
    summary: 'List the files that decide the result of the checks, and why.',
    group,
    load: async () => (await import('../command/judge.ts')).judge,
  },
  {
    path: ['doctor'],
    summary: 'Check machine, repository, configuration, store and leftovers.',
    group,
    load: async () => (await import('../command/doctor.ts')).doctor,
  },
];
