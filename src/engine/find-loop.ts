import { isLoopwrightError, LoopwrightError } from '../core/error.ts';
import { singleLine } from '../core/prompt/inline.ts';
import type { LoopRow, StoreTx } from '../ports/store.ts';

/**
 * The id of the loop that a person means: `last`, an id or its beginning, or a task (its newest loop). Throws
 * `loop.ambiguous` with the candidates, or `loop.not_found`.
 */
export async function findLoopId(tx: StoreTx, reference: string): Promise<string> {
  const found = await findNamedLoop(tx, reference);
  if (found !== null) return found;
  const task = await findTask(tx, reference);
  if (task === null) throw noLoop(reference);
  return newest(
    await tx.loops.list({ taskId: task, limit: 1 }),
    `the task ${task} has no loop yet`,
  );
}

/** The task that a person means, by its own name or by one of its loops. It may have no loop yet. */
export async function findTaskId(tx: StoreTx, reference: string): Promise<string> {
  const loopId = await findNamedLoop(tx, reference);
  const loop = loopId === null ? null : await tx.loops.get(loopId);
  const task = loop === null ? await findTask(tx, reference) : loop.taskId;
  if (task === null) throw noLoop(reference);
  return task;
}

/** A loop by `last`, its id or the beginning of its id; null: the text names no loop. */
async function findNamedLoop(tx: StoreTx, reference: string): Promise<string | null> {
  if (reference === 'last')
    return newest(await tx.loops.list({ limit: 1 }), 'there is no loop yet');
  if (await isLoop(tx, reference)) return reference;
  const prefix = idPrefix(reference);
  if (prefix === null) return null;
  const matches = (await tx.loops.list({})).filter(({ id }) => id.startsWith(prefix));
  const [match, another] = matches;
  if (another !== undefined) throw ambiguous(reference, matches);
  if (match !== undefined) return match.id;
  if (prefix === reference) throw noLoop(reference);
  return null;
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

export function noLoop(reference: string): LoopwrightError {
  return new LoopwrightError(
    'loop.not_found',
    `no loop or task is called “${singleLine(reference, 100)}”`,
    {
      hint: 'list them with `loopwright loop list`',
    },
  );
}

const shownCandidates = 10;

function ambiguous(reference: string, matches: readonly LoopRow[]): LoopwrightError {
  const shown = matches
    .slice(0, shownCandidates)
    .map(({ id, title }) => `\n  ${id}  ${singleLine(title, 60)}`);
  const more = matches.length - shown.length;
  return new LoopwrightError(
    'loop.ambiguous',
    `“${reference}” may mean ${matches.length} loops:${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`,
    { hint: 'write more of the id', details: { candidates: matches.map(({ id }) => id) } },
  );
}
