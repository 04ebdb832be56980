import { describe, expect, test } from 'vitest';
import type { Outage } from '../../src/core/outage/outage.ts';
import type { StoreFactory } from './store-fixture.ts';

const outage: Outage = {
  provider: 'claude',
  since: 1000,
  failures: 0,
  nextAt: 31_000,
  giveUpAt: 99_000,
  prober: null,
  isProbing: false,
  why: "529, it's 'overloaded'",
};

/** What every store promises of outages. */
export function describeOutages(name: string, create: StoreFactory): void {
  describe(name, () => {
    test('keeps one row per provider, longest down first', async () => {
      await using fixture = await create();
      const { store } = fixture;
      const changed: Outage = { ...outage, failures: 2, prober: 'loop-1', isProbing: true };
      const older: Outage = { ...outage, provider: 'http://127.0.0.1:1/v1', since: 5 };
      await store.write(async (tx) => {
        await tx.outages.put(outage);
        await tx.outages.put(changed);
        await tx.outages.put(older);
      });
      expect(await store.read((tx) => tx.outages.get('claude'))).toEqual(changed);
      expect(await store.read((tx) => tx.outages.list())).toEqual([older, changed]);
    });

    test('ends each once', async () => {
      await using fixture = await create();
      const { store } = fixture;
      await store.write((tx) => tx.outages.put(outage));
      expect(await store.write((tx) => tx.outages.end('claude'))).toBe(true);
      expect(await store.write((tx) => tx.outages.end('claude'))).toBe(false);
      expect(await store.read((tx) => tx.outages.get('claude'))).toBeNull();
    });
  });
}
