import { execFileSync } from 'node:child_process';
import { closeSync, lstatSync, writeSync } from 'node:fs';
import { link, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { createArtifacts } from '../../../src/adapters/files/artifact-files.ts';
import { openOwnFile, openOwnLog, writeOwnFile } from '../../../src/adapters/files/own-file.ts';
import {
  folderIdentity,
  makeFolders,
  watchFolders,
} from '../../../src/adapters/files/own-folder.ts';
import { tempDir } from '../../support/temp-dir.ts';

describe('a file of the engine’s own', () => {
  const plants: readonly (readonly [string, (theirs: string, file: string) => unknown])[] = [
    ['a link', symlink],
    ['a link to nowhere', (_, file) => symlink('/nonexistent/place', file)],
    ['a second name of a file', link],
    ['a pipe', (_, file) => execFileSync('mkfifo', [file])],
    ['nothing', () => undefined],
    ['an older one', (_, file) => writeFile(file, 'something longer than what comes')],
  ];

  test.each(plants)('is written whole where %s was, and nothing else is', async (_, plant) => {
    await using dir = await tempDir();
    const [theirs, file] = [path.join(dir.path, 'theirs'), path.join(dir.path, 'ours')];
    await writeFile(theirs, 'theirs');
    await plant(theirs, file);
    writeOwnFile(file, 'ours');
    expect(lstatSync(file)).toMatchObject({ nlink: 1, size: 4 });
    expect(await readFile(file, 'utf8')).toBe('ours');
    expect(await readFile(theirs, 'utf8')).toBe('theirs');
  });

  test('is appended to, unless it leads elsewhere', async () => {
    await using dir = await tempDir();
    const [theirs, file] = [path.join(dir.path, 'theirs'), path.join(dir.path, 'log')];
    const append = (text: string) => {
      const handle = openOwnLog(file, 0o600);
      writeSync(handle, text);
      closeSync(handle);
    };
    append('one ');
    append('two');
    expect(await readFile(file, 'utf8')).toBe('one two');
    await writeFile(theirs, 'theirs');
    await rename(file, `${file}.old`);
    await symlink(theirs, file);
    append('three');
    expect(await readFile(theirs, 'utf8')).toBe('theirs');
    expect(await readFile(file, 'utf8')).toBe('three');
  });

  test('a device is written as it is', () => {
    const handle = openOwnFile('/dev/null');
    writeSync(handle, 'x');
    closeSync(handle);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });
});

describe('a folder of the engine’s own', () => {
  test('is lost when it is removed, replaced or linked, and found when it is back', async () => {
    await using dir = await tempDir();
    const [folder, away] = [path.join(dir.path, 'ours'), path.join(dir.path, 'away')];
    await mkdir(folder);
    const own = watchFolders([folder], [path.join(folder, 'inner')]);
    expect(own.firstLost()).toBe(null);
    await rename(folder, away);
    expect(own.firstLost()).toBe(folder);
    await symlink(away, folder);
    expect(own.firstLost()).toBe(folder);
    await rename(folder, `${folder}.link`);
    await mkdir(folder);
    expect(own.firstLost()).toBe(folder);
    await rename(folder, `${folder}.other`);
    await rename(away, folder);
    expect(own.firstLost()).toBe(null);
    await symlink(dir.path, path.join(folder, 'inner'));
    expect(own.firstLost()).toBe(path.join(folder, 'inner'));
  });

  test('is made without following a link above it', async () => {
    await using dir = await tempDir();
    const theirs = path.join(dir.path, 'theirs');
    await mkdir(theirs);
    await symlink(theirs, path.join(dir.path, 'a'));
    makeFolders(dir.path, path.join(dir.path, 'a/b'));
    expect(folderIdentity(path.join(dir.path, 'a/b'))).not.toBe(null);
    expect(folderIdentity(path.join(theirs, 'b'))).toBe(null);
  });

  test('of records that somebody’s folder has replaced is never written, however often it is tried', async () => {
    await using dir = await tempDir();
    const artifacts = createArtifacts(dir.path);
    const folder = await artifacts.iterationDir('loop-1', 1);
    const theirs = path.join(dir.path, 'theirs');
    await mkdir(theirs);
    await rename(folder, path.join(dir.path, 'away'));
    await rename(theirs, folder);
    const replaced = { code: 'artifacts.replaced' };
    for (const _ of [1, 2]) {
      await expect(artifacts.iterationDir('loop-1', 1)).rejects.toMatchObject(replaced);
      const written = artifacts.write(path.join(folder, 'final.md'), 'x');
      await expect(written).rejects.toMatchObject(replaced);
    }
    await rename(folder, theirs);
    await artifacts.write(path.join(await artifacts.iterationDir('loop-1', 1), 'final.md'), 'x');
    expect(await readFile(path.join(folder, 'final.md'), 'utf8')).toBe('x');
  });
});
