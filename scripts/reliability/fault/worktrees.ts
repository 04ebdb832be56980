import { at, type Fault } from './fault.ts';

const registration = 'adapters/git/registration.test.ts';
const autostash = 'adapters/git/autostash.test.ts';
const doctor = 'cli/doctor.test.ts';

/** How git knows worktrees, and what killed processes leave of them. */
export const worktreeFaults: readonly Fault[] = [
  {
    id: 'W1',
    fault: 'kill -9 at any moment while a worktree is made or removed',
    follows: 'The git of the user works at once; the next start clears what was left',
    tests: at(
      registration,
      '%s: git sees all of it or nothing, and the next start clears it',
      'is waited for while it lives',
    ),
  },
  {
    id: 'W2',
    fault: 'A power cut empties, zero-fills or loses files of a registration',
    follows:
      'Written again by the next start, by opening the loop and by `doctor --fix`; files are kept',
    tests: [
      ...at(
        registration,
        '$file $damage: the next start writes it again',
        '$file $damage: opening the loop mends it',
        'all of them at once',
        'is left to the engine that drives its loop',
      ),
      ...at(doctor, 'repairs an emptied %s'),
      ...at(
        'reliability/left-worktrees.test.ts',
        'is written again when the next run of anything starts, which says so',
        'is written again when a daemon starts',
      ),
    ],
  },
  {
    id: 'W3',
    fault: 'git itself was killed while it registered a worktree',
    follows: 'A loop’s is removed and made anew; the user’s is named by `doctor` and never changed',
    tests: [
      ...at(
        registration,
        'with %j and an empty file after it, is removed',
        'is never changed when it is the user’s, and keeps no loop from working',
      ),
      ...at(
        doctor,
        'removes a throwaway worktree with its branch, and names what is the user’s own',
        'leaves a worktree alone that an engine is making at this moment',
      ),
    ],
  },
  {
    id: 'W4',
    fault: 'Throwaway worktrees of engines that were killed (`-base`, `-clean`, ...)',
    follows: 'Removed with folder, registration and branch by the next start',
    tests: at(
      registration,
      '%s: folder, registration and branch go',
      'a branch alone goes too, packed or not; one of the user’s does not',
      'one that was killed on its way out goes with its branch at the next start',
      'one of this very process stays',
    ),
  },
  {
    id: 'W5',
    fault: 'An agent is killed in the middle of a rebase or merge with `--autostash`',
    follows:
      'Its uncommitted work is back in its files or in a ref of the loop; the user’s stash is the same',
    tests: at(
      autostash,
      'comes back when a half %s is aborted: %j',
      'is kept in a ref of the loop where it does not fit any more',
      'that is still in the files, as the kill came before git could take it away, stays',
      'is brought back by the next owner when the first was killed in between',
      'is kept in a ref when an agent ends in the middle and its files are committed as they are',
    ),
  },
];
