/** A test by its file below `test/` and its title as it stands there. */
export type TestRef = { readonly file: string; readonly title: string };

/** One way in which the world can fail a loop, what follows, and what shows it. */
export type Fault = {
  readonly id: string;
  readonly fault: string;
  readonly follows: string;
  readonly tests: readonly TestRef[];
  /** What no test here shows, and why. */
  readonly untested?: string;
};

const matrix = 'reliability/kill-matrix.test.ts';
const engines = 'reliability/two-engines.test.ts';
const gitKill = 'reliability/git-kill.test.ts';
const disk = 'reliability/disk-faults.test.ts';
const store = 'reliability/store-faults.test.ts';
const supervisor = 'adapters/process/supervisor.test.ts';
const death = 'adapters/process/engine-death.test.ts';
const containment = 'adapters/process/containment.test.ts';
const liveness = 'adapters/process/liveness.test.ts';
const streams = 'adapters/process/streams.test.ts';
const flow = 'engine/git-flow.test.ts';
const outcome = 'engine/agent-outcome.test.ts';
const runLoop = 'engine/run-loop.test.ts';
const damaged = 'adapters/sqlite/damaged.test.ts';
const migrate = 'adapters/sqlite/migrate.test.ts';
const worktree = 'adapters/git/worktree.test.ts';
const commit = 'adapters/git/commit.test.ts';
const project = 'adapters/git/open-project.test.ts';
const safety = 'adapters/git/safety.test.ts';

const at = (file: string, ...titles: readonly string[]): readonly TestRef[] =>
  titles.map((title) => ({ file, title }));

const fullDisk =
  'pauses the loop with the reason, and it goes on by itself when there is space: $name';

/** The rows that concern one loop. Letters: process, disk, clock, git, agent, store. */
export const faults: readonly Fault[] = [
  {
    id: 'P1',
    fault: 'The engine is killed at any step that changes something',
    follows: 'The next `run` goes on: the step is done again or skipped, never half done',
    tests: [
      ...at(
        matrix,
        '$point:$nth:$ending leaves a loop that the next run completes, and nothing else',
      ),
      ...at(gitKill, 'killed %s leaves a loop that the next run completes'),
      ...at(
        'core/loop/loop-walk.test.ts',
        'is repaired once, keeps every finished iteration and goes on with the next number (I4)',
      ),
    ],
  },
  {
    id: 'P2',
    fault: 'The engine is killed while it starts an agent',
    follows: 'The agent never acts: its identity is stored before it may',
    tests: [
      ...at(death, 'a program the engine never released does not run'),
      ...at(supervisor, 'waits until the identity is stored'),
      ...at(containment, 'is gone when the engine dies while it starts'),
    ],
  },
  {
    id: 'P3',
    fault: 'The agent starts processes that try to leave its sight',
    follows: 'They end with the iteration, and with the engine',
    tests: [
      ...at(
        supervisor,
        'takes no daemon with it that outlives the run',
        'follows descendants into other sessions and environments',
      ),
      ...at(death, 'nothing survives the engine when it is killed'),
      ...at(
        containment,
        'is gone when its run is over',
        'is gone after the time limit',
        'is gone when it is cancelled',
        'is gone when the engine is killed',
        'is found by its identity and ended',
        'an agent that kills every node does not kill the engine',
        'falls back, loudly, where namespaces are forbidden',
      ),
    ],
  },
  {
    id: 'P4',
    fault: 'The agent ignores TERM',
    follows: 'KILL after the grace',
    tests: at(supervisor, 'by cancelling ends the tree, also where signals are ignored'),
  },
  {
    id: 'P6',
    fault: 'The agent never ends, or hangs',
    follows:
      'Ended at the iteration timeout with its tree, and the iteration counts; hung by its idle limit, it is started again once',
    tests: [
      ...at(
        outcome,
        'ends an agent at the iteration timeout with its whole tree, and counts the iteration',
        'starts a hung agent again once, then lets the iteration end',
      ),
      ...at(
        liveness,
        'hangs when it sleeps',
        'does not hang while it, or a process it left, computes',
        'does not hang while it writes',
        'a growing transcript is a sign of life',
      ),
    ],
  },
  {
    id: 'P8',
    fault: 'The agent is stopped',
    follows: 'The idle limit sees it, and it can be ended all the same',
    tests: at(liveness, 'hangs when it is stopped, and can be ended all the same'),
  },
  {
    id: 'P5',
    fault: 'The agent takes all memory or all process ids',
    follows: 'Its iteration ends, the engine and other loops go on',
    tests: [],
    untested: 'limits of a group of processes need a cgroup of our own, which is not set up here',
  },
  {
    id: 'P7',
    fault: 'The agent is busy but gets nowhere',
    follows: 'The iteration timeout and the ladder of no progress end it',
    tests: [
      ...at(
        outcome,
        'ends an agent at the iteration timeout with its whole tree, and counts the iteration',
      ),
      ...at(
        'core/strategy/ladder.test.ts',
        'says the same of an agent that leaves files and failure as they are',
      ),
    ],
  },
  {
    id: 'P9',
    fault: 'Ctrl-C once, twice, SIGTERM, the terminal goes away',
    follows: 'The iteration is finished or cut, the files are kept, exit code 130',
    tests: at(
      'cli/signals.test.ts',
      'finishes the iteration on the first Ctrl-C and says how to go on',
      'cuts the iteration on %s, keeps its files and exits with 130',
    ),
  },
  {
    id: 'P12',
    fault: 'A recorded pid belongs to another process by now',
    follows: 'That process is left alone; pid, start time and boot are compared',
    tests: [
      ...at(engines, 'is not ended, and its session does not count as alive'),
      ...at(
        supervisor,
        'is not that of a stranger with the same pid, of another boot, or of a zombie',
      ),
    ],
  },
  {
    id: 'P13',
    fault: 'A custom strategy throws or answers nonsense',
    follows: 'It is overruled for this iteration, with a warning; the loop goes on',
    tests: at(
      matrix,
      '$point:$nth:$ending leaves a loop that the next run completes, and nothing else',
    ),
  },
  {
    id: 'D1',
    fault: 'No space left for the store',
    follows:
      'The reserve is given up, the loop pauses with the reason, and goes on when there is space',
    tests: at(
      disk,
      fullDisk,
      'leaves a paused loop when it is interrupted meanwhile, and the next run goes on',
    ),
  },
  {
    id: 'D2',
    fault: 'No space left in the worktree',
    follows: 'The same, before another agent is started',
    tests: at(disk, fullDisk),
  },
  {
    id: 'D3',
    fault: 'No space left for the output of an agent',
    follows: 'The same; the interrupted iteration keeps its number and does not count',
    tests: at(disk, fullDisk),
  },
  {
    id: 'D4',
    fault: 'Writing or syncing the store fails (EIO, EROFS, ENOSPC) from any call on',
    follows:
      'The transaction is refused and the error told; nothing is complete that was not stored',
    tests: at(store, 'is told and nothing false is stored: $error from $call $nth of $file on'),
  },
  {
    id: 'D5',
    fault: 'The state folder cannot be written',
    follows: 'A refusal in one sentence; nothing changes',
    tests: [
      ...at(
        disk,
        'that became read-only is refused with a clear message; when it can be written, the loop goes on',
      ),
      ...at(damaged, 'is read-only: %s'),
    ],
  },
  {
    id: 'D6',
    fault: 'The store is deleted or replaced under a running loop',
    follows: 'Noticed at the next write or renewal, the agent is ended, no new store appears',
    tests: at(
      store,
      'is noticed while the agent works, which is ended: %s',
      'is not made anew behind the back of its user',
    ),
  },
  {
    id: 'D7',
    fault: 'No inodes left',
    follows: 'As with space',
    tests: at(disk, fullDisk),
  },
  {
    id: 'D8',
    fault: 'A configuration file that is half written',
    follows: 'The loop goes on with what it had, and says so',
    tests: at(
      'engine/edge-cases.test.ts',
      'goes on with the old settings while the configuration is half written',
    ),
  },
  {
    id: 'D9',
    fault: 'The agent leaves folders nobody may enter',
    follows: 'The worktree is removed all the same',
    tests: at(
      worktree,
      'folder and registration go, the branch stays, also with a replaced .git and locked folders',
    ),
  },
  {
    id: 'D10',
    fault: 'A worktree grows beyond its budget',
    follows: 'The loop stops with the reason',
    tests: at(outcome, 'stops at the disk budget'),
  },
  {
    id: 'C1',
    fault: 'The wall clock jumps',
    follows: 'Limits are measured on the monotonic clock',
    tests: [],
    untested: 'no tool that moves the clock of one process is installed (libfaketime)',
  },
  {
    id: 'C2',
    fault: 'The engine is stopped or the machine sleeps past the lease',
    follows: 'Another engine may take over; the one that wakes up changes nothing and says so',
    tests: [
      ...at(engines, 'changes nothing when it wakes up and says so: asleep at %s'),
      ...at(
        liveness,
        'does not count: an engine that was stopped gives its program the rest',
        'neither ends nor hangs a run when the clock jumps',
      ),
    ],
  },
  {
    id: 'C5',
    fault: 'Two events in one millisecond, or a clock that goes back',
    follows: 'Order is the sequence, never the time',
    tests: at(
      matrix,
      '$point:$nth:$ending leaves a loop that the next run completes, and nothing else',
    ),
  },
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
      ...at(
        'engine/sandbox.test.ts',
        'does its work and reaches nothing else, nor do the checks that run its code',
      ),
    ],
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
    id: 'A1',
    fault: 'A flood of output',
    follows: 'To disk as it comes, bounded in memory',
    tests: [
      ...at(supervisor, 'a flood of output passes through without being held'),
      ...at(streams, 'in lines, to a file', 'when the disk is slow: the program waits'),
    ],
  },
  {
    id: 'A2',
    fault: 'A line without end',
    follows: 'Cut, with how much is missing',
    tests: [
      ...at(
        'adapters/process/line-splitter.test.ts',
        'an over-long line is cut, says how much is missing, and does not disturb its neighbours',
      ),
      ...at(streams, 'in a single line'),
    ],
  },
  {
    id: 'A3',
    fault: 'Bytes that are no text, split anywhere',
    follows: 'The same lines at every split',
    tests: [
      ...at(
        'adapters/process/line-splitter.test.ts',
        'any chunking of any bytes gives the same lines',
      ),
      ...at(
        streams,
        'any bytes, cut anywhere, reach the file as they are and the reader as the same lines',
      ),
    ],
  },
  {
    id: 'A4',
    fault: 'Output made to break its parser',
    follows: 'Never an exception, never a claim out of a code fence, in linear time',
    tests: at(
      'core/transcript/sigils.test.ts',
      'never throws and is never fooled by code fences',
      'reads a megabyte of <learning in milliseconds',
    ),
  },
  {
    id: 'A6',
    fault: 'The agent fails after good work',
    follows: 'The checks decide',
    tests: at(outcome, 'judges the files of an agent that crashed after good work'),
  },
  {
    id: 'A9',
    fault: 'The agent claims to be done and is not',
    follows: 'Never complete without an executed pass',
    tests: [
      ...at(runLoop, 'never completes for an agent that prints the done tag and changes nothing'),
      ...at(flow, 'puts protected paths back before anything is judged (I7)'),
    ],
  },
  {
    id: 'A11',
    fault: 'Terminal escapes in the output',
    follows: 'Nothing of them reaches a person',
    tests: at(
      'core/text/terminal.test.ts',
      'leaves nothing unsafe in any text, and changes nothing on a second pass',
    ),
  },
  {
    id: 'A12',
    fault: 'The agent prints a secret',
    follows: 'A mark is kept and shown instead of its value, whole, in parts or encoded',
    tests: [
      ...at('cli/signals.test.ts', 'never prints the value of a key'),
      ...at(streams, 'printed %s reach neither file nor reader nor tail'),
      ...at(
        'core/redact/redactor.test.ts',
        'the result is the same',
        'no secret is in the result, and what is no secret is',
      ),
    ],
  },
  {
    id: 'A15',
    fault: 'The same failing edit again and again',
    follows: 'A notice, then the end',
    tests: at(
      'core/strategy/ladder.test.ts',
      'notices the same failure on the same tree and ends when three more iterations repeat it',
    ),
  },
  {
    id: 'A18',
    fault: 'The agent is missing or not signed in',
    follows: 'Told at once; blocked, not retried',
    tests: [
      ...at('adapters/agents/command-agent.test.ts', 'a missing command is told as such'),
      ...at(outcome, 'blocks at once when the agent cannot sign in'),
    ],
  },
  {
    id: 'S1',
    fault: 'Another program has the store locked',
    follows: 'Waited for, with a notice; the work is kept',
    tests: at(store, 'is waited for, said so, and the loop goes on'),
  },
  {
    id: 'S2',
    fault: 'The store is damaged',
    follows: 'Refused with the way out; a copy in its place goes on',
    tests: [
      ...at(store, 'is reported as damaged, and a copy put into its place goes on'),
      ...at(damaged, 'is seen when it was damaged in the middle'),
    ],
  },
  {
    id: 'S3',
    fault: 'An older schema',
    follows: 'Migrated in a transaction after a backup',
    tests: at(migrate, 'keeps the data, and a backup of the old version that still opens'),
  },
  {
    id: 'S4',
    fault: 'A newer schema',
    follows: 'Refused, not a bit changed',
    tests: at(damaged, 'is refused and left as it is, bit for bit'),
  },
  {
    id: 'S5',
    fault: 'A migration is killed',
    follows: 'The old version, and it can be done again',
    tests: at(migrate, 'that is killed leaves the old version, and can be done again'),
  },
  {
    id: 'S6',
    fault: 'Two engines at once',
    follows: 'A loop has one owner; the other is refused by name',
    tests: at(
      engines,
      'never drive the same loop, and each task gets one',
      'refuse a loop that the other one drives, and name it',
    ),
  },
  {
    id: 'S9',
    fault: 'The log of the store grows',
    follows: 'Folded back as it goes',
    tests: [
      ...at(store, 'stays small over a long run'),
      ...at(
        'adapters/sqlite/log-size.test.ts',
        'a log that a long reader let grow is cut back once the reader is gone',
      ),
    ],
  },
];
