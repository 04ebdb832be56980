import * as fc from 'fast-check';
import { execFile } from 'node:child_process';
import {
  chmod,
  lstat,
  mkdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { FileChanges } from '../../src/core/loop/changes.ts';
import { noChanges } from '../../src/core/loop/changes.ts';
import type { Project, Workspace, WorkspaceSpec } from '../../src/ports/workspace.ts';
import { writeFileIn } from '../support/git-repo.ts';
import { shows } from '../support/shows.ts';

/** A project whose files are `README.md` ("hello\n") and `src/app.js`, and a folder outside of it. */
export type WorkspaceHarness = AsyncDisposable & {
  readonly project: Project;
  readonly spec: WorkspaceSpec;
  readonly outside: string;
};

const run = promisify(execFile);
const { signal } = new AbortController();

/** What every adapter of the workspace port promises, with or without git. */
export function workspaceContract(
  name: string,
  makeHarness: () => Promise<WorkspaceHarness>,
): void {
  const withWorkspace = async (
    check: (workspace: Workspace, harness: WorkspaceHarness) => Promise<void>,
  ) => {
    await using harness = await makeHarness();
    const { workspace } = await harness.project.openWorkspace(harness.spec, signal);
    await check(workspace, harness);
  };

  describe(name, () => {
    test('a snapshot of unchanged files has the same id', () =>
      withWorkspace(async (workspace) => {
        expect(await workspace.snapshot(signal)).toBe(await workspace.snapshot(signal));
      }));

    test('created, modified and deleted files are told apart, sorted, with their lines counted', () =>
      withWorkspace(async (workspace) => {
        shows(
          '004.track-modified',
          '004.track-created',
          '004.track-deleted',
          '004.track-top-folder',
        );
        const at = workspace.path;
        await writeFileIn(at, 'old/gone.txt', 'one\ntwo\n');
        const changes = await changesOf(workspace, async () => {
          await writeFileIn(at, 'src/zeta.js', '1\n');
          await writeFileIn(at, 'new/alpha.js', '1\n2\n3\n');
          await writeFileIn(at, 'README.md', 'hello\nworld\n');
          await rm(path.join(at, 'old'), { recursive: true });
        });
        expect(changes).toEqual({
          created: ['new/alpha.js', 'src/zeta.js'],
          modified: ['README.md'],
          deleted: ['old/gone.txt'],
          renamed: [],
          lines: 7,
        });
      }));

    test('nothing done is no change', () =>
      withWorkspace(async (workspace) => {
        shows('004.track-nothing');
        expect(await changesOf(workspace, async () => undefined)).toEqual(noChanges);
      }));

    test('a moved file is a rename', () =>
      withWorkspace(async (workspace) => {
        const at = workspace.path;
        await writeFileIn(at, 'a.txt', 'some text that stays the same\n');
        const changes = await changesOf(workspace, async () => {
          await rename(path.join(at, 'a.txt'), path.join(at, 'b.txt'));
        });
        expect(changes).toEqual({ ...noChanges, renamed: [{ from: 'a.txt', to: 'b.txt' }] });
      }));

    test('an edit that keeps size and modification time is seen', () =>
      withWorkspace(async (workspace) => {
        shows('004.track-mtime');
        const file = path.join(workspace.path, 'README.md');
        const { atime, mtime } = await lstat(file);
        const changes = await changesOf(workspace, async () => {
          await writeFile(file, 'HELLO\n');
          await utimes(file, atime, mtime);
        });
        expect(changes.modified).toEqual(['README.md']);
      }));

    test('a file that is only touched is no change', () =>
      withWorkspace(async (workspace) => {
        shows('004.track-mtime');
        const file = path.join(workspace.path, 'README.md');
        expect(await changesOf(workspace, () => utimes(file, 1, 1))).toEqual(noChanges);
      }));

    test('the executable bit and the target of a link belong to the content', () =>
      withWorkspace(async (workspace) => {
        const at = workspace.path;
        await symlink('README.md', path.join(at, 'link'));
        const changes = await changesOf(workspace, async () => {
          await chmod(path.join(at, 'src/app.js'), 0o755);
          await rm(path.join(at, 'link'));
          await symlink('src/app.js', path.join(at, 'link'));
        });
        expect(changes.modified).toEqual(['link', 'src/app.js']);
      }));

    test('a file may become a folder, and a folder a file or a link', () =>
      withWorkspace(async (workspace, { outside }) => {
        const at = workspace.path;
        await writeFileIn(at, 'one/file.txt', 'a\n');
        await writeFileIn(at, 'two/file.txt', 'b\n');
        await writeFileIn(outside, 'file.txt', 'elsewhere\n');
        const changes = await changesOf(workspace, async () => {
          await rm(path.join(at, 'README.md'));
          await writeFileIn(at, 'README.md/inside.txt', 'completely different\n');
          await rm(path.join(at, 'one'), { recursive: true });
          await writeFile(path.join(at, 'one'), 'now a file, with other words\n');
          await rm(path.join(at, 'two'), { recursive: true });
          await symlink(outside, path.join(at, 'two'));
        });
        expect(changes.created).toEqual(['README.md/inside.txt', 'one', 'two']);
        expect(changes.deleted).toEqual(['README.md', 'one/file.txt', 'two/file.txt']);
      }));

    test('any file name survives: quotes, newlines, dashes, magic, bytes that are not UTF-8', () =>
      withWorkspace(async (workspace) => {
        const at = workspace.path;
        const names = [
          '-rf',
          ':(top)x',
          'a\nb',
          'a\tb',
          'say "hi"',
          'ünï',
          '*.js',
          ' space ',
          'back\\slash',
        ];
        const before = await workspace.snapshot(signal);
        for (const each of names) await writeFile(path.join(at, each), `${each} content\n`);
        const raw = Buffer.concat([Buffer.from(`${at}/bad-`), Buffer.from([0xff, 0xfe])]);
        await writeFile(raw, 'bytes\n');
        const after = await workspace.snapshot(signal);
        const { created } = await workspace.changes(before, after, signal);
        expect(created).toEqual([...names, 'bad-\udcff\udcfe'].toSorted());
        await workspace.restore(before, created, signal);
        expect(await workspace.snapshot(signal)).toBe(before);
        await workspace.restore(after, created, signal);
        expect(await workspace.snapshot(signal)).toBe(after);
        expect(await readFile(raw, 'utf8')).toBe('bytes\n');
      }));

    test('the state folder is never part of a snapshot', () =>
      withWorkspace(async (workspace) => {
        const act = () => writeFileIn(workspace.path, '.loopwright/state.db', 'x');
        expect(await changesOf(workspace, act)).toEqual(noChanges);
      }));

    test('special files are passed over', () =>
      withWorkspace(async (workspace) => {
        const { createServer } = await import('node:net');
        const server = createServer();
        const { promise, resolve } = Promise.withResolvers<void>();
        const before = await workspace.snapshot(signal);
        server.listen(path.join(workspace.path, 'sock'), () => resolve());
        await promise;
        expect(await workspace.snapshot(signal)).toBe(before);
        server.close();
      }));

    test('restore puts files and folders back and deletes what was not there', () =>
      withWorkspace(async (workspace) => {
        const at = workspace.path;
        await writeFileIn(at, 'ci/deep/check.sh', '#!/bin/sh\n');
        await chmod(path.join(at, 'ci/deep/check.sh'), 0o755);
        await symlink('README.md', path.join(at, 'link'));
        const before = await workspace.snapshot(signal);
        await rm(path.join(at, 'ci'), { recursive: true });
        await writeFileIn(at, 'ci/deep', 'a file where a folder was\n');
        await writeFileIn(at, 'README.md', 'changed\n');
        await writeFileIn(at, 'added.txt', 'new\n');
        await rm(path.join(at, 'link'));
        await writeFileIn(at, 'kept.txt', 'not asked for\n');
        await workspace.restore(before, ['ci', 'README.md', 'added.txt', 'link'], signal);
        const after = await workspace.snapshot(signal);
        const changes = await workspace.changes(before, after, signal);
        expect(changes).toMatchObject({ created: ['kept.txt'], modified: [], deleted: [] });
        expect((await lstat(path.join(at, 'ci/deep/check.sh'))).mode & 0o111).toBe(0o111);
      }));

    test('restore neither writes nor deletes through a link that took a folder’s place', () =>
      withWorkspace(async (workspace, { outside }) => {
        const at = workspace.path;
        await writeFileIn(at, 'ci/check.sh', 'original\n');
        const before = await workspace.snapshot(signal);
        await writeFileIn(outside, 'check.sh', 'the user’s\n');
        await writeFileIn(outside, 'other.sh', 'the user’s\n');
        await rm(path.join(at, 'ci'), { recursive: true });
        await symlink(outside, path.join(at, 'ci'));
        await workspace.restore(before, ['ci/check.sh', 'ci/other.sh'], signal);
        expect(await readFile(path.join(outside, 'check.sh'), 'utf8')).toBe('the user’s\n');
        expect(await readFile(path.join(outside, 'other.sh'), 'utf8')).toBe('the user’s\n');
        expect(await readFile(path.join(at, 'ci/check.sh'), 'utf8')).toBe('original\n');
      }));

    test('restore refuses to leave the workspace', () =>
      withWorkspace(async (workspace, { outside }) => {
        await writeFileIn(outside, 'mine.txt', 'mine\n');
        const tree = await workspace.snapshot(signal);
        const upwards = path.relative(workspace.path, path.join(outside, 'mine.txt'));
        await workspace.restore(tree, [upwards, '.git', ''], signal);
        expect(await readFile(path.join(outside, 'mine.txt'), 'utf8')).toBe('mine\n');
      }));

    test('commit answers the snapshot of this moment', () =>
      withWorkspace(async (workspace) => {
        const startTree = await workspace.snapshot(signal);
        const startHead = await workspace.head(signal);
        await writeFileIn(workspace.path, 'made.txt', 'x\n');
        const input = { startTree, startHead, subject: 'Iteration 1', trailers: [] };
        const result = await workspace.commit(input, signal);
        expect(result.tree).toBe(await workspace.snapshot(signal));
        expect(result.repaired).toEqual([]);
        const changes = await workspace.changes(startTree, result.tree, signal);
        expect(changes.created).toEqual(['made.txt']);
      }));

    test('an older snapshot stays readable', () =>
      withWorkspace(async (workspace, { project }) => {
        const old = await workspace.snapshot(signal);
        await writeFileIn(workspace.path, 'README.md', 'changed\n');
        await writeFileIn(workspace.path, 'later/ü.md', 'new\n');
        const now = await workspace.snapshot(signal);
        const [before, after] = [
          await project.listAt(old, signal),
          await project.listAt(now, signal),
        ];
        expect(before).toContain('README.md');
        expect(after.filter((file) => !before.includes(file))).toEqual(['later/ü.md']);
        expect(await project.readAt(old, 'README.md', 100, signal)).toBe('hello\n');
        expect(await project.readAt(old, 'README.md', 3, signal)).toBe('hel');
        expect(await project.readAt(old, 'nothing.md', 100, signal)).toBeNull();
      }));

    test('several files of a snapshot are read at once, each as it is alone', () =>
      withWorkspace(async (workspace, { project }) => {
        await writeFileIn(workspace.path, 'deep/ü ü.md', 'one\ntwo\n');
        await writeFileIn(workspace.path, 'empty.md', '');
        const tree = await workspace.snapshot(signal);
        const files = ['nothing.md', 'README.md', 'deep', 'empty.md', 'no\nthing', 'deep/ü ü.md'];
        const texts = await project.readSeveralAt(tree, files, 5, signal);
        expect([...texts]).toEqual([
          ['nothing.md', null],
          ['README.md', 'hello'],
          ['deep', null],
          ['empty.md', ''],
          ['no\nthing', null],
          ['deep/ü ü.md', 'one\nt'],
        ]);
        expect([...(await project.readSeveralAt(tree, [], 5, signal))]).toEqual([]);
      }));

    test('a patch between two snapshots is written to a file and applies', () =>
      withWorkspace(async (workspace, { outside }) => {
        const before = await workspace.snapshot(signal);
        await writeFileIn(workspace.path, 'README.md', 'hello\nworld\n');
        await writeFileIn(workspace.path, 'new.txt', 'no newline at the end');
        const after = await workspace.snapshot(signal);
        const file = path.join(outside, 'a.patch');
        await workspace.writePatch(before, after, file, signal);
        expect(await readFile(file, 'utf8')).toContain('+world\n');
        await run('git', ['apply', '--unidiff-zero', '--reverse', file], { cwd: workspace.path });
        expect(await workspace.snapshot(signal)).toBe(before);
      }));

    test('opening again finds the same files', () =>
      withWorkspace(async (workspace, { project, spec }) => {
        await writeFileIn(workspace.path, 'wip.txt', 'work in progress\n');
        const tree = await workspace.snapshot(signal);
        const again = await project.openWorkspace(spec, signal);
        expect(await again.workspace.snapshot(signal)).toBe(tree);
        expect(again.repaired).toEqual([]);
      }));

    test('an aborted signal ends the call with its reason', () =>
      withWorkspace(async (workspace) => {
        const aborted = AbortSignal.abort(new Error('enough'));
        await expect(workspace.snapshot(aborted)).rejects.toThrow('enough');
      }));

    test('disk usage counts the workspace’s files and not what links lead to', () =>
      withWorkspace(async (workspace, { outside }) => {
        const before = await workspace.diskUsage(signal);
        await writeFile(path.join(outside, 'big'), Buffer.alloc(4 * 1024 * 1024, 1));
        await symlink(outside, path.join(workspace.path, 'link'));
        expect((await workspace.diskUsage(signal)) - before).toBeLessThan(100_000);
        await writeFile(path.join(workspace.path, 'own'), Buffer.alloc(1024 * 1024, 1));
        expect((await workspace.diskUsage(signal)) - before).toBeGreaterThan(900_000);
      }));

    test('the description stays within its limits', () =>
      withWorkspace(async (workspace) => {
        await writeFileIn(workspace.path, 'README.md', 'word\n'.repeat(10_000));
        await workspace.snapshot(signal);
        const text = await workspace.describe({ diffChars: 500, logEntries: 3 }, signal);
        expect(text.diff.length).toBeLessThan(600);
        expect(text.status.length).toBeLessThan(600);
        expect(text.log.split('\n').length).toBeLessThanOrEqual(3);
      }));

    test('removing a workspace twice is fine', () =>
      withWorkspace(async (_workspace, { project, spec }) => {
        await project.removeWorkspace(spec, signal);
        await project.removeWorkspace(spec, signal);
      }));

    test('changes between any two states of the files are exactly their difference', () =>
      withWorkspace(async (workspace) => {
        const files = fc.dictionary(
          fc.constantFrom('a', 'b', 'c/x', 'c/y', 'd/e/f', 'g h', 'ü'),
          fc.constantFrom('1\n', '2\n', '3\n3\n', '', 'long enough to be taken for a rename\n'),
        );
        await fc.assert(
          fc.asyncProperty(files, files, async (before, after) => {
            await writeAll(workspace.path, before);
            const from = await workspace.snapshot(signal);
            await writeAll(workspace.path, after);
            const to = await workspace.snapshot(signal);
            const changes = await workspace.changes(from, to, signal);
            expect(flatten(changes)).toEqual(expectedChanges(before, after));
            await workspace.restore(from, ['a', 'b', 'c', 'd', 'g h', 'ü'], signal);
            expect(await workspace.snapshot(signal)).toBe(from);
          }),
          { numRuns: 15 },
        );
      }));
  });
}

/** Snapshot, act, snapshot, compare. */
async function changesOf(workspace: Workspace, act: () => Promise<unknown>): Promise<FileChanges> {
  const before = await workspace.snapshot(signal);
  await act();
  return workspace.changes(before, await workspace.snapshot(signal), signal);
}

async function writeAll(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const each of ['a', 'b', 'c', 'd', 'g h', 'ü']) {
    await rm(path.join(root, each), { recursive: true, force: true });
  }
  await mkdir(root, { recursive: true });
  for (const [file, content] of Object.entries(files)) await writeFileIn(root, file, content);
}

/** A rename is a deletion and a creation. */
function flatten(changes: FileChanges) {
  return {
    created: [...changes.created, ...changes.renamed.map((pair) => pair.to)].toSorted(),
    modified: changes.modified,
    deleted: [...changes.deleted, ...changes.renamed.map((pair) => pair.from)].toSorted(),
  };
}

function expectedChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
) {
  const [old, now] = [Object.keys(before).toSorted(), Object.keys(after).toSorted()];
  return {
    created: now.filter((file) => !(file in before)),
    modified: now.filter((file) => file in before && before[file] !== after[file]),
    deleted: old.filter((file) => !(file in after)),
  };
}
