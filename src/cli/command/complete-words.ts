import { access } from 'node:fs/promises';
import path from 'node:path';
import type { Command } from '../command.ts';
import { complete } from '../complete.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { variadicArgument } from '../input.ts';
import { ownStateDir } from '../own-state-dir.ts';
import { registry } from '../registry.ts';

const offered = 200;

export const completeWords: Command = {
  path: ['__complete'],
  summary: 'Answer the completion script of a shell.',
  args: [
    { name: 'WORDS', summary: 'The words behind loopwright.', required: false, variadic: true },
  ],
  examples: [{ line: 'loopwright __complete -- loop sh', does: 'Prints `show`.' }],

  async run(input, context) {
    const words = variadicArgument(input, 'WORDS');
    const offer = await complete(registry, words);
    const last = words.at(-1) ?? '';
    const found = offer.kind === 'words' ? offer.words : await lookUp(context, offer.kind, last);
    if (found.length > 0) context.out.write(`${found.join('\n')}\n`);
    return exitCodes.ok;
  },
};

/** Ids from the store of this project, if it has one: completing a word never makes a state folder. */
async function lookUp(
  context: CliContext,
  kind: 'tasks' | 'loops' | 'files',
  last: string,
): Promise<readonly string[]> {
  if (kind === 'files') return [':files'];
  const state = ownStateDir(context);
  if (state === null || !(await exists(path.join(state, 'state.db')))) return [];
  await using opened = await context.open({ isTransient: true, onlyReads: true });
  const ids = await opened.engine.store.read(async (tx) => {
    const tasks = (await tx.tasks.list({})).map(({ id }) => id).toReversed();
    if (kind === 'tasks') return tasks;
    const loops = (await tx.loops.list({ limit: offered })).map(({ id }) => id);
    return ['last', ...loops, ...tasks];
  });
  return ids.filter((id) => id.startsWith(last)).slice(0, offered);
}

function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
