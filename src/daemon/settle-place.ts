import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isSameFile, lookAtRoot, stateInode, writeStoreId } from '../adapters/files/place-files.ts';
import { machineId } from '../adapters/machine/machine-id.ts';
import { LoopwrightError } from '../core/error.ts';
import {
  isBelow,
  isSettled,
  judgePlace,
  leavesProcesses,
  located,
  type FoundPlace,
  type PlaceRecord,
  type PlaceVerdict,
} from '../core/place/place.ts';
import type { Clock, Ids } from '../ports/clock.ts';
import type { Reach } from '../ports/failpoint.ts';
import type { Locks } from '../ports/lock.ts';
import type { RecordedPath } from '../ports/place.ts';
import type { Store } from '../ports/store.ts';
import type { Project } from '../ports/workspace.ts';

export type SettleInput = {
  readonly store: Store;
  readonly storeFile: string;
  readonly stateDir: string;
  readonly project: Project;
  /** `workspace.dir` as it is configured now. */
  readonly worktrees: string | null;
  readonly locks: Locks;
  readonly clock: Clock;
  readonly ids: Ids;
  /** As processes are recorded with. */
  readonly host: () => Promise<string>;
  readonly reach: Reach;
  readonly tell: (text: string) => void;
};

const waitMs = 120_000;

/**
 * Makes sure that what the store has recorded is read as what it means here, before anything acts upon it: in a project that was
 * moved paths are carried over; in a copy nothing of the original is used. Costs one row and one look at a folder when all is as it
 * was. Files are put right before the row is written, so that the next start repeats what a crash has cut.
 */
export async function settlePlace(input: SettleInput): Promise<void> {
  const { store, stateDir, project, locks } = input;
  const here = { root: project.root, inode: stateInode(stateDir), machine: machineId() };
  const before = await store.read((tx) => tx.places.get());
  if (before !== null && isSettled(before, here)) {
    writeStoreId(stateDir, before.storeId);
    return;
  }
  await using _lock = await locks.take('place', AbortSignal.timeout(waitMs));
  const notice = await settle(input, here);
  if (notice !== null) input.tell(notice);
}

async function settle(input: SettleInput, here: FoundPlace): Promise<string | null> {
  const { store, stateDir, ids, clock } = input;
  const { stored, recorded } = await store.read(async (tx) => ({
    stored: await tx.places.get(),
    recorded: await tx.places.recorded(),
  }));
  const since = clock.now();
  const storeId = ids.token().slice(0, 16);
  const known = stored ?? impliedPlace(recorded, { ...here, storeId, since });
  const former = known.roots
    .filter((root) => root !== here.root)
    .map((root) => lookAtRoot(root, stateDir, stored?.storeId ?? null));
  const verdict = judgePlace(known, here, former);
  const roots = [...new Set([...known.roots, here.root])];
  switch (verdict.kind) {
    case 'same':
      if (stored === null) await keep(input, known);
      return null;
    case 'view':
      if (!known.roots.includes(here.root)) await keep(input, { ...known, roots });
      return null;
    case 'replaced':
    case 'moved':
      return carry(input, known, verdict, recorded, { ...known, ...here, roots, since });
    case 'copied':
      return part(input, known, verdict.from, recorded, {
        ...known,
        ...here,
        storeId,
        roots,
        origin: verdict.from,
        since,
      });
  }
}

/** A store of an older version does not say where it was, but its loops do. A new one has none, and is where it belongs. */
function impliedPlace(
  recorded: readonly RecordedPath[],
  here: FoundPlace & Pick<PlaceRecord, 'storeId' | 'since'>,
): PlaceRecord {
  const implied = recorded.map(impliedRoot).find((root) => root !== null) ?? here.root;
  const inode = implied === here.root ? here.inode : '';
  return { ...here, root: implied, inode, roots: [implied], folders: {}, origin: null };
}

function impliedRoot({ mode, path: place, loopId }: RecordedPath): string | null {
  if (mode === 'in-place') return place;
  const end = `/.loopwright/worktrees/${loopId}`;
  return place.endsWith(end) ? place.slice(0, -end.length) : null;
}

async function carry(
  input: SettleInput,
  known: PlaceRecord,
  verdict: Extract<PlaceVerdict, { kind: 'moved' | 'replaced' }>,
  recorded: readonly RecordedPath[],
  place: PlaceRecord,
): Promise<string | null> {
  const { store, project, stateDir } = input;
  const isOther = leavesProcesses(known, place, verdict);
  if (isOther) await refuseDamaged(input);
  const origin = verdict.kind === 'moved' ? verdict.from : known.origin;
  const settled = { ...place, origin, folders: foldersAfterMove(known, place.root, recorded) };
  const host = await input.host();
  const held = await store.read(async (tx) => tx.places.heldElsewhere(host, await tx.leaseTime()));
  project.carryOver({
    folders: ownFolders(settled, stateDir, recorded),
    locate: (old) => located(old, settled.root, settled),
    isHeld: (loopId) => held.has(loopId),
  });
  if (isOther) forgetProcesses(stateDir);
  await keep(input, settled, isOther);
  if (verdict.kind === 'replaced') return null;
  return `note: this project was moved here from ${verdict.from}; its loops and worktrees go on here`;
}

async function part(
  input: SettleInput,
  known: PlaceRecord,
  from: string,
  recorded: readonly RecordedPath[],
  place: PlaceRecord,
): Promise<string> {
  const { project, stateDir, storeFile } = input;
  const theirs = path.join(from, path.relative(place.root, storeFile));
  if (!isBelow(place.root, storeFile) || isSameFile(storeFile, theirs))
    throw sharedStore(storeFile, from);
  if (project.sharesRepository(from)) throw sharedRepository(place.root, from);
  await refuseDamaged(input);
  const outside = path.resolve(place.root, input.worktrees ?? '.');
  const settled = { ...place, folders: foldersOfCopy(known, place, recorded, outside) };
  const kept = await project.partFromOriginal(ownFolders(settled, stateDir, recorded));
  forgetProcesses(stateDir);
  for (const name of ['daemon.json', 'daemon.sock'])
    rmSync(path.join(stateDir, name), { force: true });
  await keep(input, settled, true);
  const open = recorded.filter(({ isOpen, mode }) => isOpen && mode === 'worktree').length;
  const loops = open === 1 ? 'its unfinished loop starts' : `its ${open} unfinished loops start`;
  return [
    `note: this project is a copy of ${from}`,
    open === 0 ? '; it shares nothing with it' : `; ${loops} in fresh worktrees here`,
    kept.length === 0 ? '' : `. Copied files of worktrees are kept in ${kept.join(', ')}`,
  ].join('');
}

async function keep(input: SettleInput, place: PlaceRecord, disowns = false): Promise<void> {
  const { store, clock, stateDir, reach } = input;
  await reach('before:settle-place');
  await store.write(async (tx) => {
    await tx.places.put(place);
    if (disowns) await tx.places.disown(clock.now());
  });
  await reach('after:settle-place');
  writeStoreId(stateDir, place.storeId);
}

/** Worktrees outside of the project stay where they are, unless they were moved together with it. */
function foldersAfterMove(
  known: PlaceRecord,
  root: string,
  recorded: readonly RecordedPath[],
): PlaceRecord['folders'] {
  const folders = { ...known.folders };
  for (const { from, now } of foldersOutside(known, recorded)) {
    const along = path.resolve(root, path.relative(known.root, now));
    if (!existsSync(now) && existsSync(along)) folders[from] = along;
  }
  return folders;
}

/** Worktrees outside of the project are the original's. */
function foldersOfCopy(
  known: PlaceRecord,
  { storeId, root }: PlaceRecord,
  recorded: readonly RecordedPath[],
  configured: string,
): PlaceRecord['folders'] {
  const own = (folder: string) => path.join(folder, `copy-${storeId.slice(0, 8)}`);
  const used = foldersOutside(known, recorded).map(({ from, now }) => [from, own(now)] as const);
  const next = isBelow(root, configured) ? [] : [[configured, own(configured)] as const];
  return { ...known.folders, ...Object.fromEntries([...next, ...used]) };
}

/** By what loops have recorded; `now` is where they were before the project came here. */
function foldersOutside(
  known: PlaceRecord,
  recorded: readonly RecordedPath[],
): readonly { readonly from: string; readonly now: string }[] {
  const folders = new Map<string, string>();
  for (const { mode, path: place } of recorded) {
    const now = located(place, known.root, known);
    if (mode === 'worktree' && !isBelow(known.root, now))
      folders.set(path.dirname(place), path.dirname(now));
  }
  return [...folders].map(([from, now]) => ({ from, now }));
}

/** Where worktrees of loops lie inside of the project. */
function ownFolders(
  place: PlaceRecord,
  stateDir: string,
  recorded: readonly RecordedPath[],
): readonly string[] {
  const folders = recorded
    .filter(({ mode }) => mode === 'worktree')
    .map((each) => path.dirname(located(each.path, place.root, place)))
    .filter((folder) => isBelow(place.root, folder) && folder !== place.root);
  return [...new Set([path.join(stateDir, 'worktrees'), ...folders])];
}

/** Records of agents beside loops: theirs are not in the store. */
function forgetProcesses(stateDir: string): void {
  rmSync(path.join(stateDir, 'loops', 'aside', 'processes'), { recursive: true, force: true });
}

/** Files that were copied one after the other while somebody wrote them need not fit together. */
async function refuseDamaged({ store, storeFile }: SettleInput): Promise<void> {
  const damage = await store.read((tx) => tx.places.findDamage());
  if (damage === null) return;
  throw new LoopwrightError(
    'store.corrupt',
    `${storeFile} was copied while it was being written, and is torn: ${damage}`,
    {
      hint: 'copy the project again while no loop runs in the original, or copy a backup (`state.db.backup-…`) of the original into its place; the original is not affected',
      details: { file: storeFile },
    },
  );
}

function sharedStore(file: string, owner: string): LoopwrightError {
  return new LoopwrightError('place.shared_store', `${file} is the store of ${owner}`, {
    hint: 'give this project a store of its own: set or remove `store`, and copy the files instead of linking them (`cp -a`, not `cp -al`)',
    details: { file, owner },
  });
}

function sharedRepository(root: string, owner: string): LoopwrightError {
  return new LoopwrightError(
    'place.shared_repository',
    `the records in ${root} are a copy of those in ${owner}, and both work with the same git repository`,
    {
      hint: `move ${path.join(root, '.loopwright')} away to start with records of its own here; those of ${owner} stay as they are`,
      details: { root, owner },
    },
  );
}
