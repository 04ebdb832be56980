import { at, type Fault } from './fault.ts';

/** What is around a rebase, and what it leaves behind. */
export const rebaseFaults: readonly Fault[] = [
  {
    id: 'G30',
    fault: 'Two kills around a rebase, while a person commits to the base',
    follows:
      'Left work is saved once, the rebase is done or undone, and the commits of the person are as they made them',
    tests: at(
      'reliability/rebase-kill.test.ts',
      'the second one %s leaves what a person committed',
      'a rebase that was done and not recorded brings back nothing that a person took back',
    ),
  },
  {
    id: 'G31',
    fault: 'git collects garbage after a rebase or a merge',
    follows: 'The commits that the record names are still there, until the loop is deleted',
    tests: [
      ...at(
        'adapters/git/loop-branch.test.ts',
        'from before a rebase are there after a garbage collection',
        'are there when its branch is retired, and gone with what is kept of it',
      ),
      ...at(
        'cli/receipt.test.ts',
        'holds, and the diff can be read, after the loop was rebased and merged and git has collected garbage',
      ),
    ],
  },
];
