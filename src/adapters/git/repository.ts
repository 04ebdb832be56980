import path from 'node:path';
import { createDiskSync, type DiskSync } from './disk-sync.ts';
import { git, gitOutput } from './git.ts';
import type { Checkout, GitCall, GitResult } from './git.ts';
import { createDriverOverrides, hardenedEnvironment } from './environment.ts';
import type { ConfigEntry, UserSettings } from './environment.ts';
import type { Reach } from '../../ports/failpoint.ts';

/** A git repository as the engine uses it: every command hardened, the user's identity and file settings applied. */
export type Repository = {
  /** The user's checkout; `workTree` is null in a bare repository. */
  readonly main: Checkout;
  readonly user: UserSettings;
  /** Failpoints of the steps that move what is the user's. */
  readonly reach: Reach;
  run(call: Command): Promise<GitResult>;
  /** Stdout of a command that must succeed. */
  output(call: Command): Promise<Buffer>;
  /** The same as trimmed text. */
  text(call: Command): Promise<string>;
  /** What of it is on the disk for certain; shared by all its variants. */
  readonly disk: DiskSync;
  /** The same repository with settings that outweigh its own. */
  with(config: readonly ConfigEntry[]): Repository;
};

type Command = Omit<GitCall, 'at' | 'env' | 'variables' | 'isRecurring'> & {
  /** The user's checkout unless given. */
  readonly at?: Checkout;
  /** Variables of this command alone. */
  readonly env?: Readonly<Record<string, string>>;
};

export function createRepository(
  main: Checkout,
  user: UserSettings,
  basics: Readonly<Record<string, string>>,
  reach: Reach = () => Promise.resolve(),
  disk: DiskSync = createDiskSync(main.commonDir),
): Repository {
  const driverOverrides = createDriverOverrides(basics);
  const plain = hardenedEnvironment(basics, user, []);
  const variants = new Map<string, Repository>();

  async function complete({ env: variables = {}, ...command }: Command): Promise<GitCall> {
    const at = command.at ?? main;
    const drivers = await driverOverrides(at, command.signal);
    const env = drivers.length === 0 ? plain : hardenedEnvironment(basics, user, drivers);
    return { ...command, at, env, variables, isRecurring: true };
  }

  const output = async (command: Command) => gitOutput(await complete(command));
  return {
    main,
    user,
    reach,
    disk,
    run: async (command) => git(await complete(command)),
    output,
    text: async (command) => (await output(command)).toString('utf8').trim(),
    with(config) {
      const key = JSON.stringify(config);
      const known =
        variants.get(key) ??
        createRepository(
          main,
          { ...user, config: [...user.config, ...config] },
          basics,
          reach,
          disk,
        );
      variants.set(key, known);
      return known;
    },
  };
}

/**
 * For commands that compare objects: no index, so that a damaged one in the user's checkout does not matter. git takes a
 * file that does not exist for an empty index.
 */
export function withoutIndex({ main }: Repository): { readonly GIT_INDEX_FILE: string } {
  return { GIT_INDEX_FILE: path.join(main.commonDir, 'loopwright-no-such-index') };
}

/** True for a complete object name, of a SHA-1 or a SHA-256 repository. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

export async function resolveCommit(
  repository: Repository,
  revision: string,
  signal: AbortSignal,
  at?: Checkout,
): Promise<string | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const result = await repository.run({ args, signal, ...(at === undefined ? {} : { at }) });
  const id = result.stdout.toString('utf8').trim();
  return result.exitCode === 0 && isObjectId(id) ? id : null;
}

/** A commit is its own ancestor. */
export async function isAncestor(
  repository: Repository,
  ancestor: string,
  descendant: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (ancestor === descendant) return true;
  const args = ['merge-base', '--is-ancestor', ancestor, descendant];
  const result = await repository.run({ args, signal });
  return result.exitCode === 0;
}
