import { at, type Fault } from './fault.ts';

const putBack = 'reliability/store-put-back.test.ts';
const mark = 'adapters/sqlite/store-mark.test.ts';
const lost = 'engine/lost-store.test.ts';
const endless = 'cli/endless-input.test.ts';

/** A store that is older than its work, and input that does not end. */
export const olderStoreFaults: readonly Fault[] = [
  {
    id: 'S20',
    fault: 'The store is put back from a copy or a backup',
    follows:
      'Refused once with what it lacks; then loops go on from their branches, numbers are not used twice, all work is in commits',
    tests: [
      ...at(
        putBack,
        'is refused once, with what it lacks; then the loop goes on with all work in commits',
        'repeats no agent for work that was merged since: copied %s',
        'names loops it does not know at all',
      ),
      ...at(mark, 'is known by its mark: put back from a copy, and said until somebody was told'),
    ],
  },
  {
    id: 'S21',
    fault: 'The log of the store is deleted',
    follows:
      'Seen at the next step of a run, with nothing lost; between runs before anything is spent',
    tests: [
      ...at(
        putBack,
        'between two runs: is seen before anything is spent',
        'during a run: the agent is ended, nothing stored is lost, and the next run goes on: %s',
      ),
      ...at(mark, 'is noticed at the next step, and nothing is lost: %s', 'is not told as stored'),
    ],
  },
  {
    id: 'S22',
    fault: 'A copy in the place of the store, with the log of the old one beside it',
    follows: 'Refused before SQLite mixes the two',
    tests: at(mark, 'is refused before either is opened: %s'),
    untested:
      'a plain copy written over the file in place: nothing tells its log from the right one',
  },
  {
    id: 'S23',
    fault: 'A run of days',
    follows: 'Backed up once a day while it goes on',
    tests: at(
      lost,
      'a long run is backed up while an agent works, and at its end only when a day has passed',
    ),
  },
  {
    id: 'C20',
    fault: '`loopwright.yml` disappears during a run',
    follows: 'Said; what was frozen and what was read last stays, until it is back',
    tests: at(
      'engine/config-gone.test.ts',
      'a loopwright.yml that disappears is said once; what was read stays, until it is back',
    ),
  },
  {
    id: 'C21',
    fault: 'Input without an end: pipes, devices, silence, floods, YAML of many keys or aliases',
    follows: 'Refused or ended with the reason, in a time that grows with its size',
    tests: at(
      endless,
      'a pipe without a writer, a device or a folder in place of a file is refused at once',
      'a pipe in place of %s holds nobody up',
      'more than is taken ends it, on standard input and on a pipe',
      'a silent pipe is told of, and has an end',
      'however many keys a map has',
      'however many anchors and aliases it has: too many are refused',
    ),
  },
  {
    id: 'C22',
    fault: 'A PATH of 100 KB',
    follows: 'Each folder is looked at once',
    tests: at(
      'adapters/process/long-path.test.ts',
      'a PATH of 100 KB is looked through in a moment of processor time',
    ),
  },
  {
    id: 'P20',
    fault: 'Engine and watchdog killed together, under weak containment',
    follows: 'What ran then runs on until the next run, which ends it; the run and doctor say so',
    tests: at(
      'reliability/weak-containment.test.ts',
      'a check whose engine and watchdog were killed together runs on until the next run, which ends it',
    ),
  },
];
