import { readdirSync, type Dirent } from 'node:fs';

/** What a folder holds, read at once; nothing when it is gone or cannot be read. */
export function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Gone since its parent was read.
    return [];
  }
}
