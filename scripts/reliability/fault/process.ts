import { at, type Fault } from './fault.ts';

const matrix = 'reliability/kill-matrix.test.ts';
const engines = 'reliability/two-engines.test.ts';
const gitKill = 'reliability/git-kill.test.ts';
const supervisor = 'adapters/process/supervisor.test.ts';
const death = 'adapters/process/engine-death.test.ts';
const containment = 'adapters/process/containment.test.ts';
const liveness = 'adapters/process/liveness.test.ts';
const outcome = 'engine/agent-outcome.test.ts';
const edge = 'engine/edge-cases.test.ts';

/** What processes do, the engine’s own and those of agents. */
export const processFaults: readonly Fault[] = [
  {
    id: 'P1',
    fault: 'The engine is killed at any step that changes something',
    follows: 'The next `run` goes on: the step is done again or skipped, never half done',
    tests: [
      ...at(
        matrix,
        '$point:$nth:$ending ($kind) leaves a loop that the next run completes, and nothing else',
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
      ...at(
        'adapters/process/cgroup.test.ts',
        'is recorded with it, also a cgroup made inside goes, and nothing is left of either',
      ),
    ],
    untested:
      'a scope made by systemd-run: there is no systemd here; a cgroup of our own was tried as root',
  },
  {
    id: 'P4',
    fault: 'The agent ignores TERM',
    follows: 'KILL after the grace',
    tests: at(supervisor, 'by cancelling ends the tree, also where signals are ignored'),
  },
  {
    id: 'P5',
    fault: 'The agent takes all memory or all process ids',
    follows: 'Its iteration ends, the engine and other loops go on',
    tests: [],
    untested:
      'not built: no limits are set on a cgroup, and the one of version 2 here has no controllers to try them with',
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
    id: 'P8',
    fault: 'The agent is stopped',
    follows: 'The idle limit sees it, and it can be ended all the same',
    tests: at(liveness, 'hangs when it is stopped, and can be ended all the same'),
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
    id: 'P10',
    fault: 'A worker thread dies',
    follows: 'Its work is done without it; agents are started by the main thread alone',
    tests: at(
      'adapters/sqlite/search-thread.test.ts',
      'a thread that cannot work leaves the search to its caller',
    ),
  },
  {
    id: 'P11',
    fault: 'A check hangs, leaves daemons, or runs no test at all',
    follows: 'Ended with its time limit and its daemons; a run without tests is no pass',
    tests: [
      ...at('core/verdict/check.test.ts', 'a timeout fails'),
      ...at(edge, 'does not take a suite that lost its tests for a pass'),
      ...at(supervisor, 'takes no daemon with it that outlives the run'),
    ],
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
      '$point:$nth:$ending ($kind) leaves a loop that the next run completes, and nothing else',
    ),
  },
  {
    id: 'P14',
    fault: 'The program or the agent is replaced by another version during a loop',
    follows: 'The next session records its own version',
    tests: [],
    untested: 'nothing pins a version, so there is no promise to break',
  },
  {
    id: 'P15',
    fault: 'Engine and watchdog are killed while a judge, a summary or a decomposition runs',
    follows: 'The next run ends that agent first: who it is was recorded before it could act',
    tests: at(
      'reliability/aside-kill.test.ts',
      'that outlives a killed engine and its watchdog is ended by the next run',
    ),
  },
];
