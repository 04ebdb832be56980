import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { lazy } from '../../core/lazy.ts';
import type { ProcessIdentity } from '../../ports/process.ts';
import { entriesOf } from '../files/folder-entries.ts';
import { makeFolders } from '../files/own-folder.ts';
import { smallText } from '../files/small-file.ts';
import { syncToDisk } from '../files/sync-to-disk.ts';
import { identify, isAlive } from '../process/identity.ts';
import { isObjectId } from './repository.ts';
import { ownPid } from '../process/own-process.ts';

/**
 * What is about to happen to a branch of the user's and to the checkouts that show it, written down and synced before
 * the first of it happens. A record that is found without its process is a move that was cut: `settle-moves.ts`
 * finishes or undoes it. Agents can write where records lie, so a record only says where to look: settling moves no ref
 * and writes only what the two commits hold.
 */
export type Move = {
  readonly id: string;
  /** Without `refs/heads/`. */
  readonly branch: string;
  readonly from: string;
  readonly to: string;
  /** For whom. */
  readonly loops: readonly string[];
  /** Git folders of the checkouts that follow the branch. */
  readonly gitDirs: readonly string[];
  /** `index`: the files are what was committed; only the index has to follow. */
  readonly follows: 'files' | 'index';
  /** Null when its process has given it up. */
  readonly owner: ProcessIdentity | null;
};

export type PlannedMove = Omit<Move, 'id' | 'owner'>;

const Record = lazy(() => {
  const objectId = z.string().refine(isObjectId);
  const name = z.string().min(1).max(4096);
  return z.strictObject({
    branch: name,
    from: objectId,
    to: objectId,
    loops: z.array(name).max(1000),
    gitDirs: z.array(name).max(1000),
    follows: z.enum(['files', 'index']),
    owner: z
      .object({
        pid: z.int().positive(),
        startTime: z.string().max(64).nullable(),
        bootId: z.string().max(256).nullable(),
        host: z.string().max(1024),
      })
      .nullable(),
  });
});

const ending = '.json';
const halfEnding = '.partial';
const longestRecord = 1024 * 1024;

/** Moves of this very process; any other record that names it is of a process before, or was given up. */
const underWay = new Set<string>();
let count = 0;

/** Where the records of a repository lie, and in the git folder of each checkout the index that is being made for it. */
export function movesFolder(gitDir: string): string {
  return path.join(gitDir, 'loopwright', 'moves');
}

/** Writes the record down and syncs it. */
export function beginMove(commonDir: string, planned: PlannedMove): Move {
  const folder = makeMovesFolder(commonDir);
  const owner = identify(ownPid);
  for (;;) {
    count += 1;
    const id = `${owner.pid}-${owner.startTime ?? 'x'}-${count}`;
    const file = path.join(folder, `${id}${ending}`);
    // One of a process before the machine was started again.
    if (existsSync(file)) continue;
    underWay.add(file);
    const gitDirs = planned.gitDirs.map((gitDir) => path.relative(commonDir, gitDir) || '.');
    writeWhole(file, JSON.stringify({ ...planned, gitDirs, owner }));
    syncToDisk(folder);
    return { ...planned, id, owner };
  }
}

/** The move is over, or nothing more can be done for it. */
export function dropMove(commonDir: string, { id }: Pick<Move, 'id'>): void {
  const folder = movesFolder(commonDir);
  const file = path.join(folder, `${id}${ending}`);
  rmSync(file, { force: true });
  underWay.delete(file);
  syncToDisk(folder);
  removeIfEmpty(folder);
}

/** Its process goes on without it, and the record says so: the next engine that settles may be another one. */
export function leaveMove(commonDir: string, { id }: Pick<Move, 'id'>): void {
  const file = path.join(movesFolder(commonDir), `${id}${ending}`);
  underWay.delete(file);
  const recorded = parse(smallText(file, 'utf8', longestRecord));
  if (recorded !== null && recorded.owner !== null) {
    writeWhole(file, JSON.stringify({ ...recorded, owner: null }));
  }
}

/** One look into a folder that is absent when there is nothing to settle. */
export function hasMoves(commonDir: string): boolean {
  return entriesOf(movesFolder(commonDir)).length > 0;
}

export function isRecorded(commonDir: string, id: string): boolean {
  return entriesOf(movesFolder(commonDir)).some((entry) => entry.name === `${id}${ending}`);
}

/**
 * Moves whose process is gone or has given them up. What cannot be read as a record is removed: it records nothing. So is
 * what a process that is gone left half written: it had not begun to move anything.
 */
export function listCutMoves(commonDir: string): readonly Move[] {
  const folder = movesFolder(commonDir);
  const found: Move[] = [];
  for (const entry of entriesOf(folder)) {
    if (entry.name.endsWith(halfEnding) && !isOfLiving(entry.name))
      rmSync(path.join(folder, entry.name), { recursive: true, force: true });
    if (!entry.name.endsWith(ending)) continue;
    const file = path.join(folder, entry.name);
    if (underWay.has(file)) continue;
    const id = entry.name.slice(0, -ending.length);
    const isNamed = entry.isFile() && /^[\w-]{1,100}$/.test(id);
    const parsed = isNamed ? parse(smallText(file, 'utf8', longestRecord)) : null;
    if (parsed === null) rmSync(file, { recursive: true, force: true });
    else if (isGone(parsed.owner)) {
      // Recorded as seen from the repository, which may have been moved since.
      const gitDirs = parsed.gitDirs.map((gitDir) => path.resolve(commonDir, gitDir));
      found.push({ ...parsed, gitDirs, id });
    }
  }
  removeIfEmpty(folder);
  return found;
}

function isOfLiving(file: string): boolean {
  const [pid = '', startTime = ''] = file.split('-');
  return identify(Number(pid)).startTime === startTime;
}

/** When the move began, by the clock of its disk; never when there is no record any more. */
export function recordedAt(commonDir: string, { id }: Pick<Move, 'id'>): number {
  const file = path.join(movesFolder(commonDir), `${id}${ending}`);
  return lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
}

/** Names the move in the environment of every git command that is part of it. */
export function moveMark(id: string): Readonly<{ LOOPWRIGHT_MOVE: string }> {
  return { LOOPWRIGHT_MOVE: id };
}

export function makeMovesFolder(gitDir: string): string {
  const folder = movesFolder(gitDir);
  makeFolders(gitDir, folder);
  syncToDisk(path.dirname(folder));
  return folder;
}

/** The folders of a repository in which nothing moves are as they were. */
export function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
    rmdirSync(path.dirname(folder));
  } catch {
    // Another record, or the notes of a loop that works in place, lie there.
  }
}

/**
 * Whether no process is at it any more. One that is named after another host was in a container that is gone, or the machine
 * has another name now: engines of one repository share a disk, and the store refuses one on a network.
 */
function isGone(owner: Move['owner']): boolean {
  if (owner === null) return true;
  const own = identify(ownPid);
  const isOwn = own.pid === owner.pid && own.startTime === owner.startTime;
  return isOwn || owner.host !== own.host || !isAlive(owner);
}

function parse(text: string | null): Omit<Move, 'id'> | null {
  try {
    return Record().parse(JSON.parse(text ?? ''));
  } catch {
    return null;
  }
}

/** Appears only when it is whole and on disk. */
function writeWhole(file: string, text: string): void {
  const partial = `${file}${halfEnding}`;
  rmSync(partial, { recursive: true, force: true });
  const handle = openSync(partial, 'wx', 0o600);
  try {
    writeFileSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(partial, file);
}
