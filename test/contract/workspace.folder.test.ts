import { mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, test } from 'vitest';
import { openProject } from '../../src/adapters/git/open-project.ts';
import { writeFileIn } from '../support/git-repo.ts';
import { tempDir } from '../support/temp-dir.ts';
import { workspaceContract } from './workspace.suite.ts';
import type { WorkspaceHarness } from './workspace.suite.ts';

const { signal } = new AbortController();

async function harness(): Promise<WorkspaceHarness> {
  const dir = await tempDir();
  const root = path.join(dir.path, 'project');
  const outside = path.join(dir.path, 'outside');
  await mkdir(outside);
  await writeFileIn(root, 'README.md', 'hello\n');
  await writeFileIn(root, 'src/app.js', 'console.log(1);\n');
  const project = await openProject(root, signal, process.env);
  const spec = {
    loopId: 'loop-1',
    mode: 'in-place' as const,
    path: root,
    branch: null,
    base: null,
    copy: [],
    link: [],
  };
  return { project, spec, outside, [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose]() };
}

workspaceContract('a workspace in a folder without git', harness);

test('a folder knows no commits', async () => {
  await using folder = await harness();
  const { project, spec } = folder;
  const { workspace } = await project.openWorkspace(spec, signal);
  expect(project.kind).toBe('folder');
  expect(await workspace.head(signal)).toBeNull();
  expect(await project.resolve('HEAD', signal)).toBeNull();
  const startTree = await workspace.snapshot(signal);
  const input = { startTree, startHead: null, subject: 'x', trailers: [] };
  expect(await workspace.commit(input, signal)).toMatchObject({ commit: null, head: null });
});

test('what needs commits is refused with the way out', async () => {
  await using folder = await harness();
  const { project, spec } = folder;
  const { workspace } = await project.openWorkspace(spec, signal);
  const refusal = { code: 'workspace.needs_git', hint: expect.stringContaining('git init') };
  await expect(workspace.rebase('a', 'b', signal)).rejects.toMatchObject(refusal);
  await expect(project.checkpoints('a', 'b', signal)).rejects.toMatchObject(refusal);
  await expect(project.createBranch('a', 'b', signal)).rejects.toMatchObject(refusal);
  await expect(project.fastForward('a', 'b', 'c', signal)).rejects.toMatchObject(refusal);
});

test('dependency folders are left out at any depth', async () => {
  await using folder = await harness();
  const { workspace } = await folder.project.openWorkspace(folder.spec, signal);
  const before = await workspace.snapshot(signal);
  await writeFileIn(workspace.path, 'node_modules/x/index.js', '1');
  await writeFileIn(workspace.path, 'packages/a/node_modules/x/index.js', '1');
  expect(await workspace.snapshot(signal)).toBe(before);
});

test('a file above 10 MB is watched but not restorable, and nothing is deleted when restoring fails', async () => {
  await using folder = await harness();
  const { workspace } = await folder.project.openWorkspace(folder.spec, signal);
  const big = path.join(workspace.path, 'big.bin');
  await writeFile(big, 'start');
  await truncate(big, 11 * 1024 * 1024);
  const before = await workspace.snapshot(signal);
  await writeFile(big, 'other');
  await writeFileIn(workspace.path, 'README.md', 'changed\n');
  const after = await workspace.snapshot(signal);
  expect((await workspace.changes(before, after, signal)).modified).toEqual([
    'README.md',
    'big.bin',
  ]);
  const failing = workspace.restore(before, ['README.md', 'big.bin'], signal);
  await expect(failing).rejects.toMatchObject({ code: 'workspace.not_restorable' });
  expect(await readFile(big, 'utf8')).toBe('other');
  await workspace.restore(before, ['README.md'], signal);
  expect(await readFile(path.join(workspace.path, 'README.md'), 'utf8')).toBe('hello\n');
});

test('a damaged content copy is written again by the next snapshot', async () => {
  await using folder = await harness();
  const { workspace } = await folder.project.openWorkspace(folder.spec, signal);
  const before = await workspace.snapshot(signal);
  await rm(path.join(workspace.path, '.loopwright/snapshots/objects'), { recursive: true });
  await workspace.snapshot(signal);
  await writeFileIn(workspace.path, 'README.md', 'changed\n');
  await workspace.restore(before, ['README.md'], signal);
  expect(await readFile(path.join(workspace.path, 'README.md'), 'utf8')).toBe('hello\n');
});
