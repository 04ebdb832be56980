import * as fc from 'fast-check';
import { test } from 'vitest';
import { operations, runAgainstModel } from '../../contract/tasks-property.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

test('x', async () => {
  await using fixture = await sqliteFixture();
  const runs = Number(process.env['RUNS'] ?? 60);
  await fc.assert(
    fc.asyncProperty(operations, (steps) => runAgainstModel(fixture.store, steps)),
    { numRuns: runs },
  );
}, 600_000);
