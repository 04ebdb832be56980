import { pruneMemory, type Pruned } from '../../engine/prune-memory.ts';
import type { Command } from '../command.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, wantsJson } from '../input.ts';
import { plural } from '../render/format.ts';

export const memoryPrune: Command = {
  path: ['memory', 'prune'],
  summary: 'Give up what is old: reports, metrics, unused learnings, files of old loops.',
  details:
    'The same happens at the end of every `run`. Learnings are kept as pruned and can come back with `memory edit --status active`. The ages are `memory.keep-…` in the configuration.',
  options: [{ name: 'dry-run', summary: 'Only say what would be given up.' }],
  examples: [
    { line: 'loopwright memory prune --dry-run', does: 'Says what is old enough to go.' },
    { line: 'loopwright memory prune', does: 'Gives it up now.' },
  ],

  async run(input, context) {
    await using opened = await context.open();
    const dryRun = isGiven(input, 'dry-run');
    const pruned = await pruneMemory(opened.engine, opened.config.settings, { dryRun });
    if (wantsJson(input)) context.out.write(`${JSON.stringify({ dryRun, ...pruned })}\n`);
    else context.out.write(`${dryRun ? 'would give up' : 'gave up'} ${describe(pruned)}\n`);
    return exitCodes.ok;
  },
};

function describe({ attempts, metrics, learnings, artifacts }: Pruned): string {
  const parts = [
    attempts === 0 ? null : plural(attempts, 'attempt'),
    metrics === 0 ? null : `metrics of ${plural(metrics, 'task')}`,
    learnings.length === 0 ? null : plural(learnings.length, 'learning'),
    artifacts.length === 0 ? null : `files of ${plural(artifacts.length, 'loop')}`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? 'nothing' : parts.join(', ');
}
