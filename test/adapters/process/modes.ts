import { candidateEnclosures, findFault } from '../../../src/adapters/process/containment.ts';
import type { ContainmentMode } from '../../../src/ports/process.ts';

export const modeNames = ['bubblewrap', 'unshare', 'process-group'] as const;

export type Mode = { readonly mode: ContainmentMode; readonly missing: string | null };

/** Every containment there is, with the reason why it cannot be tested here. */
export const modes: readonly Mode[] = modeNames.map((mode) => {
  const { enclosures, obstacles } = candidateEnclosures();
  const faults = enclosures
    .filter((enclosure) => enclosure.mode === mode)
    .map((enclosure) => (enclosure.prefix.length === 0 ? null : findFault(enclosure)));
  const missing = faults.includes(null)
    ? null
    : (faults[0] ?? obstacles.find((text) => text.startsWith(mode)) ?? 'not available');
  return { mode, missing };
});

export const namespaceModes: readonly Mode[] = modes.filter(({ mode }) => mode !== 'process-group');
