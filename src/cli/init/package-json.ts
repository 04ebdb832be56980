import { z } from 'zod';
import type { ProjectFolder } from './project-folder.ts';

const Names = z.record(z.string(), z.unknown()).catch({});

/** What `init` reads of a `package.json`; whatever is malformed counts as absent. */
const PackageJson = z.object({
  scripts: Names,
  dependencies: Names,
  devDependencies: Names,
  packageManager: z.string().nullable().catch(null),
  workspaces: z.unknown().optional(),
  jest: z.unknown().optional(),
});
export type PackageJson = z.output<typeof PackageJson>;

/** Null when there is none or it is not JSON. */
export async function readPackageJson(folder: ProjectFolder): Promise<PackageJson | null> {
  const text = await folder.read('package.json');
  if (text === null) return null;
  try {
    return PackageJson.parse(JSON.parse(text));
  } catch {
    // Not JSON, or not an object: nothing to propose from.
    return null;
  }
}

const packageManagers = ['npm', 'pnpm', 'yarn', 'bun'] as const;
export type PackageManager = (typeof packageManagers)[number];

const lockFiles: readonly (readonly [file: string, manager: PackageManager])[] = [
  ['pnpm-lock.yaml', 'pnpm'],
  ['yarn.lock', 'yarn'],
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package-lock.json', 'npm'],
];

/** By the `packageManager` field, else by the lock file, else npm. */
export function packageManagerOf(manifest: PackageJson, folder: ProjectFolder): PackageManager {
  const named = packageManagers.find((name) => manifest.packageManager?.startsWith(`${name}@`));
  if (named !== undefined) return named;
  return lockFiles.find(([file]) => folder.names.has(file))?.[1] ?? 'npm';
}

export function hasDependency(manifest: PackageJson, name: string): boolean {
  return (
    Object.hasOwn(manifest.dependencies, name) || Object.hasOwn(manifest.devDependencies, name)
  );
}

/** Several packages in one repository, whose folders are linked to each other. */
export function hasWorkspaces(manifest: PackageJson, folder: ProjectFolder): boolean {
  return manifest.workspaces !== undefined || folder.names.has('pnpm-workspace.yaml');
}
