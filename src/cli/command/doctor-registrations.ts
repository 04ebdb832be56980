import type { Repository } from '../../adapters/git/repository.ts';
import { findWorktreeFaults, type WorktreeFault } from '../../adapters/git/tidy-worktrees.ts';
import type { KnownLoops } from '../../ports/workspace.ts';
import { fail, ok, warn, type Check } from './doctor-check.ts';

export type Registrations = {
  readonly repository: Repository;
  /** Null: the store cannot be read, so nothing is known to be a loop's and nothing is repaired. */
  readonly known: KnownLoops | null;
  readonly folder: string;
  /** Whether faults of loops are repaired. */
  readonly fix: boolean;
};

const unknown = { find: async () => null, isDriven: async () => true };

/** What git has registered as worktrees, and what killed engines left of throwaway ones. */
export async function checkRegistrations(
  { repository, known, folder, fix }: Registrations,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const registry = { repository, reach: async () => {} };
  const loops = known ?? { ...unknown, folder };
  const faults = await findWorktreeFaults(registry, loops, signal);
  const theirs = faults.filter(({ kind }) => kind === 'foreign');
  const ours = faults.filter(({ kind }) => kind !== 'foreign');
  if (fix) for (const { repair } of ours) await repair?.(signal);
  const checks = theirs.map(({ text, next }) => fail(name, text, next ?? ''));
  if (ours.length > 0) checks.push(report(ours, fix));
  return checks.length === 0 ? [ok(name, 'whole, nothing left behind')] : checks;
}

const name = 'registrations';

function report(faults: readonly WorktreeFault[], fix: boolean): Check {
  const text = faults.map((fault) => fault.text).join('; ');
  if (fix) return ok(name, `put right: ${text}`);
  const say = faults.some(({ kind }) => kind === 'broken') ? fail : warn;
  return say(
    name,
    text,
    '`loopwright doctor --fix` puts it right, and so does the next `loopwright run`',
  );
}
