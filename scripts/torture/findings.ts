/** What a round counts. Everything after `agentStarts` must stay 0. */
export const measured = ['kills', 'signals', 'jumps', 'restarts', 'tasks', 'agentStarts'] as const;
export const broken = [
  'tasksStuck',
  'commitsLost',
  'iterationsRepeated',
  'userChanged',
  'processesLeft',
  'toldEventsLost',
  'storeDamaged',
  'gitDamaged',
  'branchesMixed',
  'falseRefusals',
  'errors',
  'leftovers',
] as const;

export type Broken = (typeof broken)[number];
export type Counts = Record<(typeof measured)[number] | Broken, number>;

export type Finding = { readonly kind: Broken; readonly text: string };

export type Findings = {
  readonly counts: Counts;
  readonly list: Finding[];
  /** A broken promise, in words; the same words count once a round. */
  add(kind: Broken, text: string): void;
};

export function noCounts(): Counts {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- every key is named
  return Object.fromEntries([...measured, ...broken].map((key) => [key, 0])) as Counts;
}

export function createFindings(): Findings {
  const counts = noCounts();
  const list: Finding[] = [];
  return {
    counts,
    list,
    add(kind, text) {
      if (list.some((each) => each.kind === kind && each.text === text)) return;
      list.push({ kind, text });
      counts[kind]++;
    },
  };
}
