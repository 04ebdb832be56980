import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createNamespaceTree } from '../../../src/adapters/process/tree.ts';
import { eventually, runs } from './fixture.ts';

/** Starts a shell that waits beside one of its own, from a thread that is not the first. */
const program = `
const { Worker } = require('node:worker_threads');
new Worker("require('node:child_process').spawn('sh', ['-c', 'sleep 60 & wait'])", { eval: true });
setInterval(() => undefined, 1000);
`;

test.skipIf(!existsSync('/proc'))(
  'whoever descends from the first process is found, also when another thread started it',
  async () => {
    const first = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
    const stranger = spawn('sleep', ['60'], { stdio: 'ignore' });
    const tree = createNamespaceTree(first.pid ?? 0, () => Infinity);
    const find = async (): Promise<readonly number[]> => (await tree.find()).map(({ pid }) => pid);
    try {
      let found = await find();
      while (found.length < 2) found = await find();
      expect(found).toHaveLength(2);
      expect(found).not.toContain(first.pid);
      expect(found).not.toContain(stranger.pid);

      tree.signal(await tree.find(), 'SIGTERM');
      await eventually(() => !found.some(runs));
      expect(await find()).toEqual([]);
    } finally {
      first.kill('SIGKILL');
      stranger.kill('SIGKILL');
      await once(stranger, 'close');
    }
  },
);
