import path from 'node:path';
import { hasDependency, readPackageJson } from './package-json.ts';
import type { ProjectFolder } from './project-folder.ts';

/** Where worktrees go, and why not into the state folder. */
export type WorktreePlace = { readonly dir: string; readonly because: string };

const jestConfigs = ['js', 'cjs', 'mjs', 'ts', 'json'].map((end) => `jest.config.${end}`);
const vitestConfigs = ['vitest', 'vite'].flatMap((name) =>
  ['ts', 'mts', 'js', 'mjs', 'cjs'].map((end) => `${name}.config.${end}`),
);
const pytestConfigs = ['pyproject.toml', 'pytest.ini', 'setup.cfg', 'tox.ini'];

/**
 * A folder beside the repository when a test runner would find the tests of every worktree too; null when the
 * state folder will do. Most runners pass over folders that start with a dot; Jest and Vitest do not.
 */
export async function proposeWorktreePlace(folder: ProjectFolder): Promise<WorktreePlace | null> {
  const runner = await findSearcher(folder);
  if (runner === null) return null;
  return {
    dir: `../${path.basename(folder.root)}.worktrees`,
    because: `${runner} searches folders that start with a dot, and would run the tests of every loop as well`,
  };
}

async function findSearcher(folder: ProjectFolder): Promise<string | null> {
  const manifest = await readPackageJson(folder);
  if (manifest !== null && hasDependency(manifest, 'jest')) {
    const inline = manifest.jest === undefined ? '' : JSON.stringify(manifest.jest);
    if (!isLimited(inline + (await readAll(folder, jestConfigs)), /"?roots"?\s{0,9}:/))
      return 'Jest';
  }
  if (manifest !== null && hasDependency(manifest, 'vitest')) {
    if (!isLimited(await readAll(folder, vitestConfigs), limitedInclude)) return 'Vitest';
  }
  // The default of pytest passes over such folders; a list of one's own replaces it.
  const python = await readAll(folder, pytestConfigs);
  return /norecursedirs\s{0,9}=/.test(python) && !isLimited(python, /testpaths\s{0,9}=/)
    ? 'pytest with its own `norecursedirs`'
    : null;
}

/** `include` or `dir` whose first pattern starts with a folder's name. */
const limitedInclude = /(?:include\s{0,9}:\s{0,9}\[\s{0,99}|\bdir\s{0,9}:\s{0,9})['"`](?:\.\/)?\w/;

function isLimited(config: string, limit: RegExp): boolean {
  return config.includes('.loopwright') || limit.test(config);
}

async function readAll(folder: ProjectFolder, files: readonly string[]): Promise<string> {
  const present = files.filter((file) => folder.names.has(file));
  return (await Promise.all(present.map((file) => folder.read(file)))).join('\n');
}
