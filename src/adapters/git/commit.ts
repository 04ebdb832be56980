import { rm } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { CommitInput, CommitResult } from '../../ports/workspace.ts';
import { keepAutostash } from './autostash.ts';
import { commitMessage } from './commit-message.ts';
import { escapedName } from '../../core/text/file-name.ts';
import { syncFiles } from './disk-sync.ts';
import { headBranch, readLooseRef } from './head.ts';
import { commitInPlace } from './in-place-commit.ts';
import { refuseKeptOut } from './kept-out.ts';
import { keepRef, ownRefs } from './loop-checkout.ts';
import type { LoopCheckout } from './loop-checkout.ts';
import { forgetOperation, mendWorktree, unfinishedOperation } from './mend.ts';
import { encodePath } from './path-bytes.ts';
import { replaceFile } from './private-index.ts';
import { gitFailed } from './git.ts';
import { refuseLocked } from './refuse-locked.ts';
import { isAncestor, isObjectId } from './repository.ts';
import { changedSubmodules } from './submodules.ts';
import { syncedIndex } from './sync-moved.ts';
import { diffTreePairs } from './tree-diff.ts';
import type { TreeEntry } from './tree-diff.ts';

export type Revision = { readonly commit: string; readonly tree: string };

/** Where the loop's history stands when the agent has ended. */
type History = {
  /** Where the branch started; what is left when everything later is lost. */
  readonly base: Revision | null;
  readonly tip: Revision | null;
  readonly head: Revision | null;
  readonly start: Revision | null;
  /** Full name of the branch HEAD is on, null when detached. */
  readonly headBranch: string | null;
};

/** What goes into the commit: a tree, and an index file that holds exactly that tree. */
type Content = {
  readonly tree: string;
  readonly indexFile: string;
  readonly keptOut: readonly string[];
};

const nothing = 'refs/loopwright-nothing';

/** Plumbing only: no hook, editor, signature or prompt can come between. */
export async function commitChanges(
  checkout: LoopCheckout,
  asked: CommitInput,
  known: Revision | null,
  signal: AbortSignal,
): Promise<CommitResult & { readonly made: Revision }> {
  const { at, mode, branch } = checkout;
  const repaired = mode === 'worktree' ? await mendWorktree(checkout) : [];
  if (mode === 'in-place') await refuseLocked(at.commonDir, `refs/heads/${branch}`, [at], signal);
  const tree = asked.tree ?? (await checkout.index.snapshot(signal));
  const history =
    (await unmovedHistory(checkout, asked.startHead, known, signal)) ??
    (await readHistory(checkout, asked.startHead, signal));
  const input = withStartTree(asked, history);
  const chosen = await chooseParent(checkout, history, signal);
  const { parent, notes } = await refuseKeptOut(
    checkout,
    history.start,
    chosen,
    input.isKeptOut,
    signal,
  );
  repaired.push(...notes);

  const content = await chooseContent(checkout, input, history.start, parent, tree, signal);
  const commit = await storeCommit(checkout, history, parent, content, { ...input, tree }, signal);
  const head = commit ?? parent.commit;
  repaired.push(...(await dropOperation(checkout, signal)));
  const left = [
    ...content.keptOut.map((name) => ({ name, why: 'is forbidden, see verify.contracts' })),
    ...checkout.index.unstored(),
    ...(await checkout.hidden.find(signal)),
    ...(await checkout.converted.find(content.tree, touchedBy(checkout, input, known), signal)),
    ...(await changedSubmodules(checkout, signal)),
  ];
  const unstored = left.map(({ name, why }) => `${escapedName(name)} (${why})`);
  const made = { commit: head, tree: content.tree };
  return { commit, head, tree, headTree: content.tree, repaired, unstored, made };
}

/** An iteration that is taken to start from a commit starts from its tree. */
function withStartTree(input: CommitInput, { start }: History): CommitInput {
  const isCommit = start !== null && input.startTree === start.commit;
  return isCommit ? { ...input, startTree: start.tree } : input;
}

/** What this iteration can have changed; null when it is not known, or when earlier ones were not ours. */
function touchedBy(
  { base, index }: LoopCheckout,
  { startHead, startTree }: CommitInput,
  known: Revision | null,
): readonly string[] | null {
  return known === null && startHead !== base ? null : index.touchedSince(startTree);
}

/**
 * The ordinary case, seen without a process: HEAD is on the loop's branch, and the branch is where the engine's own last commit
 * put it. Should that commit be damaged by now, building on it fails, and the next try looks at everything.
 */
async function unmovedHistory(
  { repository, at, branch, mode }: LoopCheckout,
  startHead: string | null,
  known: Revision | null,
  signal: AbortSignal,
): Promise<History | null> {
  if (mode !== 'worktree' || known === null || known.commit !== startHead) return null;
  const ref = `refs/heads/${branch}`;
  if ((await headBranch(repository, at, signal)) !== ref) return null;
  if (readLooseRef(at, ref) !== known.commit) return null;
  return { base: null, tip: known, head: known, start: known, headBranch: ref };
}

async function readHistory(
  { repository, at, branch, base, mode }: LoopCheckout,
  startHead: string | null,
  signal: AbortSignal,
): Promise<History> {
  // A name that stands for nothing answers `missing`, like a commit that is lost.
  const from = mode === 'worktree' ? base : null;
  const names = [`refs/heads/${branch}`, 'HEAD', startHead ?? nothing, from ?? nothing];
  const input = names.map((name) => `${name}^{commit}\n${name}^{tree}\n`).join('');
  const args = ['cat-file', '--batch-check=%(objectname)'];
  const result = await repository.run({ at, args, input, signal });
  if (result.exitCode !== 0 || result.stderr.includes('object file')) throw gitFailed(args, result);
  const lines = result.stdout.toString('utf8').split('\n');
  const revision = (position: number): Revision | null => {
    const [commit = '', tree = ''] = lines.slice(position * 2, position * 2 + 2);
    return isObjectId(commit) && isObjectId(tree) ? { commit, tree } : null;
  };
  const onBranch = await headBranch(repository, at, signal);
  return {
    tip: revision(0),
    head: revision(1),
    start: revision(2),
    base: revision(3),
    headBranch: onBranch,
  };
}

/**
 * The commit to build on: what the agent committed last, as long as it keeps everything up to where the iteration
 * started; else the branch as it was.
 */
async function chooseParent(
  { repository, branch }: LoopCheckout,
  { tip, head, start, base, headBranch: onBranch }: History,
  signal: AbortSignal,
): Promise<{ readonly parent: Revision; readonly notes: string[] }> {
  const contains = async (later: Revision | null, earlier: Revision | null) =>
    later !== null &&
    (earlier === null || (await isAncestor(repository, earlier.commit, later.commit, signal)));
  const notes: string[] = [];

  const tipIsSound = await contains(tip, start);
  if (tip === null) notes.push(`branch ${branch} had been deleted or damaged, made again`);
  else if (!tipIsSound)
    notes.push(`branch ${branch} had lost earlier commits, put back with the files kept`);
  let parent = tipIsSound ? tip : start;

  if (onBranch !== `refs/heads/${branch}`) {
    notes.push(`HEAD was ${describeHead(onBranch)}, brought back to ${branch} with the files kept`);
    if ((await contains(head, start)) && (await contains(head, parent))) parent = head;
  }
  if (parent !== null) return { parent, notes };
  if (base !== null) {
    notes.push('earlier commits are lost; the files as they are go on top of the base');
    return { parent: base, notes };
  }
  throw new LoopwrightError(
    'git.history_lost',
    `Neither ${branch} nor the commit it started from exists`,
    {
      hint: `Look for the lost commits with: git reflog, git fsck --lost-found`,
    },
  );
}

function describeHead(onBranch: string | null): string {
  return onBranch === null ? 'detached' : `on ${onBranch.replace('refs/heads/', '')}`;
}

/**
 * All files as they are, except those that must be in no commit, and those that were different from HEAD before the agent
 * came and that it left alone.
 */
async function chooseContent(
  checkout: LoopCheckout,
  { startTree, isKeptOut }: CommitInput,
  start: Revision | null,
  parent: Revision,
  tree: string,
  signal: AbortSignal,
): Promise<Content> {
  const { index, repository } = checkout;
  const everything = { tree, indexFile: index.file, keptOut: [] };
  if (tree === parent.tree) return everything;
  const known = parent.commit === start?.commit ? index.touchedSince(startTree) : null;
  const mayBeKeptOut = isKeptOut !== undefined && known?.some(isKeptOut) !== false;
  const wasDifferent = start !== null && start.tree !== startTree;
  if (!mayBeKeptOut && !wasDifferent) return everything;
  const [toParent = [], before = [], touched = []] = await diffTreePairs(
    repository,
    [
      [tree, parent.tree],
      [start?.tree ?? startTree, startTree],
      [startTree, tree],
    ],
    signal,
  );
  const leftBehind = new Set(before.map((entry) => entry.path));
  for (const entry of touched) leftBehind.delete(entry.path);
  const present = toParent.filter(({ status }) => status !== 'A').map((entry) => entry.path);
  // What checks write is not the agent's.
  const mayBeAgents = present.filter((name) => !leftBehind.has(name) || checkout.keptOut.has(name));
  const keptOut = new Set(isKeptOut === undefined ? [] : mayBeAgents.filter(isKeptOut));
  checkout.keptOut.remember([...keptOut]);
  const asInParent = toParent.filter(({ path: name }) => leftBehind.has(name) || keptOut.has(name));
  if (asInParent.length === 0) return everything;
  const written = await writeContent(checkout, asInParent, signal);
  return { ...written, keptOut: [...keptOut] };
}

async function writeContent(
  { repository, at, folder, index }: LoopCheckout,
  entries: readonly TreeEntry[],
  signal: AbortSignal,
): Promise<Omit<Content, 'keptOut'>> {
  const indexFile = path.join(folder, 'commit-index');
  await rm(`${indexFile}.lock`, { force: true });
  await replaceFile(index.file, indexFile);
  const env = { GIT_INDEX_FILE: indexFile };
  const args = ['update-index', '--replace', '-z', '--index-info'];
  await repository.output({ at, env, args, input: indexInfo(entries), signal });
  const tree = await repository.text({ at, env, args: ['write-tree'], signal });
  return { tree, indexFile };
}

/** Removals first, so that a file can take the place of a folder. */
function indexInfo(entries: readonly TreeEntry[]): Buffer {
  const removals = entries.filter((entry) => entry.status === 'D');
  const others = entries.filter((entry) => entry.status !== 'D');
  return Buffer.concat([...removals, ...others].map(indexInfoRecord));
}

/** `mode id TAB path NUL`; mode 0 removes. */
function indexInfoRecord(entry: TreeEntry): Buffer {
  const mode = entry.status === 'D' ? '0' : entry.newMode;
  const start = Buffer.from(`${mode} ${entry.newId}\t`);
  return Buffer.concat([start, encodePath(entry.path), Buffer.from([0])]);
}

/** Null when there is nothing to commit. Branch, HEAD and index are where they belong afterwards. */
async function storeCommit(
  checkout: LoopCheckout,
  history: History,
  parent: Revision,
  content: Content,
  input: CommitInput & { readonly tree: string },
  signal: AbortSignal,
): Promise<string | null> {
  const { mode, branch } = checkout;
  const { tree } = content;
  const { tip } = history;
  const isCommitted = tree === parent.tree;
  const isShown = history.headBranch === `refs/heads/${branch}`;
  if (mode === 'in-place' && isShown && tip !== null && !isCommitted) {
    await syncWork(checkout, input, input.tree, signal);
    return commitInPlace(checkout, { tip, parent, tree }, input, signal);
  }
  const commit = isCommitted ? null : await createCommit(checkout, tree, parent, input, signal);
  await Promise.all([checkout.index.sync(), syncWork(checkout, input, input.tree, signal)]);
  await moveBranch(checkout, history, commit ?? parent.commit, signal);
  await checkout.repository.disk.refs(ownRefs(checkout));
  await attachHead(checkout, history, signal);
  await showCommitted(checkout, history, parent, content, signal);
  return commit;
}

const reason = ['-m', 'loopwright: iteration'];
const moveRefs = ['update-ref', ...reason, '--stdin'];

async function createCommit(
  { repository, at }: LoopCheckout,
  tree: string,
  parent: Revision,
  { subject, trailers }: CommitInput,
  signal: AbortSignal,
): Promise<string> {
  const args = ['commit-tree', '--no-gpg-sign', '-p', parent.commit, '-F', '-', tree];
  const input = commitMessage(subject, trailers);
  return repository.text({ at, args, input, signal });
}

/**
 * The files themselves: what a power cut takes from them would else be found to differ from the commit, and count as work that an
 * interrupted agent left.
 */
async function syncWork(
  { repository, workTree, index }: LoopCheckout,
  { startTree }: CommitInput,
  tree: string,
  signal: AbortSignal,
): Promise<void> {
  const known = index.touchedSince(startTree);
  const [entries = []] =
    known === null ? await diffTreePairs(repository, [[startTree, tree]], signal) : [];
  const names = known ?? entries.map((entry) => entry.path);
  if (names.length > 0) await syncFiles(workTree, names);
}

async function moveBranch(
  checkout: LoopCheckout,
  history: History,
  head: string,
  signal: AbortSignal,
): Promise<void> {
  const { repository, at } = checkout;
  const moves = refMoves(checkout, history, head);
  if (moves.length === 0) return;
  const input = `${moves.join('\n')}\n`;
  await repository.output({ at, args: moveRefs, input, signal });
}

/** What `update-ref` is told, line by line; nothing when everything is where it belongs. */
function refMoves(
  { mode, loopId, branch }: LoopCheckout,
  { tip, start }: History,
  head: string,
): readonly string[] {
  const ref = `refs/heads/${branch}`;
  const lines: string[] = [];
  // Also where the ref is there but what it names is not.
  if (tip === null) lines.push(`update ${ref} ${head}`);
  else if (tip.commit !== head) lines.push(`update ${ref} ${head} ${tip.commit}`);
  if (mode === 'worktree' && head !== start?.commit)
    lines.push(`update ${keepRef(loopId)} ${head}`);
  return lines;
}

async function attachHead(
  { repository, at, branch }: LoopCheckout,
  { headBranch: onBranch }: History,
  signal: AbortSignal,
): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if (onBranch === ref) return;
  await repository.output({ at, args: ['symbolic-ref', ...reason, 'HEAD', ref], signal });
}

/** Makes `git status` in the checkout agree with the new HEAD. */
async function showCommitted(
  checkout: LoopCheckout,
  history: History,
  parent: Revision,
  content: Content,
  signal: AbortSignal,
): Promise<void> {
  const { repository, at, mode, branch } = checkout;
  const agentIndex = path.join(at.gitDir, 'index');
  if (mode === 'worktree' || history.headBranch !== `refs/heads/${branch}`) {
    await replaceFile(content.indexFile, agentIndex);
    return;
  }
  // The user's own index: what they have staged elsewhere stays.
  if (content.tree === parent.tree) return;
  const [entries = []] = await diffTreePairs(repository, [[parent.tree, content.tree]], signal);
  const args = ['update-index', '--replace', '-z', '--index-info'];
  await repository.with(syncedIndex).output({ at, args, input: indexInfo(entries), signal });
}

async function dropOperation(checkout: LoopCheckout, signal: AbortSignal): Promise<string[]> {
  const { gitDir } = checkout.at;
  const operation = await unfinishedOperation(gitDir);
  if (operation === null) return [];
  const kept = await keepAutostash(checkout, signal);
  await forgetOperation(gitDir);
  return [`unfinished ${operation} ended, files kept`, ...kept];
}
