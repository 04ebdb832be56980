/**
 * Claims loops of the store at FILE as OWNER for MS milliseconds, appends one event while it holds each, and
 * gives it back. Says at the end what it held, and from when to when on the clock all processes share.
 */
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { openStore } from '../../../../src/adapters/sqlite/store.ts';
import type { Store } from '../../../../src/ports/store.ts';

const [file = '', owner = '', ms = '0'] = process.argv.slice(2);
const holds: unknown[] = [];
await using opened = await openStore(file);
const deadline = performance.now() + Number(ms);
while (performance.now() < deadline) {
  const hold = await holdOne(opened);
  if (hold === null) await turn();
  else holds.push(hold);
}
writeSync(1, `${JSON.stringify(holds)}\n`);

async function holdOne(store: Store): Promise<unknown> {
  const claim = await store.write((tx) =>
    tx.queue.claim({ owner, lease: { now: 100, until: 1000 } }),
  );
  if (claim === null) return null;
  const from = Number(process.hrtime.bigint());
  const loop = await store.read((tx) => tx.loops.get(claim.loopId));
  if (loop === null) throw new Error('claimed a loop that is not there');
  const to = await store.write(async (tx) => {
    const events = [{ type: 'warning.raised', text: owner } as const];
    await tx.loops.append({ loop, token: claim.token, time: 1, elapsedMs: 0, events });
    await tx.queue.release(claim, 1);
    return Number(process.hrtime.bigint());
  });
  return { loopId: claim.loopId, token: claim.token, from, to };
}
