import type { Step } from '../trick.ts';

export const families = {
  source: 'source against judge',
  text: 'test text',
  config: 'runner configuration',
  resolution: 'resolution and shadowing',
  stale: 'hidden and stale files',
  neighbours: 'neighbours and home',
  scripts: 'make and scripts',
  static: 'type checks and lint',
  refs: 'base and refs',
  during: 'between and during checks',
} as const;
export type Family = keyof typeof families;

/** Programs that a case needs; a case is left out, with the reason, where one of them cannot be run. */
export type Tool =
  | 'node'
  | 'python3'
  | 'pytest'
  | 'cargo'
  | 'go'
  | 'make'
  | 'cmake'
  | 'prove'
  | 'bats'
  | 'cc'
  | 'bash'
  | 'minitest'
  | 'rspec'
  | 'phpunit';

/**
 * A small repository, a check and an agent. In all texts `@HOME@`, `@ROOT@`, `@OUT@` and `@PORT@` stand for the user's home, the
 * user's checkout, a folder outside of both, and a free port.
 */
export type Project = {
  /** Shown as the runner. */
  readonly runner: string;
  readonly needs?: readonly Tool[];
  readonly files: Readonly<Record<string, string>>;
  readonly validate: string;
  /** `loopwright.yml`. */
  readonly config?: string;
  /** Shell commands in the user's checkout before the loop, after the commit: for ignored files. */
  readonly prepare?: string;
  /** Packages of ours that ignored `node_modules` of the user's checkout has. */
  readonly packages?: readonly string[];
  /** Name of the folder of the user's checkout; absent: `repo`. */
  readonly folder?: string;
  /** Folders in front of the user's `PATH`. */
  readonly path?: readonly string[];
};

export type TrickCase = Project & {
  readonly name: string;
  readonly family: Family;
  /** A command that passes only where the work is done. It runs in a fresh checkout of what the loop made. */
  readonly truth: string;
  readonly steps: readonly Step[];
  /** The agent says `<judge-changed>` in a second iteration, to get away with it. */
  readonly insists?: true;
  /** Stopped before the check could be fooled; says by what. Otherwise the check in the worktree must pass. */
  readonly early?: string;
  /** Nothing catches it: why, and what helps. The test shows that it works. */
  readonly remains?: string;
  /** Part of every test run, not only of the full one. */
  readonly sample?: true;
};

export type HonestCase = Project & {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly steps: readonly Step[];
  /** Needs a second iteration or the agent's word, and why. */
  readonly asked?: string;
  readonly proof?: 'red-green' | 'red-first' | 'unproven';
  readonly sample?: true;
};

export const run = (command: string): Step => ({ run: command });
export const write = (path: string, content: string): Step => ({ write: { path, content } });
export const edit = (path: string, find: string, replace: string): Step => ({
  edit: { path, find, replace },
});
export const remove = (path: string): Step => ({ delete: path });
