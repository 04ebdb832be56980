import type { BranchLog } from '../core/loop/base-move.ts';
import type { FileChanges } from '../core/loop/changes.ts';

/** Where loops work: a git repository or a plain folder. One per project root, stateless between calls. */
export interface Project {
  readonly kind: 'git' | 'folder';
  /** Absolute, real path of the user's checkout. */
  readonly root: string;

  /** The user's checkout as it is now. `head` is null on an unborn branch and in a folder. */
  describe(signal: AbortSignal): Promise<CheckoutState>;

  /** Branch and commit of the user's checkout, at little cost. */
  checkedOut(signal: AbortSignal): Promise<Pick<CheckoutState, 'branch' | 'head'>>;

  /** Calls back soon after a branch may have moved, until disposed. A hint: not every disk tells, and one may come for nothing. */
  watchBranch(branch: string, onMove: () => void): Disposable;

  /** Whether a commit is part of the history of another. Unknown commits are part of nothing. */
  contains(commit: string, part: string, signal: AbortSignal): Promise<boolean>;

  /** Commit id of a branch, tag or id; null when it names nothing. */
  resolve(ref: string, signal: AbortSignal): Promise<string | null>;

  /**
   * Every commit that is in the repository now, whoever made it, and the branches named are on the disk when this returns:
   * only then may a fact name them.
   */
  sync(branches: readonly string[]): Promise<void>;

  /** Whether everything can be read that a commit has and another, older one has not. */
  isWhole(commit: string, since: string | null, signal: AbortSignal): Promise<boolean>;

  /** Before anything is stored or spent: throws when no worktree can be made here, or not from this commit. No process. */
  requireStart(base: string): void;

  /**
   * The workspace of a loop: created, or found again with whatever a crashed owner left in it.
   * A missing worktree is made anew from the branch; an existing branch is moved back only where its commit cannot be read.
   */
  openWorkspace(spec: WorkspaceSpec, signal: AbortSignal): Promise<OpenedWorkspace>;

  /**
   * What the commits of `head` after `from` would be on top of a commit, in the object store alone: no file and no
   * ref changes. The head as it is when that commit is part of it already. What is answered is on the disk.
   */
  replay(head: string, from: string, onto: string, signal: AbortSignal): Promise<Rebase>;

  /**
   * Removes a loop's worktree. The branch stays. Absent is fine. What somebody has put in its place is left there, and its path
   * is the answer; null ordinarily.
   */
  removeWorkspace(spec: WorkspaceSpec, signal: AbortSignal): Promise<string | null>;

  /**
   * Puts right what killed engines and power cuts left of worktrees: half-made, emptied and forgotten ones, and throwaway
   * worktrees with their branches. Nothing of the user's, of an engine that lives, or of a loop that is driven is touched.
   * Costs a look into a few folders when nothing is wrong. Answers what was done, in plain words.
   */
  tidyWorktrees(known: KnownLoops, signal: AbortSignal): Promise<readonly string[]>;

  /** Before a program runs there: `workspace.gone` if a workspace was opened at this path and is no longer what is found there. */
  requireIntact(path: string): void;

  /**
   * Deletes the branch of a loop whose work is in another branch. Every commit it had stays reachable until
   * `deleteBranch`. Refused like that.
   */
  retireBranch(branch: string, signal: AbortSignal): Promise<void>;

  /**
   * Deletes a loop's branch and what keeps its commits reachable. Absent is fine; checked out somewhere, or not a loop's,
   * is an error.
   */
  deleteBranch(branch: string, signal: AbortSignal): Promise<void>;

  /** The commits of a branch since `base`, oldest first, with the trailers of iteration commits. */
  checkpoints(branch: string, base: string, signal: AbortSignal): Promise<readonly Checkpoint[]>;

  /** The loops whose iterations are commits of a history, those that `without` (refs or commits) has left out. */
  loopsOf(
    commit: string,
    without: readonly string[],
    signal: AbortSignal,
  ): Promise<readonly string[]>;

  /** A new branch at a commit; refuses an existing name. */
  createBranch(name: string, commit: string, signal: AbortSignal): Promise<void>;

  /**
   * Moves a branch forward to `to`, only if that is a fast-forward from `from`.
   * Checked out nowhere: the ref is moved. Checked out and clean: files follow. Dirty: refused, nothing changes.
   * Untracked and ignored files count as dirty only where they are in the way. It is written down first, with the loops
   * it is done for: what is cut in between is settled by `settleMoves`.
   */
  fastForward(
    branch: string,
    from: string,
    to: string,
    signal: AbortSignal,
    loops?: readonly string[],
  ): Promise<FastForward>;

  /** What git itself has recorded of a branch. Empty in a folder. */
  branchLog(branch: string, signal: AbortSignal): Promise<BranchLog>;

  /** Whether a commit has work that is on a branch, and that none of the others has. */
  bringsWorkOf(
    commits: {
      readonly commit: string;
      readonly than: readonly string[];
      readonly branch: string;
    },
    signal: AbortSignal,
  ): Promise<boolean>;

  /**
   * Moves a branch back, only from exactly the commit named; files and index of checkouts stay as they are. The commit it leaves
   * is kept until the loop is deleted. Answers whether it is there now.
   */
  moveBack(
    move: {
      readonly branch: string;
      readonly from: string;
      readonly to: string;
      readonly loopId: string;
    },
    signal: AbortSignal,
  ): Promise<boolean>;

  /** Whether a move of the user's refs, index or files may have been cut. Reads one folder. */
  hasCutMoves(): boolean;

  /**
   * Finishes or undoes moves whose process is gone: files and index follow the branch where it is now, and what was
   * changed by somebody else since stays. Moves no ref. One caller at a time. Answers what was done, for people.
   */
  settleMoves(signal: AbortSignal): Promise<readonly string[]>;

  /** Text of a file at a revision or snapshot, cut at `maxBytes`; null when absent. */
  readAt(
    revision: string,
    file: string,
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<string | null>;

  /**
   * Texts of several files at a revision or snapshot, each cut at `maxBytes`; null for one that is absent. Costs little
   * more than one.
   */
  readSeveralAt(
    revision: string,
    files: readonly string[],
    maxBytes: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, string | null>>;

  /** Every file of a revision or snapshot, as relative paths. */
  listAt(revision: string, signal: AbortSignal): Promise<readonly string[]>;

  /** Throws `git.altered` when a file or folder of these commits is stored under a name that is not that of its content. */
  requireTrue(commits: readonly string[], signal: AbortSignal): Promise<void>;

  /** Files that differ between two revisions, by the ids of their contents. A rename is two of them. */
  differing(from: string, to: string, signal: AbortSignal): Promise<readonly Differing[]>;

  /**
   * A folder with the files of a commit, some of them replaced, and with a repository of its own: what runs in it cannot
   * move a ref of the user's. The folder must not exist. Removing it removes all of it.
   */
  makeRoom(spec: RoomSpec, signal: AbortSignal): Promise<void>;

  /** Files that commits after `from` up to `to` changed, those of loops left out; none when a commit is not there. */
  changedByPeople(from: string, to: string, signal: AbortSignal): Promise<readonly string[]>;

  /** Names of files changed between two commits, and a `--stat`-like summary, for people. */
  diffSummary(from: string, to: string, signal: AbortSignal): Promise<DiffSummary>;

  /** Patch text between two commits or trees, written to `file`; of these paths alone when they are given. */
  writePatch(
    from: string,
    to: string,
    file: string,
    signal: AbortSignal,
    paths?: readonly string[],
  ): Promise<void>;

  /** What is around the workspace and not the loop's to change, as it is now. Only reads. */
  surroundings(
    scope: SurroundingsScope,
    spec: WorkspaceSpec,
    signal: AbortSignal,
  ): Promise<Surroundings>;

  /** What differs between two looks of the same scope, named for people, sorted. */
  compareSurroundings(before: Surroundings, after: Surroundings): readonly SurroundingChange[];

  /** Whether the index of the user's checkout holds exactly what is in a commit. */
  isStaged(commit: string, signal: AbortSignal): Promise<boolean>;

  /** The project was moved: worktrees of loops and what is registered of them lead to each other again. Can be repeated. */
  carryOver(move: CarryOver): void;

  /**
   * The project is a copy: what is registered of loops' worktrees belongs to the original, and is forgotten here. Files of worktrees
   * that were copied into `folders` are kept beside; the answer is where. Changes nothing outside of the project. Can be repeated.
   */
  partFromOriginal(folders: readonly string[]): Promise<readonly string[]>;

  /** Whether the project at another root works with the very same repository. */
  sharesRepository(root: string): boolean;
}

/** A content is named by its mode and id; null: there is no such file. */
export type Differing = {
  readonly path: string;
  readonly before: string | null;
  readonly after: string | null;
};

export type RoomSpec = {
  /** Absolute path. */
  readonly folder: string;
  readonly commit: string;
  readonly files: readonly RoomFile[];
  /** Ignored files of the user's checkout to copy into it. */
  readonly copy: readonly string[];
  /** Folders of the user's checkout to have there as private copies. */
  readonly link: readonly string[];
  /** Paths that come from another folder instead: such folders, or parts of them. */
  readonly own: { readonly from: string; readonly paths: readonly string[] };
  /** Absolute path of a file for git's own settings: the user's name and address, for commits of tests, below the system's. */
  readonly identity: string;
};

/** As it is at another revision, or with a text; null, or absent there: it is away. */
export type RoomFile =
  | { readonly path: string; readonly revision: string }
  | { readonly path: string; readonly text: string | null };

export type CarryOver = {
  /** Where worktrees of loops lie inside of the project. */
  readonly folders: readonly string[];
  /** Where a path from before is now. */
  readonly locate: (recorded: string) => string;
  /** Loops that an engine elsewhere works on: theirs are left as they are. */
  readonly isHeld: (loopId: string) => boolean;
};

/**
 * `programs`: what can make git run something, that is configuration, hooks and info files.
 * `repository`: also refs (loops' own left out), and HEAD and index of the user's checkout. Both start no process.
 * `whole`: also the files of the user's checkout; one process.
 */
export type SurroundingsScope = 'programs' | 'repository' | 'whole';

export type Surroundings = {
  readonly scope: SurroundingsScope;
  /** By name: a digest of the content, or the commit of a ref. */
  readonly items: ReadonlyMap<string, string>;
};

export type SurroundingChange = {
  readonly name: string;
  /** Null: was not there, or was as committed. */
  readonly before: string | null;
  readonly after: string | null;
};

export type CheckoutState = {
  readonly branch: string | null;
  readonly head: string | null;
  /** Tracked files differ from HEAD, staged or not. Untracked files do not count. */
  readonly dirty: boolean;
  /** A merge, rebase or cherry-pick of the user's is under way. */
  readonly operation: string | null;
};

export type WorkspaceSpec = {
  readonly loopId: string;
  /** `worktree`: own folder and branch. `in-place`: the user's checkout and its current branch. */
  readonly mode: 'worktree' | 'in-place';
  /** Absolute path of the worktree; the project root when in place. */
  readonly path: string;
  /** `loopwright/<loop id>`, the user's branch in place, null in a folder. */
  readonly branch: string | null;
  /** Commit the branch starts from; null in a folder. */
  readonly base: string | null;
  /** Ignored paths of the user's checkout to copy or link into a new worktree; missing ones are reported. */
  readonly copy: readonly string[];
  readonly link: readonly string[];
  /**
   * Commits that facts of the loop name, newest first. Given for a loop that has worked before: what its branch names is looked
   * at, and the newest of these that can be read takes the place of one that the disk has lost.
   */
  readonly recorded?: readonly string[];
  /** The machine was started since the loop was last driven: a power cut may have taken more than what is easily seen. */
  readonly isAfterBoot?: true;
  /** Worktrees whose files are kept for the next ones when they are removed; none unless given. */
  readonly pool?: number;
};

/** What the store knows of loops, for those who tidy up worktrees. */
export type KnownLoops = {
  /** Where worktrees are made. */
  readonly folder: string;
  /** Null: there is no such loop. */
  find(loopId: string): Promise<KnownLoop | null>;
  /** Whether an engine that lives works on the loop now. */
  isDriven(loopId: string): Promise<boolean>;
};

export type KnownLoop = {
  readonly path: string;
  readonly branch: string | null;
  /** It goes on some time: opening its workspace then says what had to be made anew. */
  readonly isOpen: boolean;
};

export type OpenedWorkspace = {
  readonly workspace: Workspace;
  /** False when the worktree was there already. Setup runs only on true. */
  readonly created: boolean;
  /** Snapshot of a worktree that was made this very moment and holds exactly a commit; absent in every other case. */
  readonly tree?: string;
  /** The branch was put to an older commit, as its own is lost: files that are here may be in no commit. Absent ordinarily. */
  readonly fellBack?: true;
  /** What had to be put right: half rebase aborted, stale lock removed, worktree made anew, ... in plain words. */
  readonly repaired: readonly string[];
  /** Entries of `copy` and `link` that do not exist in the user's checkout. */
  readonly missing: readonly string[];
  /** What the worktree does not have although the project has it, in plain words: empty submodules, filters that do not run. */
  readonly notes: readonly string[];
};

/** One loop's files. Only its owner calls it, one call at a time; `changes` and `writePatch` may run beside others. */
export interface Workspace {
  readonly path: string;
  readonly branch: string | null;

  /** Current commit of the workspace; null in a folder. */
  head(signal: AbortSignal): Promise<string | null>;

  /**
   * Content identity of all files as they are now (tracked and untracked, ignored ones left out), as a tree id
   * that stays readable for `changes`, `restore` and `commit`. Does not disturb the index the agent sees.
   */
  snapshot(signal: AbortSignal): Promise<string>;

  /**
   * Paths that may differ between `fromTree` and the newest snapshot, at no cost; null when only `changes` can tell.
   */
  touchedSince(fromTree: string): readonly string[] | null;

  /**
   * What differs between two snapshots. Renames are found. Paths are relative, `/`-separated, sorted.
   * Bytes of a name that are not UTF-8 appear as lone surrogates (U+DC80–U+DCFF), which `restore` understands.
   */
  changes(fromTree: string, toTree: string, signal: AbortSignal): Promise<FileChanges>;

  /**
   * Puts files and whole folders back to what they were in a snapshot; paths absent there are deleted.
   * Never acts through a symbolic link; paths that lead out of the workspace are passed over.
   */
  restore(fromTree: string, paths: readonly string[], signal: AbortSignal): Promise<void>;

  /**
   * Puts files that a power cut left empty or ending in zeros back to what they were in a snapshot or commit, or, if they are
   * new, to what is there of them. Answers the paths. Only for files that an interrupted iteration may have been writing.
   */
  restoreTorn(fromTree: string, signal: AbortSignal): Promise<readonly string[]>;

  /**
   * Commits what changed since `startTree` on the loop's branch, on top of what the agent itself committed.
   * What was already different from HEAD at `startTree` (left by checks) stays out unless touched since.
   * Null commit when there is nothing to commit. Never runs hooks, never prompts.
   * If the agent moved HEAD off the branch, the branch is brought back with the agent's files kept.
   */
  commit(input: CommitInput, signal: AbortSignal): Promise<CommitResult>;

  /**
   * For the prompt: porcelain status, diff against HEAD, recent log; each bounded by characters.
   * Untracked files are part of the diff once a snapshot has seen them. Empty texts in a folder.
   */
  describe(limits: DescribeLimits, signal: AbortSignal): Promise<WorkspaceText>;

  /** Patch text between two snapshots, streamed to a file. */
  writePatch(fromTree: string, toTree: string, file: string, signal: AbortSignal): Promise<void>;

  /**
   * Replays the commits after `from` (the base so far) onto a commit; work in progress must be committed before.
   * On conflict everything is as before and the files are named. What checks left behind gives way to files that come.
   */
  rebase(onto: string, from: string, signal: AbortSignal): Promise<Rebase>;

  /** Leaves the branch where it is: from here on nothing that runs in the workspace can move it. Nothing in a folder. */
  detach(signal: AbortSignal): Promise<void>;

  /**
   * Shows the files of another commit while `work` runs, and those of the branch again afterwards, however it ends. The
   * branch is not moved. After a kill the next open goes back first. Work in progress must be committed before.
   */
  visit<Result>(commit: string, signal: AbortSignal, work: () => Promise<Result>): Promise<Result>;

  /**
   * What snapshots hold is on the disk when this returns, so that a fact may name it. Costs nothing when there is no new one.
   * `commit`, `rebase` and `moveTo` come back with their commits, refs and files on the disk.
   */
  sync(): Promise<void>;

  /** Those of these paths that are links out of the workspace: checks see what is there, a clone of the commit does not have it. */
  linksOut(paths: readonly string[]): Promise<readonly LinkOut[]>;

  /** Bytes on disk used by the workspace's own files (links not followed). */
  diskUsage(signal: AbortSignal): Promise<number>;
}

/** Both for people to read. */
export type LinkOut = { readonly path: string; readonly target: string };

export type CommitInput = {
  /** The files as they are, when a snapshot has just told and nothing has run since. */
  readonly tree?: string | null;
  readonly startTree: string;
  /** Head recorded when the iteration started; the branch never loses commits below it. */
  readonly startHead: string | null;
  readonly subject: string;
  readonly trailers: readonly (readonly [name: string, value: string])[];
  /**
   * Files that must be in no commit, as no later one takes them out of the history again. Such a file, added or changed, stays
   * in the snapshot and out of the commit, and is named; commits of the agent's own that hold one become one without.
   */
  readonly isKeptOut?: (path: string) => boolean;
};

export type CommitResult = {
  readonly commit: string | null;
  /** Head afterwards (the agent's own commit when it left nothing uncommitted). */
  readonly head: string | null;
  /** Snapshot of the files at this moment. */
  readonly tree: string;
  /** Snapshot of what is in `head`: the same, but for what must be in no commit. Null: not looked at. */
  readonly headTree: string | null;
  /** What was put right, in plain words (HEAD re-attached, lock removed, ...). */
  readonly repaired: readonly string[];
  /** Files that are there and in no commit although nothing committed says to ignore them, each with the reason. */
  readonly unstored: readonly string[];
};

export type Checkpoint = {
  readonly commit: string;
  readonly iteration: number | null;
  readonly subject: string;
  readonly timeMs: number;
};

export type DescribeLimits = { readonly diffChars: number; readonly logEntries: number };

export type WorkspaceText = {
  readonly status: string;
  readonly diff: string;
  readonly log: string;
};

export type Rebase =
  | { readonly kind: 'rebased'; readonly head: string }
  | { readonly kind: 'up-to-date'; readonly head: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] };

export type FastForward =
  | { readonly kind: 'moved'; readonly checkedOut: boolean }
  | { readonly kind: 'dirty'; readonly path: string }
  /** Files under a content filter (git-lfs) would have to be written, and filters never run here. */
  | { readonly kind: 'filtered'; readonly path: string; readonly files: readonly string[] }
  | { readonly kind: 'moved-meanwhile'; readonly now: string | null };

export type DiffSummary = { readonly files: readonly string[]; readonly stat: string };
