import { LoopwrightError } from '../core/error.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';

/** Names of loops in one message. */
const mostNamed = 5;

/**
 * Refuses, once, to start anything from a store that has lost changes: it was put back from a copy, or its log was deleted. What
 * is lost is named. Whoever starts again goes on with what there is.
 */
export async function refuseOlderStore(engine: Engine): Promise<void> {
  const lost = await engine.store.read((tx) => tx.gaps.untold());
  if (lost === 0) return;
  const named = await describeLost(engine);
  await engine.store.write((tx) => tx.gaps.tell());
  const changes = lost === 1 ? '1 change' : `${lost} changes`;
  throw new LoopwrightError(
    'store.older',
    `the store is older than the work done with it: ${changes} that had been stored are not in it. It was put back from a copy, or its \`-wal\` file was deleted. ${named}`,
    {
      hint: 'nothing was started. If you still have the newer store (`state.db` with its `state.db-wal`), stop here and put it back. To go on with this one, give the same command again: loops go on from their branches under new iteration numbers; tasks, verdicts and costs stored since then are lost',
      details: { lostChanges: lost },
    },
  );
}

/** Numbers of iterations that left a folder or a commit and are not in the loop's log; null when nothing of it can be missing. */
export async function unrecordedIterations(
  engine: Engine,
  loop: Loop,
): Promise<readonly number[] | null> {
  if (!(await engine.store.read((tx) => tx.gaps.isBehind(loop.id)))) return null;
  const last = lastIteration(loop)?.number ?? 0;
  const found = new Set([
    ...(await engine.artifacts.iterations(loop.id)),
    ...(await committedIterations(engine, loop)),
  ]);
  return [...found].filter((number) => number > last).toSorted((a, b) => a - b);
}

const lookMs = 30_000;

async function committedIterations(
  { project }: Engine,
  { workspace: { branch, base } }: Loop,
): Promise<readonly number[]> {
  if (branch === null || base === null) return [];
  const signal = AbortSignal.timeout(lookMs);
  // A branch that is gone has no commits to tell of.
  const commits = await project.checkpoints(branch, base, signal).catch(() => []);
  return commits.flatMap(({ iteration }) => iteration ?? []);
}

async function describeLost(engine: Engine): Promise<string> {
  const rows = await engine.store.read((tx) => tx.loops.list({}));
  const known = new Set(rows.map(({ id }) => id));
  const lines: string[] = [];
  for (const id of await engine.artifacts.loops()) {
    if (!known.has(id)) lines.push(`${id} is not in it at all`);
  }
  for (const { id } of rows) {
    const loop = await engine.store.read((tx) => tx.loops.get(id));
    const numbers = loop === null ? null : await unrecordedIterations(engine, loop);
    if (numbers === null || numbers.length === 0) continue;
    lines.push(`of ${id} it lacks iteration${numbers.length === 1 ? '' : 's'} ${range(numbers)}`);
  }
  if (lines.length === 0) return 'No iteration is missing.';
  const more = lines.length - mostNamed;
  const shown = lines.slice(0, mostNamed).join('; ');
  return `${shown}${more > 0 ? `; and ${more} more loops` : ''}.`.replace(/^o/, 'O');
}

function range(numbers: readonly number[]): string {
  const first = numbers.at(0) ?? 0;
  const last = numbers.at(-1) ?? 0;
  return first === last ? String(first) : `${first} to ${last}`;
}
