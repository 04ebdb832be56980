import { expect, it } from 'vitest';
import { createEnclosureChoice } from '../../../src/adapters/process/enclosure-choice.ts';
import type { ContainmentMode } from '../../../src/ports/process.ts';

const modes: readonly ContainmentMode[] = ['bubblewrap', 'unshare', 'cgroup'];

it('a containment that cannot be had is refused, and what to say instead is named', ({ skip }) => {
  const refusals = modes.flatMap((mode) => {
    try {
      createEnclosureChoice(mode, () => undefined);
      return [];
    } catch (error) {
      return [error];
    }
  });
  if (refusals.length === 0) skip('every containment can be had here');
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({
      code: 'process.containment',
      hint: expect.stringContaining('`--containment auto`'),
    });
  }
});
