import type { ProposedPart } from '../../core/task/decomposition.ts';
import type { Task } from '../../core/task/task.ts';
import { plainText } from '../../core/text/terminal.ts';
import { insertParts, proposeParts } from '../../engine/decompose-task.ts';
import type { Command } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, option, requiredArgument, wantsJson } from '../input.ts';
import { createPaint } from '../render/paint.ts';
import { oneLine } from '../render/story-line.ts';
import { wrap } from '../render/wrap.ts';
import { refuseRunning } from './task-by-hand.ts';
import { taskArgument, taskJson } from './task-view.ts';

export const taskDecompose: Command = {
  path: ['task', 'decompose'],
  summary: 'Let an agent split a task into smaller ones.',
  details:
    'Asks the configured agent for 3 to 7 parts, shows them, and stores them under the task, all or none. The agent sees the repository and what earlier attempts reported, works in a worktree of its own that is removed again, and cannot say how its parts are verified: give them a validation with `task edit --validate` where the project’s own does not fit.',
  args: [taskArgument],
  options: [
    { name: 'dry-run', summary: 'Only show the proposal.' },
    { name: 'agent', value: 'AGENT', summary: 'The agent to ask; the configured one if left out.' },
    { name: 'model', value: 'MODEL', summary: 'Its model.' },
  ],
  examples: [
    { line: 'loopwright task decompose t-1a2b3c4d', does: 'Splits a task that is stuck.' },
    {
      line: 'loopwright task decompose t-1a2b3c4d --dry-run',
      does: 'Shows what would be made of it.',
    },
  ],

  async run(input, context) {
    const flags = Object.fromEntries(
      ['agent', 'model'].flatMap((name) => {
        const value = option(input, name);
        return value === null ? [] : [[name, value]];
      }),
    );
    await using opened = await context.open({ flags });
    const { engine } = opened;
    const reference = requiredArgument(input, 'TASK');
    const task = await engine.store.read((tx) => tx.tasks.resolve(reference));
    await refuseRunning(engine, task);
    const { settings } = await opened.planFor(task, false);
    const asked = new AbortController();
    using _signals = context.onSignal(() => asked.abort());
    const show = ({ text }: { readonly text: string }) =>
      context.err.write(`  ${oneLine(plainText(text))}\n`);
    const parts = await proposeParts(engine, task, settings, show, asked.signal);
    if (!wantsJson(input)) context.out.write(render(task, parts, context));
    const dryRun = isGiven(input, 'dry-run');
    const added = dryRun ? [] : await insertParts(engine, task, parts);
    if (wantsJson(input)) {
      const result = { task: task.id, dryRun, parts, added: added.map(taskJson) };
      context.out.write(`${JSON.stringify(result)}\n`);
    } else if (!dryRun) {
      context.out.write(`stored as ${added.map(({ id }) => id).join(', ')}\n`);
      context.err.write('next: loopwright run\n');
    }
    return exitCodes.ok;
  },
};

function render(task: Task, parts: readonly ProposedPart[], { out }: CliContext): string {
  const paint = createPaint(out.hasColour);
  const width = Math.min(out.columns, 100);
  const lines = parts.flatMap(({ title, description, after }, index) => {
    const first = after.length === 0 ? '' : paint('dim', ` (after ${after.join(', ')})`);
    const text = description === '' ? [] : [wrap(description, width, '     ', '     ')];
    return [`  ${index + 1}. ${paint('bold', title)}${first}`, ...text];
  });
  return `${task.id} ${plainText(task.title)} becomes\n${lines.join('\n')}\n`;
}
