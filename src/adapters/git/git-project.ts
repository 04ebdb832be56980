import { lstat, rm } from 'node:fs/promises';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type {
  CheckoutState,
  OpenedWorkspace,
  Project,
  WorkspaceSpec,
} from '../../ports/workspace.ts';
import { hideStateFolder } from '../files/folder-state.ts';
import { canBeRead, putBackLostRefs, setAsideEmptyObjects } from './after-cut.ts';
import { bringsWorkOf, readBranchLog } from './branch-log.ts';
import { carryOver, isRepositoryOf, partFromOriginal } from './carry-over.ts';
import { listChangedByPeople } from './changed-by-people.ts';
import { listCheckpoints, listLoops } from './checkpoints.ts';
import { fastForwardBranch } from './fast-forward.ts';
import { createGitWorkspace } from './git-workspace.ts';
import { type Checkout, requireOwn } from './git.ts';
import { headBranch } from './head.ts';
import { createIndexDigest } from './index-digest.ts';
import { clearFlags } from './index-flags.ts';
import { branchPrefix, deleteLoopBranch, retireLoopBranch } from './loop-branch.ts';
import { createLoopCheckout, loopFolder } from './loop-checkout.ts';
import { commitFault } from './loose-object.ts';
import { unfinishedOperation } from './mend.ts';
import { moveBranchBack } from './move-back.ts';
import { hasMoves } from './move-record.ts';
import { seedIndex } from './private-index.ts';
import { listFilesAt, readFileAt, readFilesAt } from './read-file.ts';
import { replayCommits } from './rebase.ts';
import { readRef } from './ref-files.ts';
import { isAncestor, resolveCommit } from './repository.ts';
import type { Repository } from './repository.ts';
import { listDifferences, makeRoom } from './room.ts';
import { settleMoves } from './settle-moves.ts';
import { diffSummary } from './diff-summary.ts';
import { compareAround, isStaged, lookAround } from './surroundings.ts';
import { tidyWorktrees } from './tidy-worktrees.ts';
import { requireTrueObjects } from './true-objects.ts';
import { writeTreePatch } from './tree-diff.ts';
import { watchBranch } from './watch-branch.ts';
import { openWorktree, removeWorktree } from './worktree.ts';
import { damagedObjects } from './worktree-refusal.ts';
import type { WorktreeSpec } from './make-worktree.ts';

export function createGitProject(repository: Repository): Project {
  const { reach } = repository;
  const registry = { repository, reach };
  const root = repository.main.workTree ?? repository.main.gitDir;
  /** Folders of opened workspaces, by path. */
  const opened = new Map<string, Checkout>();
  const indexDigest = createIndexDigest(path.join(repository.main.gitDir, 'index'));
  /** How many empty objects were set aside, once: what a cut has left was there before this process. */
  let emptied: Promise<number> | null = null;

  async function putBackLost(
    { recorded, isAfterBoot, ...loop }: WorktreeSpec,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (recorded === undefined) return [];
    const tip = readRef(repository.main, `refs/heads/${loop.branch}`);
    const isSound = typeof tip === 'string' && commitFault(repository.main.commonDir, tip) === null;
    if (isSound && isAfterBoot !== true) return [];
    emptied ??= setAsideEmptyObjects(repository.main.commonDir).catch((error: unknown) => {
      emptied = null;
      throw error;
    });
    await emptied;
    return putBackLostRefs(repository, { ...loop, recorded }, signal);
  }

  return {
    kind: 'git',
    root,
    describe: (signal) => describeUserCheckout(repository, signal),
    resolve: (ref, signal) => resolveRef(repository, ref, signal),
    checkedOut: (signal) => readHead(repository, signal),
    watchBranch: (branch, onMove) => watchBranch(repository.main.commonDir, branch, onMove),
    contains: (commit, part, signal) => containsCommit(repository, commit, part, signal),
    async replay(head, from, onto, signal) {
      const store = { repository, at: repository.main };
      const replayed = await replayCommits(store, head, onto, from, signal);
      await repository.disk.objects();
      return replayed;
    },
    async sync(branches) {
      await repository.disk.objects();
      await repository.disk.refs(branches.map((branch) => `refs/heads/${branch}`));
    },
    isWhole: (commit, since, signal) => canBeRead(repository, commit, since, signal),
    requireStart(base) {
      refuseBare(repository);
      const fault = commitFault(repository.main.commonDir, base);
      if (fault !== null) throw damagedObjects(fault);
    },
    async openWorkspace(spec, signal) {
      const complete = requireStartingPoint(repository, spec);
      if (spec.mode === 'in-place') return openInPlace(repository, complete, signal);
      hideStateFolder(root, spec.path);
      const lost = await putBackLost(complete, signal);
      const { checkout, notes, ...rest } = await openWorktree(registry, complete, signal);
      opened.set(checkout.workTree, checkout.at);
      const workspace = createGitWorkspace(checkout);
      if (lost.length === 0) return { ...rest, notes, workspace };
      return { ...rest, fellBack: true, notes: [...lost, ...notes], workspace };
    },
    requireIntact(folder) {
      const at = opened.get(folder);
      if (at !== undefined) requireOwn(at);
    },
    async removeWorkspace(spec, signal) {
      if (spec.mode === 'in-place') {
        await rm(loopFolder(repository.main.gitDir, spec.loopId), { recursive: true, force: true });
        return null;
      }
      opened.delete(spec.path);
      return removeWorktree(registry, requireStartingPoint(repository, spec), signal);
    },
    retireBranch: (branch, signal) => retireLoopBranch(repository, branch, signal),
    tidyWorktrees: (known, signal) => tidyWorktrees(registry, known, signal),
    deleteBranch: (branch, signal) => deleteLoopBranch(repository, branch, signal),
    checkpoints: (branch, base, signal) => listCheckpoints(repository, branch, base, signal),
    loopsOf: (commit, without, signal) => listLoops(repository, commit, without, signal),
    createBranch: (name, commit, signal) => createBranch(repository, name, commit, signal),
    fastForward: (branch, from, to, signal, loops = []) =>
      fastForwardBranch(repository, { branch, from, to, loops }, signal),
    branchLog: (branch, signal) => readBranchLog(repository, branch, signal),
    bringsWorkOf: (commits, signal) => bringsWorkOf(repository, commits, signal),
    moveBack: (move, signal) => moveBranchBack(repository, move, signal),
    hasCutMoves: () => hasMoves(repository.main.commonDir),
    settleMoves: (signal) => settleMoves(repository, signal),
    readAt: (revision, file, maxBytes, signal) =>
      readFileAt(repository, revision, file, maxBytes, signal),
    readSeveralAt: (revision, files, maxBytes, signal) =>
      readFilesAt(repository, revision, files, maxBytes, signal),
    listAt: (revision, signal) => listFilesAt(repository, revision, signal),
    differing: (from, to, signal) => listDifferences(repository, from, to, signal),
    requireTrue: (commits, signal) => requireTrueObjects(repository, commits, signal),
    makeRoom: (spec, signal) => makeRoom(repository, spec, signal),
    changedByPeople: (from, to, signal) => listChangedByPeople(repository, from, to, signal),
    diffSummary: (from, to, signal) => diffSummary(repository, from, to, signal),
    writePatch: (from, to, file, signal, paths) =>
      writeTreePatch(repository, from, to, file, signal, paths),
    surroundings: (scope, spec, signal) => lookAround(repository, indexDigest, scope, spec, signal),
    compareSurroundings: compareAround,
    isStaged: (commit, signal) => isStaged(repository, commit, signal),
    carryOver: (move) => carryOver(repository.main.commonDir, move),
    partFromOriginal: (folders) => partFromOriginal(repository.main.commonDir, folders),
    sharesRepository: (other) => isRepositoryOf(repository.main.commonDir, other),
  };
}

/** Branches of the user's are read from their files; a loop's are asked of git, since its agent can write there. */
async function resolveRef(
  repository: Repository,
  ref: string,
  signal: AbortSignal,
): Promise<string | null> {
  const known = readRef(repository.main, ref);
  const isLoops = ref.startsWith(`refs/heads/${branchPrefix}`);
  if (known === null || (known !== undefined && !isLoops)) return known;
  return resolveCommit(repository, ref, signal);
}

async function readHead(
  repository: Repository,
  signal: AbortSignal,
): Promise<Pick<CheckoutState, 'branch' | 'head'>> {
  const ref = await headBranch(repository, repository.main, signal);
  const branch = ref?.startsWith('refs/heads/') === true ? ref.slice('refs/heads/'.length) : null;
  const head = await resolveRef(repository, ref ?? 'HEAD', signal);
  return { branch, head };
}

async function containsCommit(
  repository: Repository,
  commit: string,
  part: string,
  signal: AbortSignal,
): Promise<boolean> {
  const known = await resolveCommit(repository, part, signal);
  return known !== null && isAncestor(repository, known, commit, signal);
}

async function describeUserCheckout(
  repository: Repository,
  signal: AbortSignal,
): Promise<CheckoutState> {
  const [{ branch, head }, operation, dirty] = await Promise.all([
    readHead(repository, signal),
    unfinishedOperation(repository.main.gitDir),
    isDirty(repository, signal),
  ]);
  return { branch, head, dirty, operation };
}

async function isDirty(repository: Repository, signal: AbortSignal): Promise<boolean> {
  if (repository.main.workTree === null) return false;
  const args = [
    'status',
    '--porcelain=v2',
    '-z',
    '--untracked-files=no',
    '--ignore-submodules=dirty',
  ];
  // One entry is enough to know.
  const status = await repository.run({ args, signal, maxOutputBytes: 1024 });
  return status.stdout.length > 0;
}

function refuseBare({ main }: Repository): void {
  if (main.workTree !== null) return;
  throw new LoopwrightError('git.bare', `${main.gitDir} is a bare repository`, {
    hint: 'Run in a checkout of it: git clone, or git worktree add.',
  });
}

function requireStartingPoint(repository: Repository, spec: WorkspaceSpec): WorktreeSpec {
  const { branch, base } = spec;
  refuseBare(repository);
  if (base === null) {
    throw new LoopwrightError('git.no_commits', 'The repository has no commit to start from', {
      hint: 'Make a first commit: git commit --allow-empty -m "first commit"',
    });
  }
  if (branch === null) {
    throw new LoopwrightError('git.detached', 'The checkout is on no branch', {
      hint: 'Check out a branch first, or run without --in-place.',
    });
  }
  return { ...spec, branch, base };
}

async function openInPlace(
  repository: Repository,
  spec: WorktreeSpec,
  signal: AbortSignal,
): Promise<OpenedWorkspace> {
  const { main } = repository;
  const operation = await unfinishedOperation(main.gitDir);
  if (operation !== null) {
    throw new LoopwrightError(
      'workspace.operation',
      `A ${operation} is under way in the checkout`,
      {
        hint: `Finish it, or end it with: git ${operation} --abort`,
      },
    );
  }
  const shown = await headBranch(repository, main, signal);
  if (shown !== `refs/heads/${spec.branch}`) {
    throw new LoopwrightError('workspace.off_branch', `The checkout is not on ${spec.branch}`, {
      hint: `Go back to it: git switch ${spec.branch}`,
    });
  }
  const checkout = createLoopCheckout(repository, spec, main.gitDir, spec.path);
  const created = (await lstat(checkout.index.file).catch(() => null)) === null;
  if (created) await seedIndex(checkout.at, checkout.index.file);
  const ready = clearFlags(checkout, signal);
  // Met again by whatever needs the index; a loop that looks at no files does not.
  ready.catch(() => {});
  const workspace = createGitWorkspace(checkout, ready);
  return { workspace, created, repaired: [], missing: [], notes: [] };
}

async function createBranch(
  repository: Repository,
  name: string,
  commit: string,
  signal: AbortSignal,
): Promise<void> {
  const check = await repository.run({ args: ['check-ref-format', '--branch', name], signal });
  if (check.exitCode !== 0) {
    throw new LoopwrightError('git.bad_branch_name', `${name} is not a valid branch name`);
  }
  const id = await resolveCommit(repository, commit, signal);
  if (id === null) throw new LoopwrightError('git.no_such_commit', `${commit} names no commit`);
  const ref = `refs/heads/${name}`;
  const args = ['update-ref', '--stdin'];
  const result = await repository.run({ args, input: `create ${ref} ${id}\n`, signal });
  if (result.exitCode === 0) {
    await repository.disk.objects();
    return repository.disk.refs([ref]);
  }
  throw new LoopwrightError(
    'git.branch_exists',
    `Branch ${name} cannot be created: ${result.stderr.trim()}`,
    {
      hint: 'Choose another name.',
    },
  );
}
