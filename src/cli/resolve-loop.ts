import { isSelector, parseSelector } from '../core/coordinate/selector.ts';
import { LoopwrightError, isLoopwrightError } from '../core/error.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { FoldedLoop, LoopRow, StoreTx } from '../ports/store.ts';
import type { Engine } from '../engine/engine.ts';
import { differenceText, logChanged } from '../engine/folded-loop.ts';
import { selectLoops } from '../engine/select-loops.ts';
import type { Argument } from './command.ts';
import type { CliContext } from './context.ts';
import { oneLine } from './render/story-line.ts';

/** The argument of every command that is about a loop. */
export const loopArgument: Argument = {
  name: 'LOOP',
  summary: 'A loop id or its beginning, a task (its newest loop), or `last`.',
  required: true,
  completes: 'loops',
};

/** The same for commands that several loops can be given to. */
export const loopsArgument: Argument = {
  ...loopArgument,
  summary: `${loopArgument.summary} Or a selector: \`all\`, \`status:blocked\`, \`type:NAME\`, \`children:LOOP\`.`,
};

/** The same, where the newest loop is meant when it is left out. */
export const optionalLoopArgument: Argument = {
  ...loopArgument,
  summary: `${loopArgument.summary} Without it: the last one.`,
  required: false,
};

/** The loop a person means. Throws `loop.ambiguous` with the candidates, or `loop.not_found`. */
export async function resolveLoop(engine: Engine, reference: string | null): Promise<Loop> {
  return engine.store.read(async (tx) => {
    const id = await findLoopId(tx, reference?.trim() ?? 'last');
    const loop = await tx.loops.get(id);
    if (loop === null) throw noLoop(id);
    return loop;
  });
}

/** The same for commands that show or change a verdict: as the log tells it, and said when the projection does not. */
export async function resolveRecorded(
  engine: Engine,
  reference: string | null,
  { err }: Pick<CliContext, 'err'>,
): Promise<Loop> {
  const { loop, brokenAt, differs } = await resolveFolded(engine, reference);
  if (brokenAt !== null) throw logChanged(loop.id, brokenAt);
  if (differs.length > 0) err.write(`warning: ${differenceText(loop.id, differs)}\n`);
  return loop;
}

/** With a log that was changed it is what the part before that says. */
export async function resolveFolded(
  engine: Engine,
  reference: string | null,
): Promise<FoldedLoop & { readonly loop: Loop }> {
  return engine.store.read(async (tx) => {
    const id = await findLoopId(tx, reference?.trim() ?? 'last');
    const folded = await tx.loops.folded(id);
    if (folded === null) throw noLoop(id);
    const { loop, brokenAt } = folded;
    if (loop === null) throw logChanged(id, brokenAt ?? 1);
    return { ...folded, loop };
  });
}

/** The same for commands that also take a selector. */
export async function resolveLoops(engine: Engine, reference: string): Promise<readonly Loop[]> {
  if (!isSelector(reference)) return [await resolveLoop(engine, reference)];
  const selector = parseSelector(reference);
  return engine.store.read(async (tx) => {
    const rows = await selectLoops(tx, selector, null);
    const loops = await Promise.all(rows.map(({ id }) => tx.loops.get(id)));
    return loops.filter((loop) => loop !== null);
  });
}

async function findLoopId(tx: StoreTx, reference: string): Promise<string> {
  if (reference === 'last')
    return newest(await tx.loops.list({ limit: 1 }), 'there is no loop yet');
  if (await isLoop(tx, reference)) return reference;
  const prefix = idPrefix(reference);
  if (prefix !== null) {
    const matches = (await tx.loops.list({})).filter(({ id }) => id.startsWith(prefix));
    const [match, another] = matches;
    if (another !== undefined) throw ambiguous(reference, matches);
    if (match !== undefined) return match.id;
    if (prefix === reference) throw noLoop(reference);
  }
  const task = await findTask(tx, reference);
  if (task === null) throw noLoop(reference);
  return newest(
    await tx.loops.list({ taskId: task, limit: 1 }),
    `the task ${task} has no loop yet`,
  );
}

/** Whatever its stored state says. */
async function isLoop(tx: StoreTx, id: string): Promise<boolean> {
  try {
    await tx.loops.token(id);
    return true;
  } catch (error) {
    if (isLoopwrightError(error) && error.code === 'store.missing') return false;
    throw error;
  }
}

/** `loop-1a` and the bare digits `1a2b` (four or more) begin an id. */
function idPrefix(reference: string): string | null {
  if (/^loop-[0-9a-f]{0,8}$/.test(reference)) return reference;
  return /^[0-9a-f]{4,8}$/.test(reference) ? `loop-${reference}` : null;
}

async function findTask(tx: StoreTx, reference: string): Promise<string | null> {
  try {
    return (await tx.tasks.resolve(reference)).id;
  } catch (error) {
    if (isLoopwrightError(error) && error.code === 'task.not_found') return null;
    throw error;
  }
}

function newest([row]: readonly LoopRow[], otherwise: string): string {
  if (row !== undefined) return row.id;
  throw new LoopwrightError('loop.not_found', otherwise, {
    hint: 'start one with `loopwright run`',
  });
}

function noLoop(reference: string): LoopwrightError {
  return new LoopwrightError(
    'loop.not_found',
    `no loop or task is called “${oneLine(reference, 100)}”`,
    {
      hint: 'list them with `loopwright loop list`',
    },
  );
}

const shownCandidates = 10;

function ambiguous(reference: string, matches: readonly LoopRow[]): LoopwrightError {
  const shown = matches
    .slice(0, shownCandidates)
    .map(({ id, title }) => `\n  ${id}  ${oneLine(title, 60)}`);
  const more = matches.length - shown.length;
  return new LoopwrightError(
    'loop.ambiguous',
    `“${reference}” may mean ${matches.length} loops:${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`,
    { hint: 'write more of the id', details: { candidates: matches.map(({ id }) => id) } },
  );
}
