import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { furnishHome, lookAtToolchains } from '../../src/engine/clean-home.ts';
import { tempDir } from '../support/temp-dir.ts';

const site = '.local/lib/python3.11/site-packages';

async function put(home: string, file: string, text = 'old'): Promise<void> {
  await mkdir(path.dirname(path.join(home, file)), { recursive: true });
  await writeFile(path.join(home, file), text);
}

/** A user's home, what an agent does to it, and the clean home that comes of it. */
async function furnished(
  before: readonly string[],
  after: readonly string[],
  withNew = false,
): Promise<{ readonly files: readonly string[]; readonly absent: readonly string[] }> {
  await using dir = await tempDir();
  const user = path.join(dir.path, 'user');
  const home = path.join(dir.path, 'home');
  await mkdir(user);
  await mkdir(home);
  for (const file of before) await put(user, file);
  // Times of inodes come from a clock that ticks slower.
  await setTimeout(50);
  const began = Date.now();
  await setTimeout(50);
  for (const file of after) await put(user, file, 'new');
  const toolchains = await lookAtToolchains(user, (ms) => ms > began);
  const absent = await furnishHome(home, { toolchains, withNew });
  const files: string[] = [];
  for (const file of [...before, ...after]) {
    const text = await readFile(path.join(home, file), 'utf8').catch(() => null);
    if (text !== null) files.push(`${file}: ${text}`);
  }
  return { files, absent: absent.map((file) => path.relative(user, file)) };
}

describe('the home of a clean checkout', () => {
  it('has what was there before the agent, as it was', async () => {
    const before = [`${site}/pytest/__init__.py`, '.cargo/registry/src/i/a-1.0.0/src/lib.rs'];
    expect(await furnished(before, [])).toEqual({
      files: before.map((file) => `${file}: old`),
      absent: [],
    });
  });

  it('lacks what was made or changed since, and keeps what stands beside it', async () => {
    const lib = 'go/pkg/mod/example.org/same@v1.0.0';
    const { files, absent } = await furnished(
      [`${site}/pytest/__init__.py`, `${lib}/same.go`, `${lib}/go.mod`],
      [`${site}/usercustomize.py`, `${lib}/same.go`, '.rustup/toolchains/fake/bin/cargo'],
    );
    expect(files).toEqual([`${site}/pytest/__init__.py: old`, `${lib}/go.mod: old`]);
    expect(absent.toSorted()).toEqual(
      [
        `${lib}/same.go`,
        `${site}/usercustomize.py`,
        '.rustup/toolchains/fake/bin/cargo',
      ].toSorted(),
    );
  });

  it('has caches that are checked before they are used, however new they are', async () => {
    const caches = [
      '.npm/_cacache/content',
      '.cargo/registry/cache/i/a.crate',
      'go/pkg/mod/cache/a',
    ];
    const { files, absent } = await furnished(
      ['.cargo/registry/src/i/a/lib.rs'],
      [...caches, '.cargo/registry/src/i/b/lib.rs'],
    );
    expect(files).toEqual([
      '.cargo/registry/src/i/a/lib.rs: old',
      ...caches.map((file) => `${file}: new`),
    ]);
    expect(absent).toEqual(['.cargo/registry/src/i/b']);
  });

  it('has packages that were installed for changed dependencies, and nothing that runs by itself', async () => {
    const { files, absent } = await furnished(
      [`${site}/pytest/__init__.py`, `${site}/pytest/main.py`],
      [
        `${site}/requests/__init__.py`,
        `${site}/six.py`,
        `${site}/usercustomize.py`,
        `${site}/fast.pth`,
        `${site}/pytest/main.py`,
      ],
      true,
    );
    expect(files).toEqual([
      `${site}/pytest/__init__.py: old`,
      `${site}/requests/__init__.py: new`,
      `${site}/six.py: new`,
    ]);
    expect(absent.toSorted()).toEqual(
      [`${site}/fast.pth`, `${site}/pytest/main.py`, `${site}/usercustomize.py`].toSorted(),
    );
  });

  it('is empty without a home', async () => {
    await using dir = await tempDir();
    await furnishHome(dir.path, {
      toolchains: await lookAtToolchains(null, () => true),
      withNew: false,
    });
    expect(await readdir(dir.path)).toEqual([]);
  });
});
