import { describe, expect, it } from 'vitest';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { fold } from '../../../src/core/loop/evolve.ts';
import type { PlaceRecord } from '../../../src/core/place/place.ts';
import { addLoop, append } from '../../contract/store-fixture.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

const place: PlaceRecord = {
  storeId: 's',
  root: '/moved',
  inode: '1',
  machine: 'm',
  roots: ['/work', '/moved'],
  folders: {},
  origin: '/work',
  since: 5,
};

describe('the place of a store', () => {
  it('is what was put last', async () => {
    await using fixture = await sqliteFixture();
    const { store } = fixture;
    expect(await store.read((tx) => tx.places.get())).toBeNull();
    await store.write((tx) => tx.places.put({ ...place, root: '/work', origin: null }));
    await store.write((tx) => tx.places.put(place));
    expect(await store.read((tx) => tx.places.get())).toEqual(place);
  });

  it('says where workspaces are now, and the record keeps where they were (I2)', async () => {
    await using fixture = await sqliteFixture();
    const recorded = (await addLoop(fixture.store, 'loop-1')).workspace.path;
    const root = recorded.slice(0, recorded.indexOf('/', 1));
    await fixture.store.write((tx) => tx.places.put({ ...place, roots: [root, '/moved'] }));
    const moved = await openStore(fixture.file, { root: '/moved' });
    await using _moved = moved;
    const loop = await moved.read((tx) => tx.loops.get('loop-1'));
    expect(loop?.workspace.path).toBe(`/moved${recorded.slice(root.length)}`);
    if (loop === null) throw new Error('it is stored');
    await append(moved, loop, [{ type: 'warning.raised', text: 'x' }]);
    const events = await fixture.store.read((tx) => tx.loops.events('loop-1', 0, 100));
    const stored = await fixture.store.read((tx) => tx.loops.get('loop-1'));
    expect(stored).toEqual(fold(events));
    expect(stored?.workspace.path).toBe(recorded);
  });

  it('is left by every session, and with it by what they had claimed', async () => {
    await using fixture = await sqliteFixture();
    const { store } = fixture;
    await addLoop(store, 'loop-1');
    const process = { pid: 1, startTime: '1', bootId: 'b', host: 'h' };
    const session = {
      id: 's-1',
      kind: 'run',
      process,
      version: '1',
      startedAt: 1,
      endedAt: null,
    } as const;
    await store.write(async (tx) => {
      await tx.sessions.start(session);
      await tx.queue.enqueue('loop-1', 0);
      await tx.queue.claim({ owner: 's-1', lease: { now: 1, until: 100 }, loopId: 'loop-1' });
    });
    expect(await store.read((tx) => tx.places.heldElsewhere('other', 50))).toEqual(
      new Set(['loop-1']),
    );
    expect(await store.read((tx) => tx.places.heldElsewhere('h', 50))).toEqual(new Set());
    expect(await store.read((tx) => tx.places.heldElsewhere('other', 100))).toEqual(new Set());
    await store.write((tx) => tx.places.disown(7));
    expect(await store.read((tx) => tx.sessions.get('s-1'))).toEqual({
      ...session,
      endedAt: 7,
      isElsewhere: true,
    });
    expect(await store.read((tx) => tx.queue.entries())).toMatchObject([
      { owner: null, leaseUntil: null },
    ]);
  });

  it('is refused when its pages do not fit together', async () => {
    await using fixture = await sqliteFixture();
    const { store } = fixture;
    await addLoop(store, 'loop-1');
    expect(await store.read((tx) => tx.places.findDamage())).toBeNull();
    await fixture.tamper('loop-1', 1, null);
    expect(await store.read((tx) => tx.places.findDamage())).toBe(
      'the log of loop-1 breaks at event 1',
    );
  });
});
