import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** Dependencies as a loop has them. */
export type OwnDependencies = {
  /** The folder they are in. */
  readonly from: string;
  /** Whether a package of that name judges the loop, so that it is the user's. */
  readonly judges: (name: string) => boolean;
};

const maxPackages = 20_000;
const maxManifestBytes = 256 * 1024;

type Installed = { readonly version: string | null; readonly needs: readonly string[] };

/**
 * What a loop brings of its own below folders of dependencies. Of `node_modules`, packages of the same version as the
 * user's stay the user's, since nobody had to install them anew, and so do those that judge, with all they need. Other
 * folders are the loop's as a whole, and so is `node_modules` where the user has none.
 */
export async function ownPackages(
  root: string,
  { from, judges }: OwnDependencies,
  folders: readonly string[],
): Promise<readonly string[]> {
  const own: string[] = [];
  for (const folder of folders) {
    const names =
      path.basename(folder) === 'node_modules' ? await packagesIn(path.join(root, folder)) : [];
    if (names.length === 0) {
      own.push(folder);
      continue;
    }
    const installed = new Map<string, Installed>();
    for (const name of names) installed.set(name, await readPackage(path.join(root, folder, name)));
    const judging = closure(names.filter(judges), installed);
    for (const name of await packagesIn(path.join(from, folder))) {
      const users = installed.get(name)?.version ?? null;
      if (judging.has(name)) continue;
      const { version } = await readPackage(path.join(from, folder, name));
      if (users === null || users !== version) own.push(path.join(folder, name));
    }
    const had = new Set(await readdir(path.join(root, folder, '.bin')).catch(() => []));
    const programs = await readdir(path.join(from, folder, '.bin')).catch(() => []);
    const added = programs.filter((name) => !had.has(name));
    own.push(...added.map((name) => path.join(folder, '.bin', name)));
  }
  return own;
}

async function packagesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder).catch(() => []);
  const names: string[] = [];
  for (const entry of entries.filter((each) => !each.startsWith('.')).slice(0, maxPackages)) {
    if (!entry.startsWith('@')) names.push(entry);
    else {
      const inside = await readdir(path.join(folder, entry)).catch(() => []);
      names.push(...inside.map((name) => `${entry}/${name}`));
    }
  }
  return names;
}

/** What its manifest says; nothing when it has none that can be read. */
async function readPackage(folder: string): Promise<Installed> {
  const nothing = { version: null, needs: [] };
  const file = path.join(folder, 'package.json');
  const found = await lstat(file).catch(() => null);
  if (found === null || !found.isFile() || found.size > maxManifestBytes) return nothing;
  try {
    const value: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (typeof value !== 'object' || value === null) return nothing;
    const version = 'version' in value && typeof value.version === 'string' ? value.version : null;
    const needs = 'dependencies' in value ? Object.keys(value.dependencies ?? {}) : [];
    return { version, needs };
  } catch {
    // Not a manifest: an agent can write anything there.
    return nothing;
  }
}

function closure(
  names: readonly string[],
  installed: ReadonlyMap<string, Installed>,
): ReadonlySet<string> {
  const found = new Set<string>();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    const { needs } = installed.get(name) ?? { needs: null };
    if (needs === null || found.has(name)) continue;
    found.add(name);
    queue.push(...needs);
  }
  return found;
}
