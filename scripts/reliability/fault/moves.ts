import { at, type Fault } from './fault.ts';

const settle = 'adapters/git/settle-moves.test.ts';
const batch = 'engine/merge-batch.test.ts';
const half = 'reliability/half-merge.test.ts';

/** What is the user's and moves: their branch, index and files, and the branches of loops in a batch. */
export const moveFaults: readonly Fault[] = [
  {
    id: 'M1',
    fault: 'A kill at any step of a merge into a checked-out base',
    follows:
      'Files and index follow the branch at the next start; nothing is staged, stashed or left',
    tests: [
      ...at(settle, '%s by a kill: the checkout follows the branch'),
      ...at(half, 'cut %s is finished by the next run'),
    ],
  },
  {
    id: 'M2',
    fault: 'git killed midway, alone, with the engine, or by a time limit',
    follows: 'Half-written files go back; it is not told as uncommitted changes',
    tests: at(
      settle,
      'after %d files, with git: the files go back',
      'by a git that is killed alone: undone at once, and not told as dirty',
      'by an update-ref that is killed: its locks do not stay',
      'by the end of its time: undone before the caller hears of it',
      'by a kill of the engine alone: a git that goes on is ended first',
    ),
  },
  {
    id: 'M3',
    fault: 'The user edits, commits or holds a lock before the next start',
    follows: 'Their edits, commits and locks stay; only the rest of the cut move is put right',
    tests: [
      ...at(
        settle,
        'keeps what the user changed since, and names it',
        'and a user who committed since: their commit is what files follow',
        'in front of a lock of the user’s: waits for it, and the lock stays',
      ),
      ...at(
        half,
        'cut between files and branch keeps an edit of the user’s, and tells them only of that',
      ),
    ],
  },
  {
    id: 'M4',
    fault: 'Settling itself is cut; two checkouts show the branch; a forged record',
    follows: 'The next start goes on; both follow; no ref and no foreign folder is touched',
    tests: at(
      settle,
      'and settling that is killed too: the next one goes on',
      'in two checkouts of the branch: both follow',
      'is no reason to touch a folder that is not a checkout, nor any ref',
    ),
  },
  {
    id: 'M5',
    fault: 'A commit in place, cut between branch and index',
    follows: 'The index follows; nothing is shown as staged',
    tests: at(half, 'cut between branch and index shows nothing as staged after the next run'),
  },
  {
    id: 'M6',
    fault: 'A batch is refused or fails',
    follows: 'Every branch holds its own commits; merging one brings only that one',
    tests: at(
      batch,
      'that a lock of the user’s refuses leaves every branch with its own commits',
      'whose checks fail together leaves every branch as it was',
      'takes only the recorded work of a branch that an older version left on top of others',
      'refuses a branch that a person has put another loop’s work on, until that is merged',
    ),
  },
  {
    id: 'M7',
    fault: 'An obstacle in the files of one loop of a batch',
    follows: 'That loop alone fails, with its reason; the others are merged',
    tests: at(
      batch,
      'is not held up by one whose worktree cannot be made',
      'is not held up by one whose setup fails',
    ),
  },
  {
    id: 'M8',
    fault: 'Something is in the way of a merge: a lock, an edit, a base that keeps moving',
    follows: 'The loop is blocked with the reason, and the next run merges it when that is gone',
    tests: at(
      'cli/merge-again.test.ts',
      'is merged by the next run when $what is gone, and stays blocked while it is not',
    ),
  },
];
