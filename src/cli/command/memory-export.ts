import { learningLine } from '../../protocol/learning.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, wantsJson } from '../input.ts';

export const memoryExport: Command = {
  path: ['memory', 'export'],
  summary: 'Print every learning as one JSON object per line.',
  details:
    '`memory import` reads this again, here (with `--restore`, as it was) or in another project. With `--json` it is one object with all of them.',
  options: [{ name: 'all', summary: 'Pruned and replaced ones too.' }],
  examples: [
    { line: 'loopwright memory export --all > copy.jsonl', does: 'Keeps a copy of everything.' },
    {
      line: 'loopwright memory export --all | jq .content',
      does: 'Reads everything that was ever learned.',
    },
  ],

  async run(input, context) {
    await using opened = await context.open({ onlyReads: true });
    const learnings = await opened.engine.store.read((tx) =>
      tx.learnings.list(
        isGiven(input, 'all') ? {} : { statuses: ['active', 'candidate', 'demoted'] },
      ),
    );
    if (wantsJson(input)) {
      const result = {
        learnings: learnings.toReversed().map(learningLine),
        exitCode: exitCodes.ok,
      };
      context.out.write(`${JSON.stringify(result)}\n`);
      return exitCodes.ok;
    }
    for (const learning of learnings.toReversed()) {
      context.out.write(`${JSON.stringify(learningLine(learning))}\n`);
    }
    return exitCodes.ok;
  },
};
