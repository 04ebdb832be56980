import { existsSync } from 'node:fs';

/** How a run's processes are kept together, and what can slip through. Doctor shows it. */
export type Containment = {
  readonly mode: 'process-group';
  readonly strength: 'weak';
  /** Whether processes that left the group are searched for by the mark in their environment. */
  readonly sweepsEscaped: boolean;
  /** One sentence for people. */
  readonly limits: string;
};

/**
 * The containment in use: an own session and process group for every run, a search for what left it, and a
 * watchdog that ends all of it when the engine dies. Weak, since a process that starts a session of its own
 * *and* empties its environment is not found once its parent is gone.
 */
export function currentContainment(): Containment {
  const sweepsEscaped = existsSync('/proc/self/environ');
  return {
    mode: 'process-group',
    strength: 'weak',
    sweepsEscaped,
    limits: sweepsEscaped
      ? 'Weak containment: a daemon that also clears its environment can outlive its run.'
      : 'Weak containment: a process that leaves its process group can outlive its run.',
  };
}
