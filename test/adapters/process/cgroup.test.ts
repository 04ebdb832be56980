import { existsSync } from 'node:fs';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { probeCgroup } from '../../../src/adapters/process/cgroup.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { ProcessIdentity } from '../../../src/ports/process.ts';
import { tempDir } from '../../support/temp-dir.ts';
import { livingIn, never, specOf } from './fixture.ts';
import { strongModes } from './modes.ts';

const mounted = '30 23 0:26 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n';

/** A machine as its files describe it. */
async function machine(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}

describe('a cgroup of our own is not to be had', () => {
  test.each([
    ['without version 2', { 'proc/self/mountinfo': '1 1 0:1 / / rw - ext4 x rw\n' }, 'not mounted'],
    ['without /proc', {}, 'not mounted'],
    [
      'in a container that hides where it is',
      { 'proc/self/mountinfo': mounted, 'proc/self/cgroup': '0::/../outer\n' },
      'in none of version 2',
    ],
    [
      'where the folder is not there to be written',
      { 'proc/self/mountinfo': mounted, 'proc/self/cgroup': '0::/user.slice/a.scope\n' },
      'user.slice/a.scope is not ours to write (ENOENT)',
    ],
    [
      'where the kernel cannot kill a cgroup',
      {
        'proc/self/mountinfo': mounted,
        'proc/self/cgroup': '4:memory:/x\n0::/a.scope\n',
        'sys/fs/cgroup/a.scope/cgroup.procs': '',
      },
      'no cgroup.kill',
    ],
  ])('%s', async (_, files, obstacle) => {
    await using root = await tempDir();
    await machine(root.path, files);
    expect(probeCgroup(root.path)).toEqual({ obstacle: expect.stringContaining(obstacle) });
    // Nothing is left of the trial.
    const scope = path.join(root.path, 'sys/fs/cgroup/a.scope');
    expect(existsSync(scope) ? await readdir(scope) : []).not.toContainEqual(
      expect.stringContaining('loopwright'),
    );
  });
});

describe('a run in a cgroup', () => {
  const missing = strongModes.find(({ mode }) => mode === 'cgroup')?.missing ?? null;
  beforeEach(({ skip }) => skip(missing !== null, missing ?? ''));

  test('is recorded with it, also a cgroup made inside goes, and nothing is left of either', async () => {
    await using dir = await tempDir();
    await using supervisor = createSupervisor({ containment: 'cgroup' });
    const seen: ProcessIdentity[] = [];
    const script = `own=$(sed -n 's/^0:://p' /proc/self/cgroup)
      place=$(sed -n 's/.* \\(\\/[^ ]*\\) [^ ]* - cgroup2 .*/\\1/p' /proc/self/mountinfo | head -n 1)
      mkdir "$place$own/inner" && sh -c 'echo $$ > "$0/cgroup.procs"; exec sleep 600' "$place$own/inner" &
      sleep 0.2`;
    const started = async (identity: ProcessIdentity) => void seen.push(identity);
    const { end, containment } = await supervisor.run(
      specOf(['sh', '-c', script], dir.path, { graceMs: 50 }),
      { started },
      never,
    );
    expect({ end, containment }).toEqual({
      end: { kind: 'exited', code: 0 },
      containment: 'cgroup',
    });
    const [identity] = seen;
    expect(identity?.cgroup).toContain(`loopwright-${identity?.pid}-${identity?.startTime}`);
    expect(existsSync(identity?.cgroup ?? '')).toBe(false);
    expect(livingIn(dir.path)).toEqual([]);
  });
});
