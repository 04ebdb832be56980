import { at, type Fault } from './fault.ts';

const engines = 'reliability/two-engines.test.ts';
const store = 'reliability/store-faults.test.ts';
const damaged = 'adapters/sqlite/damaged.test.ts';
const migrate = 'adapters/sqlite/migrate.test.ts';

/** The store. */
export const storeFaults: readonly Fault[] = [
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
    id: 'S7',
    fault: 'The store is on a network disk',
    follows: 'Refused',
    tests: at('adapters/sqlite/network-disk.test.ts', '%s → %s'),
    untested: 'a real network disk: the file systems are told apart by the table of mounts',
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
