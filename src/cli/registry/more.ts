import type { RegistryEntry } from './entry.ts';

const group = 'More';

/** For scripts, shells and the curious. */
export const moreCommands: readonly RegistryEntry[] = [
  {
    path: ['prompt', 'render'],
    summary: 'Print the prompt the next iteration of a task would get.',
    group,
    load: async () => (await import('../command/prompt-render.ts')).promptRender,
  },
  {
    path: ['parse', 'tests'],
    summary: 'Read the output of a test runner, or a report, and print what it says.',
    group,
    load: async () => (await import('../command/parse-tests.ts')).parseTestsCommand,
  },
  {
    path: ['parse', 'sigils'],
    summary: "Read the tags of an agent's final message and print what they say.",
    group,
    load: async () => (await import('../command/parse-sigils.ts')).parseSigilsCommand,
  },
  {
    path: ['completion'],
    summary: 'Print the completion script of a shell.',
    group,
    load: async () => (await import('../command/completion.ts')).completion,
  },
  {
    path: ['__complete'],
    summary: 'Answer the completion script of a shell.',
    group,
    hidden: true,
    load: async () => (await import('../command/complete-words.ts')).completeWords,
  },
];
