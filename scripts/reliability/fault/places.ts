import { at, type Fault } from './fault.ts';

const places = 'reliability/places.test.ts';
const stateDir = 'cli/own-state-dir.test.ts';

/** A project that is not where it was. */
export const placeFaults: readonly Fault[] = [
  {
    id: 'L1',
    fault: 'The project is copied, at rest or while it works',
    follows:
      'The copy starts fresh worktrees and says so; the original stays bit-identical, its agents live, both complete',
    tests: at(
      places,
      'at rest goes on in fresh worktrees, says so once, and leaves the original bit-identical',
      'of a project at work ends none of its agents, and both complete',
      'does not end an agent of the original whose engine was killed',
      'made by an older version is known by the paths of its loops',
      'goes on when its first engine is killed at %s',
    ),
  },
  {
    id: 'L2',
    fault: 'The copy is torn: its store was written while it was copied',
    follows: 'It opens soundly or is refused with what to do; the original completes',
    tests: at(
      places,
      'made while the original works opens soundly or is refused, and the original completes',
      'whose store is torn is refused with what to do',
    ),
  },
  {
    id: 'L3',
    fault: 'A copy would share worktrees, records, the repository or the daemon with the original',
    follows: 'It gets its own, or is refused by name',
    tests: at(
      places,
      'keeps out of the worktrees that the original has outside of the repository',
      'of its records alone starts in another clone what its branches do not have there',
      'that shares its repository or its store with the original is refused',
      'does not speak with the daemon of the original',
    ),
  },
  {
    id: 'L4',
    fault: 'The project is moved, renamed, moved to another disk, or put back from a copy',
    follows: 'Worktrees and left work come along; registrations lead to each other again',
    tests: at(
      places,
      'takes its worktrees and what was left in them along, there and back',
      'goes on with what was left although git has pruned the registrations',
      'to another disk goes on with what was left (needs a /dev/shm)',
      'keeps its worktrees outside of the repository',
      'together with the folder of its worktrees finds them there',
      'that is put back from a copy goes on with what was left in it',
    ),
  },
  {
    id: 'L5',
    fault: 'The project is moved under a running engine',
    follows:
      'The engine ends, nothing is written at the old path, the next run goes on at the new one',
    tests: at(
      places,
      'under its engine by its %s makes the engine end, writes nothing at the old path, and goes on where it is',
    ),
  },
  {
    id: 'L6',
    fault: 'The project is reached through a link or a bind mount',
    follows: 'It is one and the same',
    tests: at(
      places,
      'reached through a link is where it was',
      'is one and the same (needs bind mounts)',
    ),
  },
  {
    id: 'L7',
    fault: 'A state folder lies above the repository',
    follows: 'It is passed over',
    tests: [
      ...at(
        stateDir,
        'is that of the git repository, never one above it',
        'gets the error log, and one above the repository does not',
      ),
      ...at('cli/completion.test.ts', 'passes over a state folder that lies above the repository'),
    ],
  },
];
