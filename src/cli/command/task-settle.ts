import { plainText } from '../../core/text/terminal.ts';
import type { Argument, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { variadicArgument, wantsJson } from '../input.ts';
import { createPaint, type Paint } from '../render/paint.ts';
import { changeByHand, type ByHand, type Changed } from './task-by-hand.ts';
import { taskArgument, taskJson, taskStyle } from './task-view.ts';

export const tasksArgument: Argument = { ...taskArgument, variadic: true };

/** Sets the status of tasks by hand, one after the other; the first that is refused ends it. */
export async function settleTasks(
  input: CommandInput,
  context: CliContext,
  change: ByHand,
): Promise<number> {
  await using opened = await context.open();
  const paint = createPaint(context.out.hasColour);
  const all: Changed[] = [];
  for (const reference of variadicArgument(input, 'TASK')) {
    const changed = await changeByHand(opened, reference, change);
    all.push(changed);
    if (!wantsJson(input)) context.out.write(renderChanged(changed, paint));
  }
  if (wantsJson(input)) {
    const tasks = all.map(({ task, before, stopped }) => ({
      ...taskJson(task),
      before,
      stoppedLoops: stopped,
    }));
    context.out.write(`${JSON.stringify({ tasks })}\n`);
  }
  return exitCodes.ok;
}

function renderChanged({ task, before, stopped }: Changed, paint: Paint): string {
  const status = paint(taskStyle(task.status), task.status);
  const note = before === task.status ? 'as before' : `was ${before}`;
  const loops = stopped.length === 0 ? '' : `; stopped ${stopped.join(', ')}`;
  return `${paint('bold', task.id)}  ${plainText(task.title)}: ${status} ${paint('dim', `(${note}${loops})`)}\n`;
}
