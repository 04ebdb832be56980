import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';

/** Every entry below a folder with all that an edit would change, even one that puts size and time back. */
export function folderState(folder: string): Readonly<Record<string, string>> {
  const state: Record<string, string> = {};
  const look = (name: string): void => {
    const file = path.join(folder, name);
    const found = lstatSync(file, { bigint: true });
    const { mode, ino, nlink, mtimeNs, ctimeNs } = found;
    const content = found.isSymbolicLink()
      ? readlinkSync(file)
      : found.isFile()
        ? createHash('sha256').update(readFileSync(file)).digest('hex')
        : '';
    state[name] = [mode.toString(8), ino, nlink, mtimeNs, ctimeNs, content].join(' ');
    if (!found.isDirectory()) return;
    for (const inner of readdirSync(file)) look(path.join(name, inner));
  };
  look('.');
  return state;
}
