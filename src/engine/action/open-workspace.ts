import { recordedChanges, type FileChanges } from '../../core/loop/changes.ts';
import {
  lastIteration,
  leftWork,
  looksAtFiles,
  type Iteration,
  type Loop,
} from '../../core/loop/loop.ts';
import type { OpenedWorkspace, WorkspaceSpec } from '../../ports/workspace.ts';
import type { Engine } from '../engine.ts';
import { iterationCommit } from '../iteration-commit.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { putBackProtected } from '../protected-paths.ts';
import { putBackAfterKill } from '../put-back.ts';
import { setUpWorkspace } from '../set-up-workspace.ts';
import { workspaceSpec } from '../workspace-spec.ts';
import { rest } from './rest.ts';

/** Opens the loop's files for this owner, saves what an interrupted agent left, and sets a new worktree up. */
export async function openWorkspace(engine: Engine, owner: LoopOwner): Promise<void> {
  const { head, workspace } = owner.loop;
  const hadCommits = head !== null && head !== workspace.base;
  await owner.before('open-workspace');
  const opened = await engine.project.openWorkspace(specOf(owner), owner.closing);
  owner.workspace = opened.workspace;
  await owner.after('open-workspace');
  const isLost =
    opened.created && isWorkLost(owner.loop, await opened.workspace.head(owner.closing));
  const torn = opened.created ? [] : await restoreTorn(owner);
  const written = isWhole(opened) ? await putBackAfterKill(owner) : [];
  const saved = await saveLeftWork(owner, opened.fellBack === true);
  await owner.record({
    type: 'workspace.opened',
    path: opened.workspace.path,
    head: await opened.workspace.head(owner.closing),
    created: opened.created,
    repaired: [...opened.repaired, ...torn, ...written, ...saved.notes],
    missing: opened.missing,
    ...(saved.changes === null
      ? {}
      : { left: recordedChanges(saved.changes, owner.loop.settings) }),
  });
  if (isLost) {
    await rest(engine, owner, { status: 'blocked', reason: 'gate', text: lostText(owner.loop) });
    return;
  }
  if (opened.created && hadCommits && owner.loop.head === owner.loop.workspace.base) {
    const text =
      'its branch is gone with its commits (git.keep-failed): it starts again from the base';
    await owner.record({ type: 'warning.raised', text });
  }
  for (const text of opened.notes) await owner.record({ type: 'warning.raised', text });
  if (!needsSetUp(owner.loop)) {
    if (opened.tree !== undefined) owner.sawFiles(opened.tree);
    return;
  }
  await setUp(engine, owner);
}

/** It is the worktree from before, with the commits from before. */
function isWhole({ created, fellBack }: OpenedWorkspace): boolean {
  return !created && fellBack !== true;
}

function specOf({ loop, isAfterBoot }: LoopOwner): WorkspaceSpec {
  return isAfterBoot ? { ...workspaceSpec(loop), isAfterBoot } : workspaceSpec(loop);
}

/**
 * A power cut takes the content of files that were being written: that is not what the agent wanted to leave. Without one an
 * empty file is what was wanted.
 */
async function restoreTorn(owner: LoopOwner): Promise<readonly string[]> {
  const { loop, workspace } = owner;
  const head = owner.isAfterBoot && looksAtFiles(loop) ? await workspace.head(owner.closing) : null;
  if (head === null) return [];
  await owner.before('restore-torn');
  const paths = await workspace.restoreTorn(head, owner.closing);
  await owner.after('restore-torn');
  return paths.map((file) => `${file} had lost its content or a part of it, put right`);
}

/** Whether the store is older than the work, and neither worktree nor branch has any of it: it may be merged by now. */
function isWorkLost({ behind, iterations, workspace }: Loop, head: string | null): boolean {
  return behind === true && iterations.length > 0 && head === workspace.base;
}

function lostText({ taskId }: Loop): string {
  return `the store is older than the work, and the branch is gone: it may have been merged. If it was, \`loopwright task done ${taskId}\`; else \`loopwright run ${taskId} --new\``;
}

type LeftWork = { readonly notes: readonly string[]; readonly changes: FileChanges | null };

/**
 * Work of an interrupted iteration that never reached its snapshot, and work whose commit is lost: kept, but for what it must
 * not change.
 */
async function saveLeftWork(owner: LoopOwner, fellBack: boolean): Promise<LeftWork> {
  const { loop, workspace } = owner;
  const last = await leftIteration(owner, fellBack);
  if (last === null) return { notes: [], changes: null };
  const { paths } = await putBackProtected(owner, last.startTree);
  const notes = paths.map((file) => `put ${file} back`);
  if (!loop.options.commit || workspace.branch === null) {
    const tree = await workspace.snapshot(owner.closing);
    return { notes, changes: await owner.changesBetween(last.startTree, tree) };
  }
  await owner.before('save-left-work');
  const input = iterationCommit(loop, last);
  const subject = `${input.subject}, ${last.outcome === 'interrupted' ? 'interrupted' : 'from the files that were left'}`;
  const result = await workspace.commit({ ...input, subject }, owner.closing);
  await owner.after('save-left-work');
  const changes = await owner.changesBetween(last.startTree, result.tree);
  if (result.commit === null) return { notes, changes };
  return { notes: [...notes, `committed what iteration ${last.number} had left`], changes };
}

/** The iteration whose work may be in no commit; null when there is none. */
async function leftIteration(
  { loop, workspace, closing }: LoopOwner,
  fellBack: boolean,
): Promise<Iteration | null> {
  const last = lastIteration(loop);
  if (last === null || !looksAtFiles(loop)) return null;
  // In a checkout of the user's it may be theirs.
  const isOwn = loop.workspace.mode === 'worktree';
  const isUnknown = isOwn && last.unrecorded === true && loop.behind === true;
  const isLost = fellBack && last.tries > 0;
  if (!isUnknown && !isLost) return last.unrecorded === true ? null : leftWork(loop);
  // What the files were when it started is not known, or is not in the history any more: all that no commit has counts as its work.
  const head = await workspace.head(closing);
  return head === null ? null : { ...last, startTree: head, startHead: head };
}

async function setUp(engine: Engine, owner: LoopOwner): Promise<void> {
  const { loop, workspace } = owner;
  const place = { cwd: workspace.path, walled: loop.head !== loop.workspace.base };
  const result = await setUpWorkspace(engine, loop, place, owner.cut);
  if (result === null || result.end.kind === 'cancelled') return;
  const { command } = result;
  const exitCode = result.end.kind === 'exited' ? result.end.code : null;
  await owner.record({
    type: 'workspace.set_up',
    command,
    exitCode,
    durationMs: result.durationMs,
    output: result.output.slice(-2000),
  });
  if (exitCode === 0) return;
  await rest(engine, owner, {
    status: 'blocked',
    reason: 'gate',
    text: `workspace.setup failed (${command}): ${result.output.trim().split('\n').at(-1) ?? ''}`,
  });
}

function needsSetUp(loop: Loop): boolean {
  const { mode } = loop.workspace;
  return mode === 'worktree' && !loop.setUp && loop.settings.workspace.setup !== null;
}
