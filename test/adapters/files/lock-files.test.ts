import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createSystemClock } from '../../../src/adapters/clock/system-clock.ts';
import { createLocks } from '../../../src/adapters/files/lock-files.ts';
import { tempDir } from '../../support/temp-dir.ts';

it('a lock has one holder, and the next one gets it when it is given back', async () => {
  await using dir = await tempDir();
  const locks = createLocks(dir.path, createSystemClock());
  const first = await locks.take('merge', AbortSignal.timeout(10_000));
  expect(await locks.tryTake('merge')).toBeNull();
  const other = await locks.tryTake('other');
  expect(other).not.toBeNull();
  const waiting = locks.take('merge', AbortSignal.timeout(60_000));
  await first[Symbol.asyncDispose]();
  await first[Symbol.asyncDispose]();
  const second = await waiting;
  await expect(locks.take('merge', AbortSignal.abort(new Error('no')))).rejects.toThrow('no');
  await second[Symbol.asyncDispose]();
  await other?.[Symbol.asyncDispose]();
});

it('a lock of a process that was killed is free', async () => {
  await using dir = await tempDir();
  const modules = ['clock/system-clock', 'files/lock-files'].map((name) =>
    path.resolve(`src/adapters/${name}.ts`),
  );
  const program = `
    const { createSystemClock } = await import(${JSON.stringify(modules[0])});
    const { createLocks } = await import(${JSON.stringify(modules[1])});
    globalThis.held = await createLocks(${JSON.stringify(dir.path)}, createSystemClock()).tryTake('merge');
    console.log('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const locks = createLocks(dir.path, createSystemClock());
  expect(await locks.tryTake('merge')).toBeNull();
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  await using lock = await locks.tryTake('merge');
  expect(lock).not.toBeNull();
});
