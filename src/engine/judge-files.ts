import { createHash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import path from 'node:path';

type Look = { readonly stamp: string; readonly digest: string | null };

export type FilesLook = {
  readonly looks: ReadonlyMap<string, Look>;
  /** Files that are other ones in a later look. */
  changed(later: FilesLook): readonly string[];
  /** Files that were written since and have the same content: no program can set back when that was. */
  rewritten(later: FilesLook): readonly string[];
};

const maxDigested = 8 * 1024 * 1024;

/** What stands at paths of a folder: links are not followed, and what is absent is absent. */
export async function lookAtFiles(root: string, paths: readonly string[]): Promise<FilesLook> {
  const looks = new Map<string, Look>();
  for (const name of paths) {
    const look = await lookAt(path.join(root, name));
    if (look !== null) looks.set(name, look);
  }
  return {
    looks,
    changed(later) {
      const all = new Set([...looks.keys(), ...later.looks.keys()]);
      return [...all].filter((name) => isOther(looks.get(name), later.looks.get(name))).toSorted();
    },
    rewritten(later) {
      const both = [...looks].filter(([name, { stamp }]) => {
        const now = later.looks.get(name);
        return now !== undefined && now.stamp !== stamp;
      });
      const names = both.map(([name]) => name);
      return names.filter((name) => !isOther(looks.get(name), later.looks.get(name))).toSorted();
    },
  };
}

/** Written anew with the same content is the same. */
function isOther(before: Look | undefined, after: Look | undefined): boolean {
  if (before === undefined || after === undefined) return before !== after;
  if (before.stamp === after.stamp) return false;
  return before.digest === null || before.digest !== after.digest;
}

async function lookAt(file: string): Promise<Look | null> {
  const found = await lstat(file, { bigint: true }).catch(() => null);
  if (found === null || found.isDirectory()) return null;
  const { size, mode, ctimeNs, ino } = found;
  const stamp = [size, mode, ctimeNs, ino].join(' ');
  if (found.isSymbolicLink()) return { stamp, digest: `link ${await readlink(file)}` };
  if (!found.isFile() || size > maxDigested) return { stamp, digest: null };
  const digest = createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
  return { stamp, digest: `${mode} ${digest}` };
}
