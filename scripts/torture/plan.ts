import { failpointNames } from '../../src/ports/failpoint.ts';
import { createChance, type Chance } from './chance.ts';

/** Stories that differ in who is hit and when; `stories.ts` says what each does. */
export const scenarios = [
  'engine',
  'family',
  'git',
  'twice',
  'signals',
  'rebase',
  'merge',
  'in-place',
  'engines',
  'clock',
  'copy',
  'move',
  'lock',
] as const;
export type ScenarioName = (typeof scenarios)[number];

export type PlannedTask = {
  readonly name: string;
  /** Iterations that its agent needs. */
  readonly needs: number;
  /** How long the agent works, twice an iteration. */
  readonly pauseMs: number;
  /** Files that it adds in every iteration. */
  readonly files: number;
  /** Whether it changes its line of a file that all have lines in. */
  readonly shared: boolean;
  /** Whether it writes a file that is larger than what a limited git may write. */
  readonly big: boolean;
};

export type Aim =
  | { readonly kind: 'time'; readonly afterMs: number }
  | {
      readonly kind: 'event';
      readonly type: string;
      readonly nth: number;
      readonly afterMs: number;
    }
  | { readonly kind: 'point'; readonly point: string; readonly nth: number }
  /**
   * The N-th of our git commands of a name since an event (`any`: whatever its name; `move`: it changes the base branch, or
   * files or index of a checkout that shows it). It dies before it does anything,
   * after some time, at its first write (`starved`), or when it writes a large file (`limited`).
   */
  | {
      readonly kind: 'git';
      readonly since: string | null;
      readonly command: string;
      readonly nth: number;
      readonly cut: 'before' | 'meanwhile' | 'starved' | 'limited';
      readonly afterMs: number;
    };

export type Victim = 'engine' | 'family' | 'git' | 'term' | 'int' | 'stop';
export type Blow = { readonly victim: Victim; readonly aim: Aim };

export type Plan = {
  readonly scenario: ScenarioName;
  readonly seed: string;
  readonly tasks: readonly PlannedTask[];
  readonly jobs: number;
  /** Where the base branch is checked out. */
  readonly base: 'here' | 'linked' | 'nowhere';
  /** Whether the files of the person are protected. */
  readonly protects: boolean;
  /** Files that an iteration may change before a person is asked; 0: any number. No agent here reaches it. */
  readonly mostFiles: number;
  readonly blows: readonly Blow[];
  /** Whether a person works meanwhile, and how long between two of their commits. */
  readonly person: { readonly leastMs: number; readonly mostMs: number } | null;
  /** Whether the person keeps their index locked now and then, longer than a merge waits for it. */
  readonly locksIndex: boolean;
  readonly chance: Chance;
};

export function planRound(scenario: ScenarioName, seed: string): Plan {
  const chance = createChance(`${scenario}/${seed}`);
  const isInPlace = scenario === 'in-place';
  // A linked checkout knows only the place that the repository had.
  const isElsewhere = ['copy', 'move'].includes(scenario);
  const isQuiet = ['in-place', 'clock', 'lock'].includes(scenario);
  const isMoving = ['rebase', 'twice'].includes(scenario);
  const tasks = planTasks(chance.fork('tasks'), scenario);
  return {
    scenario,
    seed,
    tasks,
    jobs: isInPlace ? 1 : chance.int(3, 4),
    base: isInPlace
      ? 'here'
      : isElsewhere
        ? chance.pick(['here', 'nowhere'] as const)
        : chance.pick(scenario === 'merge' ? mostlyShown : anywhere),
    protects: chance.is(0.6),
    mostFiles: chance.pick([0, 12]),
    blows: planBlows(chance.fork('blows'), scenario),
    person: isQuiet ? null : isMoving ? { leastMs: 20, mostMs: 150 } : { leastMs: 80, mostMs: 500 },
    locksIndex: scenario === 'merge' && chance.is(0.4),
    chance,
  };
}

const anywhere = ['here', 'here', 'linked', 'nowhere'] as const;
const mostlyShown = ['here', 'here', 'here', 'linked', 'linked', 'nowhere'] as const;

function planTasks(chance: Chance, scenario: ScenarioName): readonly PlannedTask[] {
  const isMerge = scenario === 'merge';
  const count = scenario === 'in-place' ? 3 : isMerge ? chance.int(5, 7) : chance.int(4, 6);
  return Array.from({ length: count }, (_, index) => ({
    name: `part-${index}`,
    needs: isMerge ? 1 : chance.pick([1, 1, 2, 2, 3]),
    pauseMs: isMerge ? 60 : chance.int(20, 150),
    files: chance.int(0, 4),
    shared: chance.is(0.6),
    big: chance.is(isMerge ? 0.7 : 0.4),
  }));
}

function planBlows(chance: Chance, scenario: ScenarioName): readonly Blow[] {
  const victims = victimsOf[scenario];
  if (victims === null) return [];
  const count = chance.int(3, 5);
  return Array.from({ length: count }, () => {
    const victim = chance.pick(victims);
    if (scenario !== 'twice') return [{ victim, aim: planAim(chance, scenario, victim) }];
    // An agent is interrupted with half of its work done, and then the engine that takes over.
    const afterMs = chance.int(10, 120);
    const first: Aim = { kind: 'event', type: 'agent.started', nth: chance.int(1, 3), afterMs };
    const second = { victim: chance.pick(['engine', 'family'] as const), aim: soonAfter(chance) };
    return [{ victim, aim: first }, second];
  }).flat();
}

const victimsOf: Readonly<Record<ScenarioName, readonly [Victim, ...Victim[]] | null>> = {
  engine: ['engine'],
  family: ['family'],
  git: ['git'],
  twice: ['engine', 'engine', 'family'],
  signals: ['term', 'int', 'stop'],
  rebase: ['engine', 'family', 'git'],
  merge: ['engine', 'family', 'family', 'git'],
  'in-place': ['engine', 'family', 'git'],
  engines: ['engine', 'family', 'stop'],
  clock: null,
  copy: ['engine', 'family'],
  move: ['engine', 'family'],
  lock: null,
};

/** Where what a scenario is about happens. */
const focus: Readonly<Partial<Record<ScenarioName, RegExp>>> = {
  rebase: /rebase|left-work|open-workspace|workspace\.opened|iteration\.started|move/,
  twice: /rebase|left-work|open-workspace|workspace\.opened|run-agent|move/,
  merge: /merge|fast-forward|loop\.rested|remove-workspace|delete-branch|move/,
};
const focusEvents: Readonly<Partial<Record<ScenarioName, readonly [string, ...string[]]>>> = {
  rebase: ['rebase.started', 'rebase.ended', 'agent.started', 'workspace.opened'],
  twice: ['rebase.started', 'agent.started', 'workspace.opened', 'rebase.ended'],
  merge: ['merge.started', 'merge.started', 'loop.merged', 'loop.rested'],
};
const anyEvent = [
  'loop.created',
  'workspace.opened',
  'baseline.started',
  'agent.started',
  'agent.ended',
  'snapshot.taken',
  'verification.started',
  'rebase.started',
  'loop.rested',
  'merge.started',
  'loop.merged',
] as const;
const gitCommands = ['read-tree', 'update-ref', 'worktree', 'commit-tree', 'merge-tree'] as const;

function planAim(chance: Chance, scenario: ScenarioName, victim: Victim): Aim {
  const kind = chance.int(1, 10);
  const fromHere = scenario === 'merge' ? 5 : 8;
  if (victim === 'git' || (kind >= fromHere && victim === 'family'))
    return gitAim(chance, scenario);
  // Nothing but a kill and a hang can be ordered at a point.
  if (kind >= 5 && (victim === 'engine' || victim === 'family')) return pointAim(chance, scenario);
  if (kind >= 3) {
    const type = chance.pick(focusEvents[scenario] ?? anyEvent);
    return { kind: 'event', type, nth: chance.int(1, 4), afterMs: chance.int(0, 40) };
  }
  return { kind: 'time', afterMs: chance.int(150, 2500) };
}

function gitAim(chance: Chance, scenario: ScenarioName): Aim {
  const cut = chance.pick(['before', 'meanwhile', 'starved', 'limited', 'limited'] as const);
  const afterMs = chance.int(0, 12);
  if (scenario === 'merge' && chance.is(0.7)) {
    return { kind: 'git', since: null, command: 'move', nth: chance.int(1, 5), cut, afterMs };
  }
  const since = chance.is(0.5) ? (sinceOf[scenario] ?? null) : null;
  const command = since === null ? chance.pick(gitCommands) : 'any';
  return { kind: 'git', since, command, nth: chance.int(1, 10), cut, afterMs };
}

const sinceOf: Readonly<Partial<Record<ScenarioName, string>>> = {
  merge: 'merge.started',
  rebase: 'rebase.started',
};

/** These agents ask nobody, have no hooks and no setup, and their settings stay. */
const unreached =
  /approval|mode\.|gate|integrity|usage|add-task|hook|set-up|set_up|surroundings|waiting|woken|messages|conflicted|reread|warning|store-baseline/;

function pointAim(chance: Chance, scenario: ScenarioName): Aim {
  const wanted = focus[scenario] ?? /./;
  const found = failpointNames.filter((name) => wanted.test(name) && !unreached.test(name));
  const [first = 'before:run-agent', ...more] = found;
  return { kind: 'point', point: chance.pick([first, ...more]), nth: chance.int(1, 3) };
}

/** What an engine does first when it takes over. */
const early =
  /open-workspace|workspace\.opened|loop\.resumed|left-work|rebase\.|:rebase|claim-loop|move|end-leftover|:commit|iteration\.started|before:run-agent/;

function soonAfter(chance: Chance): Aim {
  if (chance.is(0.2)) return { kind: 'time', afterMs: chance.int(50, 700) };
  const [first = 'after:open-workspace', ...more] = failpointNames.filter(
    (name) => early.test(name) && !unreached.test(name),
  );
  return { kind: 'point', point: chance.pick([first, ...more]), nth: chance.int(1, 2) };
}
