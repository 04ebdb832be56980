import { readdirSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createClassify } from '../core/judge/classify.ts';

const maxDepth = 6;
const maxFolders = 1000;
/** Folders after which others have their turn: read at a stroke they take half the time. */
const breath = 50;
/** Folders of tools and of what builds leave behind: no runner takes its configuration from there. */
const passedOver = new Set([
  'node_modules',
  'target',
  'dist',
  'build',
  'vendor',
  'venv',
  'site-packages',
  '__pycache__',
]);

/**
 * Configuration of runners that stands in a worktree, known to git or not. It reads folders and asks no git, whose
 * rules about ignored files an agent can write. Folders near the root come first, and there is a limit.
 */
export async function listRunnerConfigs(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  const classify = createClassify();
  // Environment files are in no commit by the rules on forbidden files, which tell of them.
  const isConfig = (name: string): boolean =>
    classify(name)?.kind === 'config' && !/(?:^|\/)\.env[^/]*$/.test(name);
  let folders = [''];
  let seen = 0;
  for (let depth = 0; depth <= maxDepth && folders.length > 0; depth++) {
    const next: string[] = [];
    for (const [index, folder] of folders.slice(0, maxFolders - seen).entries()) {
      if (index % breath === breath - 1) await setImmediate();
      for (const entry of entriesOf(path.join(root, folder))) {
        const file = path.posix.join(folder, entry.name);
        if (isWalked(entry)) next.push(file);
        // In a folder of tests everything is a test by its path; its name still tells.
        else if (!entry.isDirectory() && [file, entry.name].some(isConfig)) found.push(file);
      }
    }
    seen += folders.length;
    if (seen >= maxFolders) break;
    folders = next;
  }
  return found;
}

function isWalked(entry: Dirent): boolean {
  return entry.isDirectory() && !entry.name.startsWith('.') && !passedOver.has(entry.name);
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // A folder that is gone or closed to us is closed to the runner as well.
    return [];
  }
}
