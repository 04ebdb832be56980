import {
  candidateEnclosures,
  cgroupCandidates,
  findFault,
} from '../../../src/adapters/process/containment.ts';
import type { ContainmentMode } from '../../../src/ports/process.ts';

export const modeNames = ['bubblewrap', 'unshare', 'cgroup', 'process-group'] as const;

export type Mode = { readonly mode: ContainmentMode; readonly missing: string | null };

/** Every containment there is, with the reason why it cannot be tested here. */
const all: readonly Mode[] = modeNames.map((mode) => {
  const { enclosures, obstacles } = mode === 'cgroup' ? cgroupCandidates() : candidateEnclosures();
  const faults = enclosures
    .filter((enclosure) => enclosure.mode === mode)
    .map((enclosure) => (enclosure.prefix.length === 0 ? null : findFault(enclosure)));
  const missing = faults.includes(null)
    ? null
    : (faults[0] ?? obstacles.find((text) => text.startsWith(mode)) ?? 'not available');
  return { mode, missing };
});

const isFull = process.env['LOOPWRIGHT_TEST_FULL'] === '1';

/** The cgroup is a process group with one thing more: all of a supervisor is tried in it only in the full run. */
export const modes: readonly Mode[] = all.filter(({ mode }) => isFull || mode !== 'cgroup');
export const strongModes: readonly Mode[] = all.filter(({ mode }) => mode !== 'process-group');
export const namespaceModes: readonly Mode[] = strongModes.filter(({ mode }) => mode !== 'cgroup');

/** Whether a watchdog stands beside the runs. */
export function hasWatchdog(mode: ContainmentMode): boolean {
  return mode === 'process-group' || mode === 'cgroup';
}
