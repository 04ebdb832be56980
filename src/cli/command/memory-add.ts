import { LoopwrightError } from '../../core/error.ts';
import { namedPaths, type Learning } from '../../core/memory/learning.ts';
import { freeId } from '../../engine/free-id.ts';
import { redactText } from '../../protocol/redact-text.ts';
import { scopeOf } from '../../engine/task-scope.ts';
import type { NewLearning } from '../../ports/memory.ts';
import type { StoreTx } from '../../ports/store.ts';
import { learningLine } from '../../protocol/learning.ts';
import { callingLoop, type CallingLoop } from '../calling-loop.ts';
import type { Command } from '../command.ts';
import type { OpenOptions } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { option, requiredArgument, usageError, wantsJson } from '../input.ts';
import { checkedContent, readCategory, readTags } from './memory-view.ts';

export const memoryAdd: Command = {
  path: ['memory', 'add'],
  summary: 'Teach something yourself; it is active at once.',
  details:
    'Secrets are taken out before anything is stored. Called inside a loop, by its agent for instance, it makes a candidate of that loop.',
  args: [
    { name: 'TEXT', summary: 'One to three sentences; `-` reads standard input.', required: true },
  ],
  options: [
    { name: 'category', value: 'NAME', summary: 'What kind it is; `other` when left out.' },
    { name: 'tags', value: 'A,B', summary: 'Files, tools and topics it is about.' },
  ],
  examples: [
    {
      line: 'loopwright memory add "Run npm run gen before the tests." --tags "npm, codegen"',
      does: 'Tells every later task that it fits.',
    },
  ],

  async run(input, context) {
    const given = requiredArgument(input, 'TEXT');
    const text = given === '-' ? await context.readStdin() : given;
    const clean = redactText(context.env);
    const content = checkedContent(text, clean);
    const tags = readTags(option(input, 'tags'), clean) ?? [];
    const category = readCategory(option(input, 'category'), clean) ?? 'other';
    const caller = callingLoop(context);
    await using opened = await context.open(placeOf(caller));
    const { engine } = opened;
    const learning = await engine.store.write(async (tx) => {
      const teacher = caller === null ? byPerson : await byLoop(tx, caller);
      const same = await tx.learnings.findSame(category, content);
      if (same !== null) throw usageError(`${same} says exactly this`);
      const id = await freeId(engine, tx);
      await tx.learnings.add({
        id,
        category,
        content,
        tags,
        paths: namedPaths(content, ...tags),
        ...teacher,
        createdAt: engine.clock.now(),
      });
      return tx.learnings.resolve(id);
    });
    if (engine.project.kind === 'folder') {
      context.err.write(`no git repository here: it is kept in ${opened.engine.stateDir}\n`);
    }
    if (wantsJson(input)) context.out.write(`${JSON.stringify(learningLine(learning))}\n`);
    else context.out.write(`${learning.id} is ${statusText(learning)}\n`);
    return exitCodes.ok;
  },
};

/** Who teaches, and what that makes of the learning. */
type Teacher = Omit<NewLearning, 'id' | 'category' | 'content' | 'tags' | 'createdAt'>;

const byPerson: Teacher = { origin: 'person', status: 'active', byHand: true };
const maxTaught = 100;

/** What an agent teaches this way is its loop's, as if its final message said it: checks of other loops confirm it. */
async function byLoop(tx: StoreTx, { id }: CallingLoop): Promise<Teacher> {
  const loop = await tx.loops.get(id);
  if (loop === null) {
    throw new LoopwrightError('loop.not_found', `this is inside ${id}, which is no loop here`, {
      hint: 'an agent teaches with <learning> in its final message',
    });
  }
  if ((await tx.learnings.list({ loopId: id, limit: maxTaught })).length === maxTaught) {
    throw usageError(`${id} has taught ${maxTaught} learnings already`);
  }
  const { taskId } = loop;
  const iteration = loop.iterations.at(-1)?.number ?? null;
  return { origin: 'agent', loopId: id, taskId, iteration, scope: await scopeOf(tx, taskId) };
}

function placeOf(caller: CallingLoop | null): OpenOptions {
  return caller?.root === undefined || caller.root === null ? {} : { cwd: caller.root };
}

function statusText({ status, loopId }: Learning): string {
  return loopId === null ? status : `a ${status} that ${loopId} taught`;
}
