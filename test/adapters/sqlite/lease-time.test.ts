import path from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BootClock } from '../../../src/adapters/sqlite/lease-time.ts';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import type { Store } from '../../../src/ports/store.ts';
import { tempDir } from '../../support/temp-dir.ts';

/** A machine whose clock people set, and that can be started anew. */
class Machine {
  wall = 1_700_000_000_000;
  uptime = 5000.5;
  bootId: string | null = 'boot-1';

  clock(): BootClock {
    return {
      bootId: this.bootId,
      monotonic: () => this.uptime,
      now: () => this.wall,
    };
  }

  pass(ms: number): void {
    this.wall += ms;
    this.uptime += ms;
  }
}

const written = (store: Store) => store.write((tx) => tx.leaseTime());
const read = (store: Store) => store.read((tx) => tx.leaseTime());

test('all processes of a boot agree, whatever the clock is set to in between', async () => {
  const step = fc.record({ setBy: fc.integer(), pass: fc.nat(100_000), opensAnew: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 5 }), async (steps) => {
      await using dir = await tempDir();
      const machine = new Machine();
      const file = path.join(dir.path, 'state.db');
      await using first = await openStore(file, { boot: machine.clock() });
      const begun = await written(first);
      let passed = 0;
      for (const { setBy, pass, opensAnew } of steps) {
        machine.wall += setBy;
        machine.pass(pass);
        passed += pass;
        expect(await read(first)).toBe(begun + passed);
        if (!opensAnew) continue;
        await using other = await openStore(file, { boot: machine.clock() });
        expect([await read(other), await written(other)]).toEqual([begun + passed, begun + passed]);
      }
    }),
    { numRuns: 20 },
  );
});

test.each(['boot-2', null])('after a boot (%s) it goes on by the wall clock', async (next) => {
  await using dir = await tempDir();
  const machine = new Machine();
  if (next === null) machine.bootId = null;
  const file = path.join(dir.path, 'state.db');
  const before = await openStore(file, { boot: machine.clock() });
  expect(await written(before)).toBe(machine.wall);
  await before[Symbol.asyncDispose]();
  machine.bootId = next;
  machine.wall += 60_000;
  machine.uptime = 10;
  await using after = await openStore(file, { boot: machine.clock() });
  // A look changes nothing: the first lease of the boot does.
  expect(await read(after)).toBe(machine.wall);
  machine.wall += 7;
  expect(await written(after)).toBe(machine.wall);
  machine.wall -= 3_600_000;
  expect(await read(after)).toBe(machine.wall + 3_600_000);
});
