import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isDaemonLocked, takeDaemonLock } from '../../src/daemon/lock.ts';
import { eventually } from '../support/daemon.ts';
import { tempDir } from '../support/temp-dir.ts';

const module = path.join(import.meta.dirname, '../../src/daemon/lock.ts');

describe('the lock of the daemon', () => {
  it('is held by one, and free again after the other way of ending it', async () => {
    await using dir = await tempDir();
    const first = takeDaemonLock(dir.path);
    expect(first).not.toBeNull();
    expect(takeDaemonLock(dir.path)).toBeNull();
    first?.[Symbol.dispose]();
    expect(isDaemonLocked(dir.path)).toBe(false);
  });

  it('is free at once when its process is killed', async () => {
    await using dir = await tempDir();
    const program = `const { takeDaemonLock } = await import(${JSON.stringify(module)});
      globalThis.held = takeDaemonLock(${JSON.stringify(dir.path)});
      process.stdout.write(globalThis.held === null ? 'refused' : 'held');
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program]);
    const [said] = await once(child.stdout, 'data');
    expect(String(said)).toBe('held');
    expect(takeDaemonLock(dir.path)).toBeNull();
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually(async () => !isDaemonLocked(dir.path), 'the lock is free');
  });
});
