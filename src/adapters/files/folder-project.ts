import { rm } from 'node:fs/promises';
import path from 'node:path';
import { changedPaths } from '../../core/loop/changes.ts';
import type { Project } from '../../ports/workspace.ts';
import { loadManifest, readContent } from './folder-manifest.ts';
import { hideStateFolder, stateFolderName } from './folder-state.ts';
import {
  createFolderWorkspace,
  folderChanges,
  needsGit,
  writeFolderPatch,
} from './folder-workspace.ts';
import { plural } from '../../core/text/plural.ts';

/**
 * A project without git. Loops work in the folder itself; snapshots live in `.loopwright/snapshots` until the workspace
 * is removed. Whatever needs commits is refused with `workspace.needs_git`. A revision is the id of a snapshot.
 */
export function createFolderProject(root: string): Project {
  const store = path.join(root, stateFolderName, 'snapshots');
  return {
    kind: 'folder',
    root,
    describe: async () => ({ branch: null, head: null, dirty: false, operation: null }),
    resolve: async () => null,
    checkedOut: async () => ({ branch: null, head: null }),
    watchBranch: () => ({ [Symbol.dispose]: () => {} }),
    contains: async () => false,
    replay: async () => {
      throw needsGit('Merging');
    },
    async openWorkspace() {
      hideStateFolder(root, store);
      const workspace = createFolderWorkspace(root, store);
      return { workspace, created: true, repaired: [], missing: [], notes: [] };
    },
    async tidyWorktrees() {
      return [];
    },
    async removeWorkspace() {
      await rm(store, { recursive: true, force: true });
      return null;
    },
    // What a snapshot holds is synced with it.
    sync: async () => undefined,
    isWhole: async () => false,
    requireStart: () => {},
    // The folder is the user's own.
    requireIntact: () => {},
    retireBranch: async () => undefined,
    deleteBranch: async () => undefined,
    checkpoints: async () => {
      throw needsGit('Listing checkpoints');
    },
    loopsOf: async () => [],
    createBranch: async () => {
      throw needsGit('Creating a branch');
    },
    fastForward: async () => {
      throw needsGit('Merging');
    },
    hasCutMoves: () => false,
    settleMoves: async () => [],
    async readAt(revision, file, maxBytes) {
      const manifest = await loadManifest(store, revision);
      const entry = manifest.find(({ path: name }) => name === file);
      const content = entry === undefined ? null : await readContent(store, entry);
      return content === null ? null : content.subarray(0, maxBytes).toString('utf8');
    },
    async readSeveralAt(revision, files, maxBytes) {
      const manifest = await loadManifest(store, revision);
      const entries = new Map(manifest.map((entry) => [entry.path, entry]));
      const texts = new Map<string, string | null>();
      for (const file of files) {
        const entry = entries.get(file);
        const content = entry === undefined ? null : await readContent(store, entry);
        texts.set(file, content === null ? null : content.subarray(0, maxBytes).toString('utf8'));
      }
      return texts;
    },
    listAt: async (revision) => (await loadManifest(store, revision)).map(({ path: name }) => name),
    differing: async () => [],
    requireTrue: async () => {},
    makeRoom: async () => {
      throw needsGit('Confirming in a clean place');
    },
    // A folder has no history.
    changedByPeople: async () => [],
    async diffSummary(from, to, signal) {
      const changes = await folderChanges(store, from, to, signal);
      const files = changedPaths(changes);
      const stat =
        files.length === 0
          ? ''
          : ` ${plural(files.length, 'file')} changed, ${plural(changes.lines, 'line')}`;
      return { files, stat };
    },
    writePatch: (from, to, file, signal) => writeFolderPatch(store, from, to, file, signal),
    // The folder is the workspace: around it there is nothing of the project.
    surroundings: async (scope) => ({ scope, items: new Map() }),
    compareSurroundings: () => [],
    isStaged: async () => false,
    branchLog: async () => ({ moves: null, shown: null, inLoops: [] }),
    bringsWorkOf: async () => false,
    moveBack: async () => false,
    // Loops work in the folder itself, wherever it is.
    carryOver: () => {},
    partFromOriginal: async () => [],
    sharesRepository: () => false,
  };
}
