import { recordedLine } from '../../protocol/event-line.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { follow, storedEvents } from '../follow.ts';
import { argument, isGiven, numberOption, repeatedOption } from '../input.ts';
import { optionalLoopArgument, resolveLoop } from '../resolve-loop.ts';

export const events: Command = {
  path: ['events'],
  summary: 'Print the events of a loop as one JSON object per line.',
  args: [optionalLoopArgument],
  options: [
    { name: 'since', value: 'SEQ', summary: 'Only events after this sequence number.' },
    {
      name: 'type',
      value: 'TYPE',
      repeatable: true,
      summary: 'Only events of this type, such as `loop.rested`; may be repeated.',
    },
    { name: 'follow', short: 'f', summary: 'Go on until the loop rests.' },
    { name: 'json', summary: 'The same: events are always JSON.' },
  ],
  examples: [
    { line: 'loopwright events last', does: 'Prints everything that happened.' },
    {
      line: 'loopwright events loop-1a2b --since 40 --follow',
      does: 'Prints what is new and waits for more.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const { engine } = opened;
    const { id } = await resolveLoop(engine, argument(input, 'LOOP'));
    const types = repeatedOption(input, 'type');
    let since = numberOption(input, 'since') ?? 0;
    const printNew = async () => {
      for await (const recorded of storedEvents(engine, id, since)) {
        if (types.length === 0 || types.includes(recorded.event.type)) {
          context.out.write(`${JSON.stringify(recordedLine(id, recorded))}\n`);
        }
        since = recorded.seq;
      }
    };
    if (!isGiven(input, 'follow')) await printNew();
    else await follow(opened, id, [], printNew);
    return exitCodes.ok;
  },
};
