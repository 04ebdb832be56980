import { learningStatuses, namedPaths, type Learning } from '../../core/memory/learning.ts';
import { redactText } from '../../protocol/redact-text.ts';
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
    { name: 'tags', value: 'A,B', summary: 'Other tags; `""` takes all away.' },
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
    const { learning, changed } = await engine.store.write(async (tx) => {
      const before = await tx.learnings.resolve(requiredArgument(input, 'LEARNING'));
      const change = changeOf(input, before, context, engine.clock.now());
      await tx.learnings.edit(before.id, change);
      const after = await tx.learnings.resolve(before.id);
      return { learning: after, changed: changesBetween(before, after) };
    });
    if (wantsJson(input)) context.out.write(`${JSON.stringify(learningLine(learning))}\n`);
    else context.out.write(`${learning.id} is ${learning.status}; ${changed}\n`);
    return exitCodes.ok;
  },
};

const fields = ['content', 'category', 'tags', 'status'] as const;

function changesBetween(before: Learning, after: Learning): string {
  const names = fields.filter((name) => String(before[name]) !== String(after[name]));
  if (names.length > 0) return `changed: ${names.join(', ')}`;
  return before.byHand === after.byHand ? 'nothing changed' : 'confirmed by hand';
}

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
