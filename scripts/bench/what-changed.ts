/** P13 of the scoreboard: how long the engine takes to know what an iteration changed, against `git status`. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openProject } from '../../src/adapters/git/open-project.ts';
import type { Workspace } from '../../src/ports/workspace.ts';
import type { Line } from './line.ts';

const filesPerFolder = 50;
const wanted = 0.6;

/** On a disk in memory where there is one: a virtual disk is too uneven. */
export async function measureWhatChanged(files: number, rounds: number): Promise<readonly Line[]> {
  const memory = '/dev/shm';
  const parent = existsSync(memory) ? memory : tmpdir();
  const folder = mkdtempSync(path.join(parent, 'loopwright-what-changed-'));
  try {
    makeRepository(folder, files);
    const workspace = await openInPlace(folder);
    return await compare(folder, workspace, files, rounds);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function makeRepository(folder: string, files: number): void {
  for (let at = 0; at < files; at += 1) {
    const inside = path.join(folder, `d${Math.floor(at / filesPerFolder)}`);
    if (at % filesPerFolder === 0) mkdirSync(inside);
    writeFileSync(path.join(inside, `f${at}.txt`), `${at}\n`);
  }
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'add', '-A');
  git(folder, '-c', 'user.name=n', '-c', 'user.email=n@localhost', 'commit', '-qm', 'start');
}

function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8' });
}

async function openInPlace(folder: string): Promise<Workspace> {
  const never = new AbortController().signal;
  const project = await openProject(folder, never, process.env);
  const base = git(folder, 'rev-parse', 'HEAD').trim();
  const place = { loopId: 'loop-bench', path: project.root, branch: 'main', base };
  const spec = { ...place, mode: 'in-place' as const, copy: [], link: [] };
  return (await project.openWorkspace(spec, never)).workspace;
}

/** The best of several rounds of each, taken in turns. */
async function compare(
  folder: string,
  workspace: Workspace,
  files: number,
  rounds: number,
): Promise<readonly Line[]> {
  const never = new AbortController().signal;
  const look = (): Promise<unknown> => workspace.snapshot(never);
  const edit = (): void => appendFileSync(path.join(folder, 'd0/f1.txt'), 'x');
  await look();
  const best = { status: Infinity, nothing: Infinity, one: Infinity };
  for (let round = 0; round < rounds; round += 1) {
    edit();
    best.status = Math.min(best.status, await timed(() => git(folder, 'status', '--porcelain')));
    best.one = Math.min(best.one, await timed(look));
    best.nothing = Math.min(best.nothing, await timed(look));
  }
  const against = { value: best.status, name: 'git status' };
  const line = (id: string, what: string, value: number): Line => {
    return { id, what: `${what}, ${files} files`, value, unit: 'ms', against, wanted };
  };
  return [
    line('P13', 'what changed: one file, written as a tree', best.one),
    line('P13b', 'what changed: nothing', best.nothing),
  ];
}

async function timed(work: () => unknown): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}
