import { forgetLoop, type Forgotten } from '../../engine/forget-loop.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { option, usageError, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';
import { resolveLoop } from '../resolve-loop.ts';

export const memoryForget: Command = {
  path: ['memory', 'forget'],
  summary: 'Take back everything one loop taught.',
  details:
    'Deletes its learnings and failure reports, undoes merges they went into, and takes back the votes its checks cast on other learnings, what it told later tasks about its own, and what similar tasks take from it for their model. Outcomes and cost stay. For a loop that was deleted give its whole id.',
  options: [{ name: 'loop', value: 'LOOP', summary: 'The loop.', completes: 'loops' }],
  examples: [
    {
      line: 'loopwright memory forget --loop loop-1a2b3c4d',
      does: 'As if it had never taught anything.',
    },
  ],

  async run(input, context) {
    const reference = option(input, 'loop');
    if (reference === null) throw usageError('which loop? give --loop LOOP');
    await using opened = await context.open();
    const { engine } = opened;
    const isWhole = /^loop-[0-9a-f]{8}$/.test(reference);
    const loopId = isWhole ? reference : (await resolveLoop(engine, reference)).id;
    const { 'demote-after': demoteAfter } = opened.config.settings.memory;
    const forgotten = await engine.store.write((tx) =>
      forgetLoop(tx, loopId, { demoteAfter, now: engine.clock.now() }),
    );
    if (wantsJson(input)) {
      context.out.write(`${JSON.stringify({ loop: loopId, ...forgotten })}\n`);
      return exitCodes.ok;
    }
    context.out.write(`forgot what ${loopId} taught: ${describe(forgotten)}\n`);
    return exitCodes.ok;
  },
};

function describe({ learnings, reports, votes, summary, estimate }: Forgotten): string {
  return [
    plural(learnings.length, 'learning'),
    plural(reports, 'failure report'),
    plural(votes, 'vote'),
    ...(summary ? ['its summary'] : []),
    ...(estimate ? ['difficulty and model of its task'] : []),
  ].join(', ');
}
