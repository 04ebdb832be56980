import { expect, it } from 'vitest';
import { z } from 'zod';

/** Told of every schema that is built, by zod's own hook. */
function countSchemas(): { count: number } {
  const seen = { count: 0 };
  Object.assign(z.config(), { postProcessor: () => void seen.count++ });
  return seen;
}

it('builds no schema when the program is loaded, and few for a plain run', async () => {
  const seen = countSchemas();
  await import('../../src/cli/main.ts');
  await import('../../src/cli/command/run.ts');
  await import('../../src/daemon/compose.ts');
  expect(seen.count).toBe(0);

  const { flagsLayer } = await import('../../src/core/config/flags.ts');
  const { resolveSettings } = await import('../../src/core/config/layers.ts');
  resolveSettings([]);
  expect(seen.count).toBeLessThan(5);

  resolveSettings([flagsLayer({ agent: 'claude', validate: 'make', 'max-iterations': 3 })]);
  expect(seen.count).toBeGreaterThan(0);
  expect(seen.count).toBeLessThan(60);
});
