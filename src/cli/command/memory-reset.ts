import { LoopwrightError } from '../../core/error.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';

export const memoryReset: Command = {
  path: ['memory', 'reset'],
  summary: 'Forget everything: learnings, attempts, reports, metrics.',
  details:
    'Tasks, loops and their logs stay. What is deleted is gone; `memory export --all` first keeps a copy.',
  options: [{ name: 'yes', summary: 'Really do it.' }],
  examples: [
    {
      line: 'loopwright memory export --all > old.jsonl && loopwright memory reset --yes',
      does: 'Starts with an empty memory.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const { store } = opened.engine;
    const counts = await store.read((tx) => tx.learnings.countByStatus());
    const known = Object.values(counts).reduce((sum, count) => sum + count, 0);
    if (!isGiven(input, 'yes')) {
      throw new LoopwrightError(
        'memory.not_confirmed',
        `this would delete ${plural(known, 'learning')} and every record of attempts`,
        { hint: 'say --yes to do it; `loopwright memory export` keeps a copy first' },
      );
    }
    const result = await store.write(async (tx) => {
      for (const { id } of await tx.learnings.list({})) await tx.learnings.delete(id);
      return { learnings: known, attempts: await tx.attempts.clear() };
    });
    if (wantsJson(input)) context.out.write(`${JSON.stringify(result)}\n`);
    else {
      const { learnings, attempts } = result;
      context.out.write(
        `forgot ${plural(learnings, 'learning')}, ${plural(attempts, 'attempt')}\n`,
      );
    }
    return exitCodes.ok;
  },
};
