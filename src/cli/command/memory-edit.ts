import { learningStatuses, namedPaths, type Learning } from '../../core/memory/learning.ts';
import { redactText } from '../../engine/redact-text.ts';
import type { LearningChange } from '../../ports/memory.ts';
import { learningLine } from '../../protocol/learning.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { option, requiredArgument, usageError, wantsJson } from '../input.ts';
import { checkedContent, learningArgument, readCategory, readTags } from './memory-view.ts';

export const memoryEdit: Command = {
  path: ['memory', 'edit'],
  summary: 'Correct a learning, confirm it, or take it out of use.',
  details: 'A status you give stays: votes of checks no longer change it.',
  args: [learningArgument],
  options: [
    { name: 'content', value: 'TEXT', summary: 'Another text.' },
    { name: 'category', value: 'NAME', summary: 'Another category.' },
    { name: 'tags', value: 'A,B', summary: 'Other tags.' },
    {
      name: 'status',
      value: 'STATUS',
      choices: learningStatuses,
      summary: 'Confirm it (active), or take it out of use (demoted, pruned).',
    },
  ],
  examples: [
    { line: 'loopwright memory edit l-1a2b3c --status active', does: 'Confirms a candidate.' },
    { line: 'loopwright memory edit l-1a2b3c --status demoted', does: 'No agent sees it again.' },
  ],

  async run(input, context) {
    if (Object.keys(input.options).every((name) => name === 'json')) {
      throw usageError('nothing to change was given', 'see `loopwright memory edit --help`');
    }
    await using opened = await context.open();
    const { engine } = opened;
    const learning = await engine.store.write(async (tx) => {
      const before = await tx.learnings.resolve(requiredArgument(input, 'LEARNING'));
      const change = changeOf(input, before, context, engine.clock.now());
      await tx.learnings.edit(before.id, change);
      return tx.learnings.resolve(before.id);
    });
    if (wantsJson(input)) context.out.write(`${JSON.stringify(learningLine(learning))}\n`);
    else context.out.write(`${learning.id} is ${learning.status}\n`);
    return exitCodes.ok;
  },
};

function changeOf(
  input: CommandInput,
  before: Learning,
  { env }: CliContext,
  now: number,
): LearningChange {
  const clean = redactText(env);
  const text = option(input, 'content');
  const content = text === null ? before.content : checkedContent(text, clean);
  const tags = readTags(option(input, 'tags'), clean) ?? before.tags;
  const category = readCategory(option(input, 'category'), clean) ?? before.category;
  const status = learningStatuses.find((each) => each === option(input, 'status'));
  return {
    content,
    tags,
    category,
    paths: namedPaths(content, ...tags),
    ...(status === undefined
      ? {}
      : { status, byHand: true, prunedAt: status === 'pruned' ? now : null }),
  };
}
