import path from 'node:path';
import {
  isEmptyChange,
  noChanges,
  recordedChanges,
  type FileChanges,
} from '../../core/loop/changes.ts';
import type { CommitResult } from '../../ports/workspace.ts';
import { judgedRange } from '../compare-with-base.ts';
import type { Engine } from '../engine.ts';
import { iterationCommit } from '../iteration-commit.ts';
import type { LoopOwner } from '../loop-owner.ts';

/** What the agent did becomes a commit on the loop's branch and, where changes are tracked, a patch file and a list of files. */
export async function takeSnapshot(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, iteration } = owner;
  const { startTree } = iteration;
  await owner.before('commit');
  const seen = owner.seenTree;
  owner.seenTree = null;
  // Nothing in the one depends on the other. Both are over before a failure of either goes on.
  const work = [commit(owner, seen), compare(owner, seen)] as const;
  if (seen !== null) lookAtWork(owner, seen);
  await Promise.allSettled(work);
  const [taken] = await Promise.all(work);
  await owner.after('commit');
  if (seen === null) lookAtWork(owner, taken.tree);
  if (taken.head !== null && taken.headTree !== null) {
    owner.changes.same(taken.head, taken.headTree);
  }
  const changes =
    taken.tree === startTree ? noChanges : await owner.changesBetween(startTree, taken.tree);
  const isTracked = loop.settings.verify['track-file-changes'];
  if (isTracked && !isEmptyChange(changes)) {
    const dir = await engine.artifacts.iterationDir(loop.id, iteration.number);
    const file = path.join(dir, 'changes.patch');
    await owner.before('write-patch');
    // Nothing waits for the patch; the loop's end does.
    owner.inBackground(writePatch(engine, owner, taken.tree, file));
    await owner.after('write-patch');
  }
  await owner.record({
    type: 'snapshot.taken',
    tree: taken.tree,
    commit: taken.commit,
    head: taken.head,
    changes: recordedChanges(changes, loop.settings),
    repaired: taken.repaired,
    ...(taken.unstored.length === 0 ? {} : { unstored: named(taken.unstored) }),
  });
  await warnOfLinksOut(owner, changes);
}

/** The checks see what such a link leads to; a clone of the commit has only the link. */
async function warnOfLinksOut(owner: LoopOwner, changes: FileChanges): Promise<void> {
  const there = [...changes.created, ...changes.modified, ...changes.renamed.map(({ to }) => to)];
  const links = await owner.workspace.linksOut(there);
  if (links.length === 0) return;
  const list = named(links.map(({ path: name, target }) => `${name} → ${target}`)).join(', ');
  const text = `a link leads out of the worktree, and what is there is in no commit: ${list}`;
  if (!owner.loop.warnings.includes(text)) await owner.record({ type: 'warning.raised', text });
}

/** What is committed is the agent's; the copy for people has no secrets in it. */
async function writePatch(
  { artifacts }: Engine,
  { workspace, iteration, closing }: LoopOwner,
  tree: string,
  file: string,
): Promise<void> {
  const whole = `${file}.partial`;
  await workspace.writePatch(iteration.startTree, tree, whole, closing);
  await artifacts.moveClean(whole, file);
}

const mostNames = 20;

function named(unstored: readonly string[]): readonly string[] {
  const more = unstored.length - mostNames;
  return more > 0 ? [...unstored.slice(0, mostNames), `${more} more`] : unstored;
}

async function commit(owner: LoopOwner, tree: string | null): Promise<CommitResult> {
  const { loop, iteration, workspace } = owner;
  if (!loop.options.commit) {
    const head = await workspace.head(owner.closing);
    return {
      commit: null,
      head,
      tree: tree ?? (await workspace.snapshot(owner.closing)),
      headTree: null,
      repaired: [],
      unstored: [],
    };
  }
  return workspace.commit({ ...iterationCommit(loop, iteration), tree }, owner.closing);
}

/** The verification begins with what the loop has done since its base: that is found out beside what is done until then. */
function lookAtWork(owner: LoopOwner, tree: string): void {
  const { loop, iteration } = owner;
  const range = judgedRange({
    ...loop,
    head: tree,
    iterations: [...loop.iterations.slice(0, -1), { ...iteration, tree }],
  });
  if (range === null || !loop.options.verify) return;
  owner.inBackground(found(owner.changesBetween(range.from, range.to)));
}

/** A failure is told by the verification, which asks again. */
async function found(changes: Promise<unknown>): Promise<void> {
  await Promise.allSettled([changes]);
}

/** Fills the memory that the comparison after the commit is answered from. */
async function compare(owner: LoopOwner, tree: string | null): Promise<void> {
  const { startTree } = owner.iteration;
  if (tree !== null && tree !== startTree) await owner.changesBetween(startTree, tree);
}
