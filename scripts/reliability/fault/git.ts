import { at, type Fault } from './fault.ts';

const flow = 'engine/git-flow.test.ts';
const runLoop = 'engine/run-loop.test.ts';
const worktree = 'adapters/git/worktree.test.ts';
const commit = 'adapters/git/commit.test.ts';
const project = 'adapters/git/open-project.test.ts';
const safety = 'adapters/git/safety.test.ts';
const repositories = 'engine/git-repositories.test.ts';
const around = 'engine/surroundings.test.ts';

/** Repositories, and what agents and users do to them. */
export const gitFaults: readonly Fault[] = [
  {
    id: 'G1',
    fault: 'Locks of git left behind',
    follows: 'Stale ones of the worktree are removed, those of the user stay',
    tests: at(worktree, 'stale locks of the worktree go, those of the user stay'),
  },
  {
    id: 'G2',
    fault: 'The checkout of the user is dirty',
    follows: 'It is not touched; the loop starts from the commit',
    tests: [
      ...at(runLoop, 'leaves the checkout, its index, refs and config as they were (I6)'),
      ...at(flow, 'refuses to touch a dirty checkout'),
    ],
  },
  {
    id: 'G3',
    fault: 'The base moves against the work of the loop',
    follows: 'Blocked with the files named, no half rebase',
    tests: at(flow, 'blocks on a conflict with the files named, and leaves no half rebase'),
  },
  {
    id: 'G4',
    fault: 'Unusual repositories: unborn branch, detached head, bare, SHA-256',
    follows: 'Works, or is refused before anything is spent',
    tests: at(
      project,
      'an unborn branch is described, and refused when a loop needs a commit',
      'a bare repository is refused when a loop needs files',
      'a SHA-256 repository works like any other',
      'a detached HEAD and a running merge are seen',
    ),
  },
  {
    id: 'G5',
    fault: 'A broken index',
    follows: 'Made anew; nothing is lost',
    tests: [
      ...at(commit, 'a replaced .git, a broken HEAD, a broken index and stale locks are put right'),
      ...at('adapters/git/commit-files.test.ts', 'the engine’s own damaged index is rebuilt'),
    ],
  },
  {
    id: 'G6',
    fault: 'The worktree is removed during a run',
    follows: 'Named as such; made anew from the branch by the next owner',
    tests: [
      ...at(commit, 'a worktree that is gone is named as such'),
      ...at(worktree, 'a missing folder is made anew from the branch, which keeps its commits'),
    ],
  },
  {
    id: 'G7',
    fault: 'An empty or damaged object, lost history',
    follows: 'Moved away and written anew from the files; said in the event',
    tests: at('engine/git-faults.test.ts', '%s: the loop goes on and nothing is lost'),
  },
  {
    id: 'G8',
    fault: 'The agent resets, amends, switches or deletes its branch and prunes',
    follows: 'Recorded commits stay, the branch comes back with the files of the agent',
    tests: at(
      commit,
      'a reset below the start keeps the earlier commits and the files',
      'an amended earlier commit becomes a commit of its own',
      'a deleted branch is made again, even after everything was pruned',
      'a detached HEAD is attached again with its commits',
    ),
  },
  {
    id: 'G9',
    fault: 'The agent changes nothing',
    follows: 'No commit; it counts towards the ladder of no progress',
    tests: [
      ...at(commit, 'is not made when nothing changed'),
      ...at(
        'core/strategy/ladder.test.ts',
        'gives a notice after three iterations and ends after five',
      ),
    ],
  },
  {
    id: 'G10',
    fault: 'Names with newlines, dashes and invalid UTF-8, links, very large files',
    follows: 'Committed, restored and shown as they are, or left out and named',
    tests: at(
      repositories,
      'are committed, restored and shown as they are',
      'are left out and named when they are too large to commit',
    ),
  },
  {
    id: 'G11',
    fault: 'The agent leaves its worktree: user’s checkout, refs, configuration, hooks',
    follows:
      'Walls, or named and blocked; also when the engine is killed meanwhile; merges of ours are known',
    tests: [
      ...at(
        'engine/sandbox-worktree.test.ts',
        'blocks a loop whose agent %s, and says what changed',
        'warns of an agent that %s',
      ),
      ...at(
        'engine/surroundings.test.ts',
        '%s: sandbox: worktree blocks, a resume goes on',
        'takes a merge of another loop by another engine for what it is',
      ),
      ...at(around, 'does not hide what an agent does beside it'),
      ...at(
        'engine/sandbox.test.ts',
        'does its work and reaches nothing else, nor do the checks that run its code',
      ),
    ],
  },
  {
    id: 'G12',
    fault: 'Hooks, filters and programs planted in the repository',
    follows: 'None of them runs for the engine',
    tests: at(
      safety,
      'programs and hooks in %s never run',
      'a .git swapped for a repository of the agent’s is not followed',
    ),
  },
  {
    id: 'G14',
    fault: 'The agent hides files from the commit, or leaves some that git cannot store',
    follows: 'What was verified is what is committed, or the loop does not complete',
    tests: at(
      'engine/hidden-files.test.ts',
      'although an agent hides it by %s',
      'or the loop does not complete: %s',
      'files that committed or user’s own lists ignored before stay out',
      'caches, and folders that ignored themselves before, are nobody’s work',
    ),
  },
  {
    id: 'G15',
    fault: 'Submodules and content filters',
    follows: 'Filled from what is there, or told of before anything is spent',
    tests: at(
      'engine/git-repositories.test.ts',
      'has their files in the worktree, from what is there already',
      'is told of when they are not there',
      'is told of before anything is spent, and merged where no such file changes',
      'never gets a file that should have gone through one',
    ),
  },
  {
    id: 'G16',
    fault: 'The user commits, branches, tags and stages in their checkout meanwhile',
    follows: 'No warning and no block; with `sandbox: worktree` only what `loop restore` does',
    tests: at(
      around,
      'is no tampering: commits, branches, tags, stashes, what is staged',
      'is no tampering behind walls, where it cannot be the agent',
      'sandbox: worktree knows the branches of `loop restore`',
    ),
  },
  {
    id: 'G17',
    fault: 'A forbidden file is committed, by the agent itself too, and removed later',
    follows: 'It is in no commit of what is merged',
    tests: at(
      'engine/forbidden-history.test.ts',
      'is in no commit of what is merged: %s',
      'is named, fails L0 as long as it is there, and what the base has of it stays as it was',
    ),
  },
];
