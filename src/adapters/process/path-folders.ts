import path from 'node:path';

/** The folders of a `PATH`, each once, in order. An empty entry stands for the working folder, as everywhere. */
export function pathFolders(value: string): readonly string[] {
  const folders = new Set<string>();
  for (const entry of value.split(path.delimiter)) {
    const folder = path.normalize(entry);
    folders.add(folder.length > 1 && folder.endsWith('/') ? folder.slice(0, -1) : folder);
  }
  return [...folders];
}
