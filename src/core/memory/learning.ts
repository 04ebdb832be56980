export const learningStatuses = ['candidate', 'active', 'demoted', 'pruned'] as const;
export type LearningStatus = (typeof learningStatuses)[number];

export const learningOrigins = ['agent', 'person', 'import', 'merge'] as const;
export type LearningOrigin = (typeof learningOrigins)[number];

/** Something worth knowing for other tasks. Times are UTC milliseconds. */
export type Learning = {
  readonly id: string;
  readonly taskId: string | null;
  readonly loopId: string | null;
  readonly iteration: number | null;
  readonly origin: LearningOrigin;
  readonly category: string;
  readonly content: string;
  readonly tags: readonly string[];
  /** The files that content and tags name. */
  readonly paths: readonly string[];
  /** The topmost ancestor of the task it came from. */
  readonly scope: string | null;
  readonly signature: string | null;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
  readonly helpful: number;
  readonly harmful: number;
  readonly status: LearningStatus;
  /** A person decided the status: votes do not change it. */
  readonly byHand: boolean;
  readonly staleAt: number | null;
  readonly prunedAt: number | null;
  readonly supersededBy: string | null;
};

/** A learning as the prompt shows it. */
export type InjectedLearning = Pick<Learning, 'id' | 'category' | 'content' | 'status'>;

const maxPaths = 10;

/** The files a text names: words with a slash or a file extension. Linear; at most ten. */
export function namedPaths(...texts: readonly string[]): readonly string[] {
  const found = new Set<string>();
  for (const text of texts) {
    for (const word of text.slice(0, 20_000).split(/[\s`'"()[\]{}<>,;|*]/)) {
      const path = trimPath(word);
      if (path !== null) found.add(path);
      if (found.size === maxPaths) return [...found];
    }
  }
  return [...found];
}

function trimPath(word: string): string | null {
  if (word.length < 3 || word.length > 200 || word.includes('://')) return null;
  const bare = word
    .replace(/^\.\//, '')
    .replace(/[.:!?]$/, '')
    .replace(/(?::\d{1,7}){1,2}$/, '');
  if (bare.startsWith('/') || bare.startsWith('-') || bare.startsWith('@')) return null;
  const name = bare.slice(bare.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  // `e.g` and the like are words.
  const extension = dot > (bare.includes('/') ? 0 : 1) ? name.slice(dot + 1) : '';
  return /^[A-Za-z][A-Za-z0-9]{0,7}$/.test(extension) && /^[\p{L}\p{M}\p{N}_./+-]+$/u.test(bare)
    ? bare
    : null;
}
