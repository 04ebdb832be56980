import { restoreBranch } from '../../engine/restored-branch.ts';
import { findRestorePoint, loopCheckpoints } from '../checkpoints.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { option, requiredArgument, wantsJson } from '../input.ts';
import { loopArgument, resolveLoop } from '../resolve-loop.ts';

export const loopRestore: Command = {
  path: ['loop', 'restore'],
  summary: 'Make a new branch from the state after an iteration.',
  details: 'Neither the loop nor your checkout is touched.',
  args: [
    loopArgument,
    { name: 'POINT', summary: 'Number of an iteration, or a commit of the loop.', required: true },
  ],
  options: [
    {
      name: 'branch',
      value: 'NAME',
      summary: 'Name of the new branch; restored/LOOP-N if left out.',
    },
  ],
  examples: [
    {
      line: 'loopwright loop restore last 2',
      does: 'Makes a branch with the files after iteration 2.',
    },
    { line: 'loopwright loop restore loop-1a2b 9f3c --branch try', does: 'Makes the branch try.' },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const loop = await resolveLoop(opened.engine, requiredArgument(input, 'LOOP'));
    const wanted = requiredArgument(input, 'POINT');
    const point = findRestorePoint(loop, await loopCheckpoints(opened.project, loop), wanted);
    const suffix = point.iteration === null ? point.commit.slice(0, 8) : String(point.iteration);
    const branch = option(input, 'branch') ?? `restored/${loop.id}-${suffix}`;
    await restoreBranch(opened.engine, branch, point.commit, AbortSignal.timeout(60_000));
    if (wantsJson(input)) {
      const result = { loop: loop.id, branch, ...point, exitCode: exitCodes.ok };
      context.out.write(`${JSON.stringify(result)}\n`);
      return exitCodes.ok;
    }
    context.out.write(
      `${branch} is made at ${point.commit.slice(0, 12)}\nnext: git switch ${branch}\n`,
    );
    return exitCodes.ok;
  },
};
