/**
 * Appends to the loop LOOP of the store at FILE for ever. Each transaction changes two tables; its number is
 * printed once it is committed.
 */
import { writeSync } from 'node:fs';
import { openStore } from '../../../../src/adapters/sqlite/store.ts';

const [file = '', loopId = ''] = process.argv.slice(2);
await using store = await openStore(file);
let loop = await store.read((tx) => tx.loops.get(loopId));
while (loop !== null) {
  const before = loop;
  loop = await store.write(async (tx) => {
    const number = before.warnings.length + 1;
    const report = { overall: { passed: true }, levels: {}, tree: `${number}`, durationMs: 0 };
    await tx.baselines.put('newest', { state: 'green', report }, number);
    const events = [{ type: 'warning.raised', text: `${number}` } as const];
    const appended = { loop: before, token: 0, time: number, elapsedMs: 0, events };
    return (await tx.loops.append(appended)).loop;
  });
  writeSync(1, `${loop.warnings.length}\n`);
}
