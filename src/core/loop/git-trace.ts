import { absentIndex, damagedIndex, userIndex, type RefChange } from './surroundings.ts';

/** One git command, as git itself told of it. */
export type TracedCommand = {
  readonly name: string;
  readonly argv: readonly string[];
  /** The checkout it worked in; null when it found none. */
  readonly worktree: string | null;
  /** UTC milliseconds; absent: it did not say. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly exitCode?: number;
};

/** The variable that makes git tell which commands were run, one JSON object per line. */
export const traceVariable = 'GIT_TRACE2_EVENT';

const interesting = ['start', 'def_repo', 'cmd_name', 'exit'].map((each) => `"event":"${each}"`);

/** The commands of a trace. Agents can write it too: lines that make no sense are passed over. */
export function readGitTrace(text: string): readonly TracedCommand[] {
  const commands = new Map<string, Told>();
  for (const line of text.split('\n')) {
    if (!interesting.some((mark) => line.includes(mark))) continue;
    const { sid, event, ...fields } = fieldsOf(line);
    if (typeof sid !== 'string') continue;
    const command = commands.get(sid) ?? { name: '', argv: [], worktree: null };
    commands.set(sid, command);
    const { argv, worktree, name, code } = fields;
    if (event === 'start' && Array.isArray(argv)) {
      command.argv = argv.filter((each) => typeof each === 'string');
      Object.assign(command, timeOf('startedAt', fields));
    }
    if (event === 'exit' && typeof code === 'number') {
      Object.assign(command, { exitCode: code, ...timeOf('endedAt', fields) });
    }
    if (event === 'def_repo' && typeof worktree === 'string') command.worktree = worktree;
    if (event === 'cmd_name' && typeof name === 'string') command.name = name;
  }
  return [...commands.values()];
}

type Told = { name: string; argv: string[]; worktree: string | null };

function timeOf(
  name: 'startedAt' | 'endedAt',
  { time }: Readonly<Record<string, unknown>>,
): { readonly startedAt?: number; readonly endedAt?: number } {
  // oxlint-disable-next-line no-restricted-globals -- parses what git wrote; it reads no clock
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? {} : { [name]: at };
}

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** Commands that only look. */
export const readers: ReadonlySet<string> = new Set([
  'blame',
  'cat-file',
  'check-attr',
  'check-ignore',
  'count-objects',
  'describe',
  'diff',
  'diff-files',
  'diff-index',
  'diff-tree',
  'for-each-ref',
  'grep',
  'help',
  'log',
  'ls-files',
  'ls-remote',
  'ls-tree',
  'merge-base',
  'name-rev',
  'rev-list',
  'rev-parse',
  'shortlog',
  'show',
  'show-branch',
  'show-ref',
  'status',
  'var',
  'version',
]);

/** Commands that, in the loop's own worktree, move no ref but the branch that is checked out there. */
export const local: ReadonlySet<string> = new Set([
  'add',
  'am',
  'apply',
  'cherry-pick',
  'clean',
  'commit',
  'merge',
  'mv',
  'rebase',
  'reset',
  'restore',
  'revert',
  'rm',
]);

/**
 * Whether one of the agent's own commands can have changed this (a ref, or HEAD, index or operation of the user's checkout):
 * it worked in the user's checkout, or it named the ref from elsewhere.
 */
export function isOfAgent(
  change: string,
  commands: readonly TracedCommand[],
  root: string,
): boolean {
  return commands.some((command) => {
    if (readers.has(command.name)) return false;
    if (command.worktree === root) return true;
    return change.startsWith('refs/') && !local.has(command.name) && names(command, change);
  });
}

/** Commands that write refs whose names they are not told. */
const writers: Readonly<Record<string, string>> = {
  bisect: 'refs/bisect/',
  'filter-branch': 'refs/',
  notes: 'refs/notes/',
  replace: 'refs/replace/',
  stash: 'refs/stash',
};

const prefixes = ['refs/heads/', 'refs/tags/', 'refs/remotes/', 'refs/'];

/** Whether a command can have written a ref that is not checked out where it worked. */
export function names({ name, argv }: TracedCommand, ref: string): boolean {
  if (['fetch', 'pull', 'remote', 'push'].includes(name) && !ref.startsWith('refs/heads/'))
    return true;
  const written = writers[name];
  if (written !== undefined && ref.startsWith(written)) return true;
  // What it was told cannot be seen.
  if (argv.includes('--stdin') || name === 'fast-import') return true;
  const spellings = new Set([ref]);
  for (const prefix of prefixes) {
    if (ref.startsWith(prefix)) spellings.add(ref.slice(prefix.length));
  }
  const isFetched = name === 'fetch' || name === 'push' || name === 'pull';
  // `from:to` writes only the second; without a colon nothing here is written.
  const targets = isFetched
    ? argv.flatMap((each) => (each.includes(':') ? each.slice(each.indexOf(':') + 1) : []))
    : argv;
  return targets.some((each) => spellings.has(each));
}

/** What people change all the time in their own checkout, so that it needs evidence to be called an agent's. */
export function isEverydayChange({ name, after }: RefChange): boolean {
  if (name === userIndex) {
    return after !== null && after !== absentIndex && !after.startsWith(damagedIndex);
  }
  // It makes every command show another history than there is.
  if (name.startsWith('refs/replace/')) return false;
  // Held for as long as somebody writes the message of a commit.
  if (name === '.git/index.lock') return true;
  const inCheckout = ['HEAD of your checkout', 'operation in your checkout'];
  return name.startsWith('refs/') || inCheckout.includes(name);
}
