import { at, type Fault } from './fault.ts';

const clockSet = 'reliability/clock-set.test.ts';
const leaseTime = 'adapters/sqlite/lease-time.test.ts';
const clockJump = 'engine/clock-jump.test.ts';
const waitClock = 'engine/wait-clock.test.ts';
const locked = 'reliability/locked-store.test.ts';
const elsewhere = 'reliability/work-elsewhere.test.ts';
const cleanUp = 'engine/clean-up.test.ts';

/** Clocks that are set, stores that are locked, other engines at work, and removing that takes long. */
export const timeFaults: readonly Fault[] = [
  {
    id: 'T1',
    fault: 'The clock is set forward or back while loops run, also repeatedly',
    follows: 'No lease ends early or late: no loop lost, no iteration repeated',
    tests: [
      ...at(
        clockSet,
        'set forward and back again and again, it costs no loop, repeats no iteration and changes no wait',
      ),
      ...at(clockJump, 'keeps its loop when the clock is set by %s hours'),
      ...at(leaseTime, 'all processes of a boot agree, whatever the clock is set to in between'),
    ],
  },
  {
    id: 'T2',
    fault: 'The clock is set during a wait, also one whose engine is killed',
    follows: 'The wait lasts as long as it was meant to',
    tests: [
      ...at(
        clockSet,
        'in the middle of a wait whose engine is killed: the next engine waits for the rest',
      ),
      ...at(waitClock, 'no setting of the clock makes a wait shorter or longer'),
    ],
  },
  {
    id: 'T3',
    fault: 'Another program locks the store for 20 s',
    follows: 'Waited for, said once; no loop is lost',
    tests: [
      ...at(locked, 'at the start of a run', 'while agents work', 'while loops are merged'),
      ...at(locked, 'and a command waits for it and says so'),
    ],
  },
  {
    id: 'T4',
    fault: 'Tasks wait for work of another engine, which may be killed',
    follows: 'Exit 4 while it lives; its work is taken up when it is gone',
    tests: [
      ...at(elsewhere, 'a task behind the work of another engine is not held by a person'),
      ...at(elsewhere, 'a run goes on with what another engine leaves when it is killed'),
      ...at(elsewhere, 'two runs that find the same left work at the same time both end well'),
      ...at(
        elsewhere,
        'a task whose command is killed before it has a loop is worked on by the next run',
      ),
    ],
  },
  {
    id: 'T5',
    fault: 'Removing a worktree takes long or fails',
    follows: 'The loop is merged all the same; the next run removes the rest',
    tests: [
      ...at(cleanUp, 'costs the loop nothing, and the next run removes it (merge: %s)'),
      ...at(cleanUp, 'is said, and again after a while'),
      ...at(
        cleanUp,
        'is not given up by a clock',
        'thousands of files are removed with their loop',
      ),
    ],
  },
];
