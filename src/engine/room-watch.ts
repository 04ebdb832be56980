import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { lstat, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createClassify } from '../core/judge/classify.ts';
import type { JudgeFile } from '../core/judge/judge.ts';
import { FolderWatch } from './folder-watch.ts';
import { lookAtFiles } from './judge-files.ts';
import type { Clock } from '../ports/clock.ts';

/** What happened to files that judge while checks ran. */
export type Disturbance = {
  /** Files of the judge that are other ones now. */
  readonly changed: readonly string[];
  /**
   * Files of the judge that were written and have the same content again, tests and configuration that were made beside the tests or
   * above them, gone again or not, installed packages that were written to. Tools do such things too: whether the checks of the base do tells them apart.
   */
  readonly written: readonly string[];
};

type Watched = {
  readonly cwd: string;
  readonly judge: readonly JudgeFile[];
  /** Folders with dependencies, relative. */
  readonly links: readonly string[];
};

/** Folders of installed packages: what is in them runs, and nobody but an installer writes there. */
const packageFolders: ReadonlySet<string> = new Set(['node_modules', 'vendor', 'venv', '.venv']);
/** Hidden folders of `node_modules` are caches of tools, but for these. */
const hiddenPackages: ReadonlySet<string> = new Set(['.bin', '.pnpm']);
const maxEntries = 200_000;
const maxNamed = 50;
/** Folders after which others have their turn. */
const breath = 200;

export type RoomWatch = Disposable & {
  /** What has happened since the watch began. */
  look(): Promise<Disturbance>;
};

export async function watchRoom(watched: Watched, clock: Pick<Clock, 'sleep'>): Promise<RoomWatch> {
  const { cwd, judge } = watched;
  // Package managers bring their own lock files up to date.
  const paths = judge.filter(({ kind }) => kind !== 'dependencies').map((file) => file.path);
  const mark = await markTime(path.dirname(cwd));
  const before = await lookAtFiles(cwd, paths);
  const heard = new FolderWatch(cwd, foldersAboveTests(judge), clock);
  const classify = createClassify();
  // By its name alone: tests leave all kinds of files in their folders.
  const isJudge = (file: string): boolean => {
    const kind = classify(path.posix.basename(file))?.kind;
    return kind === 'config' || kind === 'test';
  };
  return {
    async look() {
      const after = await lookAtFiles(cwd, paths);
      const changed = before.changed(after);
      const made = [...(await heard.names())].filter(
        (file) => !before.looks.has(file) && isJudge(file),
      );
      const packages = await writtenPackages(watched, mark);
      const known = new Set(changed);
      const written = new Set([...before.rewritten(after), ...made, ...packages]);
      const others = [...written].filter((file) => !known.has(file));
      return { changed, written: others.slice(0, maxNamed) };
    },
    [Symbol.dispose]() {
      heard[Symbol.dispose]();
    },
  };
}

/** The time by which the disk stamps files, which no program can set. */
async function markTime(folder: string): Promise<bigint> {
  const file = path.join(folder, 'mark');
  await writeFile(file, '');
  const { ctimeNs } = await lstat(file, { bigint: true });
  await rm(file);
  return ctimeNs;
}

/** Runners take tests and configuration from the folder of a test and those above it. */
function foldersAboveTests(judge: readonly JudgeFile[]): readonly string[] {
  const folders = new Set(['.']);
  for (const { kind, path: file } of judge) {
    if (kind !== 'test') continue;
    let folder = path.posix.dirname(file);
    while (!folders.has(folder)) {
      folders.add(folder);
      folder = path.posix.dirname(folder);
    }
  }
  return [...folders].toSorted();
}

async function writtenPackages({ cwd, links }: Watched, mark: bigint): Promise<readonly string[]> {
  const found: string[] = [];
  const folders = links.filter((link) => packageFolders.has(path.posix.basename(link)));
  let seen = 0;
  for (let at = 0; at < folders.length && seen < maxEntries; at++) {
    const folder = folders[at] ?? '';
    if (at % breath === breath - 1) await setImmediate();
    for (const entry of entriesOf(path.join(cwd, folder))) {
      seen += 1;
      const file = path.posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!isCache(folder, entry.name)) folders.push(file);
      } else if (isWritten(path.join(cwd, file), mark)) found.push(file);
    }
  }
  return found;
}

function isCache(folder: string, name: string): boolean {
  if (name === '__pycache__') return true;
  const isHidden = path.posix.basename(folder) === 'node_modules' && name.startsWith('.');
  return isHidden && !hiddenPackages.has(name);
}

function isWritten(file: string, mark: bigint): boolean {
  // Package managers keep notes of their own there.
  if (path.basename(file).startsWith('.')) return false;
  const found = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return found !== undefined && found.ctimeNs > mark;
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone, or closed to whoever runs here.
    return [];
  }
}
