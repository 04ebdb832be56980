import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readBounded } from '../../adapters/files/config-yaml.ts';

/** The files of a project as far as `init` looks at them. */
export type ProjectFolder = {
  readonly root: string;
  /** What lies at the top: files by name, folders with a slash behind it. */
  readonly names: ReadonlySet<string>;
  /** Text of a small regular file; null when there is none or it cannot be read. */
  read(file: string): Promise<string | null>;
};

export async function readProjectFolder(root: string): Promise<ProjectFolder> {
  const entries = await readdir(root, { withFileTypes: true });
  const names = entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  return {
    root,
    names: new Set(names),
    async read(file) {
      // A file that cannot be read, or is larger than any manifest, proposes nothing.
      const found = await readBounded(path.join(root, file), file).catch(() => null);
      return found?.text ?? null;
    },
  };
}
