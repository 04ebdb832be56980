import { describe, expect, it } from 'vitest';
import { createFailpoints } from '../../../src/adapters/failpoint/failpoint.ts';
import { failpointNames } from '../../../src/ports/failpoint.ts';

describe('failpoints', () => {
  it('do nothing when none is asked for', async () => {
    const reach = createFailpoints(undefined);
    for (const name of failpointNames) await expect(reach(name)).resolves.toBeUndefined();
    expect(createFailpoints('')).toBe(createFailpoints(undefined));
  });

  it('act the N-th time their point is reached, and only then', async () => {
    const reach = createFailpoints('before:commit:2:throw, after:loop.started:1:throw');
    await reach('before:commit');
    await expect(reach('before:commit')).rejects.toThrow('failed on purpose at before:commit:2');
    await reach('before:commit');
    await reach('after:commit');
    await expect(reach('after:loop.started')).rejects.toMatchObject({ code: 'failpoint.thrown' });
  });

  it.each([
    'nowhere:1:kill',
    'before:commit:0:kill',
    'before:commit:1:explode',
    'before:commit',
    'before:commit:1:kill,',
  ])('are refused when they cannot be read: %s', (text) => {
    expect(() => createFailpoints(text)).toThrow('LOOPWRIGHT_FAIL_AT cannot be read');
  });

  it('have names of their own', () => {
    expect(new Set(failpointNames).size).toBe(failpointNames.length);
  });
});
