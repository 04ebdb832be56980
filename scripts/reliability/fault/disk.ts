import { at, type Fault } from './fault.ts';

const matrix = 'reliability/kill-matrix.test.ts';
const engines = 'reliability/two-engines.test.ts';
const disk = 'reliability/disk-faults.test.ts';
const store = 'reliability/store-faults.test.ts';
const liveness = 'adapters/process/liveness.test.ts';
const outcome = 'engine/agent-outcome.test.ts';
const damaged = 'adapters/sqlite/damaged.test.ts';
const worktree = 'adapters/git/worktree.test.ts';

const fullDisk =
  'pauses the loop with the reason, and it goes on by itself when there is space: $name';

/** Disks and clocks. */
export const diskFaults: readonly Fault[] = [
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
    follows: 'A refusal in one sentence, nothing changes; what only looks works all the same',
    tests: [
      ...at(
        'adapters/sqlite/store-copy.test.ts',
        'holds what was stored, also while somebody has it open',
        'holds what only the log of a killed process has',
      ),
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
    tests: at(liveness, 'neither ends nor hangs a run when the clock jumps'),
    untested:
      'by a real clock: no tool that moves the one of a single process is installed (libfaketime)',
  },
  {
    id: 'C2',
    fault: 'The engine is stopped or the machine sleeps past the lease',
    follows: 'Another engine may take over; the one that wakes up changes nothing and says so',
    tests: [
      ...at(engines, 'changes nothing when it wakes up and says so: asleep at %s'),
      ...at(liveness, 'does not count: an engine that was stopped gives its program the rest'),
    ],
  },
  {
    id: 'C4',
    fault: 'A provider says to wait until a date, or for ever',
    follows: 'Measured from the date of the answer, and never longer than a day',
    tests: at(
      'core/agent/retry-after.test.ts',
      'a date means nothing without the time it is measured from',
      'whatever a header says, nobody waits longer than a day',
    ),
  },
  {
    id: 'C5',
    fault: 'Two events in one millisecond, or a clock that goes back',
    follows: 'Order is the sequence, never the time',
    tests: at(
      matrix,
      '$point:$nth:$ending ($kind) leaves a loop that the next run completes, and nothing else',
    ),
  },
];
