import { loadedModules } from '../core/hook/hook-modules.ts';
import { changedPaths } from '../core/loop/changes.ts';
import { matchesAny } from '../core/text/glob.ts';
import type { LoopOwner } from './loop-owner.ts';

export type PutBack = {
  readonly paths: readonly string[];
  /** The files as they are, when nothing had to be put back; null when they must be looked at again. */
  readonly tree: string | null;
};

/** Puts paths that the agent must not change back to what they were at the start of its iteration; says which. */
export async function putBackProtected(owner: LoopOwner, startTree: string): Promise<PutBack> {
  const { protected: globs, allow, integrity } = owner.loop.settings.verify;
  const judges = integrity === 'off' ? [] : (owner.loop.judges?.files ?? []);
  const scripts = [...judges, ...loadedModules(owner.loop.settings)];
  const isProtected = (file: string) =>
    (scripts.includes(file) || matchesAny(file, globs)) && !matchesAny(file, allow);
  const tree = await owner.currentTree();
  if (tree === startTree || globs.length + scripts.length === 0) return { paths: [], tree };
  // Most iterations touch nothing of the kind, which the snapshot alone can tell.
  if (owner.workspace.touchedSince(startTree)?.some(isProtected) === false) {
    return { paths: [], tree };
  }
  const paths = changedPaths(await owner.changesBetween(startTree, tree)).filter(isProtected);
  if (paths.length === 0) return { paths, tree };
  await owner.before('restore-protected');
  await owner.workspace.restore(startTree, paths, owner.closing);
  await owner.after('restore-protected');
  return { paths, tree: null };
}
