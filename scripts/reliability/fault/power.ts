import { at, type Fault } from './fault.ts';

const cut = 'reliability/power-cut.test.ts';
const lost = 'reliability/lost-objects.test.ts';

/** The power goes, and what the disk did not have is gone with it. */
export const powerFaults: readonly Fault[] = [
  {
    id: 'D11',
    fault: 'Power cut at any moment, on a real ext4 disk',
    follows:
      'Nothing told is lost, what facts and branches name can be read, and the next run completes everything (seed %s)',
    tests: at(cut, 'loses nothing that was told, and the next run completes everything (seed %s)'),
  },
  {
    id: 'D12',
    fault: 'Commits, snapshots or refs of a loop are empty or zeros',
    follows: 'It goes on from the newest commit that can be read and says so; files are kept',
    tests: [
      ...at(
        lost,
        'a loop goes on from the newest that can be read, says so, and loses no file: %s',
        'a rebase that was cut is undone where the index is empty as well',
      ),
    ],
  },
  {
    id: 'D13',
    fault: 'The work of a complete loop is lost before it is merged',
    follows: 'Neither merged nor done; resumed, it is worked out again',
    tests: at(
      lost,
      'a complete loop whose work is lost is not merged and not done; resumed, it is worked out again',
    ),
  },
  {
    id: 'D14',
    fault: 'A lock of the base branch stays when a merge is cut',
    follows: 'Known by the commit in it, removed, and merged',
    tests: at(
      lost,
      'a lock that the move of the base was cut short with is removed, and the loop merged',
    ),
  },
];
