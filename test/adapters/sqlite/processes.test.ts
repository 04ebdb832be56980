import { describe, expect, test } from 'vitest';
import { openStore } from '../../../src/adapters/sqlite/store.ts';
import { addLoop, addQueued } from '../../contract/store-fixture.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { startProgram } from './program.ts';
import { sqliteFixture } from './sqlite-fixture.ts';

type Hold = {
  readonly loopId: string;
  readonly token: number;
  readonly from: number;
  readonly to: number;
};

describe('several processes on one file', () => {
  test('never hold the same loop at the same time, and lose no event', async () => {
    await using fixture = await sqliteFixture();
    const loopIds = ['loop-1', 'loop-2', 'loop-3'];
    for (const id of loopIds) await addQueued(fixture.store, id, 1);

    const owners = ['a', 'b', 'c', 'd'];
    const programs = owners.map((owner) => startProgram('claim', [fixture.file, owner, '2000']));
    const outputs = await Promise.all(programs.map((program) => program.rest()));
    expect(programs.map((program) => program.process.exitCode)).toEqual([0, 0, 0, 0]);
    const holds = outputs.flatMap(parseHolds);

    for (const id of loopIds) {
      const own = holds.filter((hold) => hold.loopId === id).toSorted((a, b) => a.from - b.from);
      expect(own.length).toBeGreaterThan(0);
      expect(own.map((hold) => hold.token)).toEqual(own.map((_, index) => index + 1));
      const overlaps = own.filter((hold, index) => hold.from < (own[index - 1]?.to ?? 0));
      expect(overlaps).toEqual([]);
      const stored = await fixture.store.read(async (tx) => ({
        warnings: (await tx.loops.get(id))?.warnings.length,
        broken: await tx.loops.verifyChain(id),
      }));
      expect(stored).toEqual({ warnings: own.length, broken: null });
    }
  });

  test('make a new database together', async () => {
    await using dir = await tempDir();
    const file = `${dir.path}/new/state.db`;
    const programs = ['a', 'b', 'c', 'd'].map(() => startProgram('open', [file]));
    const outputs = await Promise.all(programs.map((program) => program.rest()));
    expect(outputs.flat()).toEqual(['opened', 'opened', 'opened', 'opened']);
  });

  test('wait for each other without blocking', async () => {
    await using fixture = await sqliteFixture();
    await using holder = startProgram('hold', [fixture.file]);
    expect(await holder.line()).toBe('holding');

    let isDone = false;
    const added = addLoop(fixture.store, 'loop-1').then(() => (isDone = true));
    expect(await fixture.store.read((tx) => tx.loops.list({}))).toEqual([]);
    expect(isDone).toBe(false);
    holder.tell('let go');
    expect(await holder.line()).toBe('released');
    await added;
    expect(await fixture.store.read((tx) => tx.loops.list({}))).toHaveLength(1);
  });

  test('give up with a clear error when the lock is not given back', async () => {
    await using fixture = await sqliteFixture();
    await using holder = startProgram('hold', [fixture.file]);
    expect(await holder.line()).toBe('holding');
    await using store = await openStore(fixture.file, { busyTimeoutMs: 100 });
    await expect(addLoop(store, 'loop-1')).rejects.toMatchObject({
      code: 'store.locked',
      message: `${fixture.file} is locked by another program`,
    });
    holder.tell('let go');
    await holder.rest();
    await addLoop(store, 'loop-1');
  });
});

describe('a writer that is killed in the middle', () => {
  test('loses no acknowledged row and leaves no half transaction', async () => {
    await using fixture = await sqliteFixture();
    await addLoop(fixture.store, 'loop-1');
    for (const linesBeforeKill of [1, 21, 47]) {
      const acknowledged = await writeUntilKilled(fixture.file, linesBeforeKill);
      const stored = await fixture.store.read(async (tx) => ({
        warnings: (await tx.loops.get('loop-1'))?.warnings.length ?? 0,
        tree: (await tx.baselines.get('newest'))?.report.tree,
        broken: await tx.loops.verifyChain('loop-1'),
      }));
      expect(stored.warnings).toBeGreaterThanOrEqual(acknowledged);
      // At most the commit whose acknowledgement the kill cut off.
      expect(stored.warnings).toBeLessThanOrEqual(acknowledged + 1);
      expect(stored).toMatchObject({ tree: `${stored.warnings}`, broken: null });
    }
  });
});

function parseHolds(lines: readonly string[]): readonly Hold[] {
  const holds: readonly Hold[] = JSON.parse(lines[0] ?? '[]');
  return holds;
}

async function writeUntilKilled(file: string, lines: number): Promise<number> {
  await using writer = startProgram('write', [file, 'loop-1']);
  let newest: string | null = null;
  for (let line = 0; line < lines; line += 1) newest = await writer.line();
  writer.process.kill('SIGKILL');
  const rest = await writer.rest();
  expect(writer.process.signalCode).toBe('SIGKILL');
  return Number(rest.at(-1) ?? newest);
}
