import { isSelector, parseSelector } from '../core/coordinate/selector.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { FoldedLoop } from '../ports/store.ts';
import type { Engine } from '../engine/engine.ts';
import { findLoopId, noLoop } from '../engine/find-loop.ts';
import { differenceText, logChanged } from '../engine/folded-loop.ts';
import { selectLoops } from '../engine/select-loops.ts';
import type { Argument } from './command.ts';
import type { CliContext } from './context.ts';

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
  summary: `${loopArgument.summary} Or a selector: \`all\`, \`status:blocked\`, \`type:NAME\`, \`children:TASK\`, \`descendants:TASK\`.`,
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
