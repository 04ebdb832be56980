import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** The name of a backup of the database at schema `version`. */
export function backupPath(file: string, version: number): string {
  return `${file}.backup-${version}`;
}

/** The backups that lie beside a database, the newest first. */
export function backupsOf(file: string): readonly string[] {
  const folder = path.dirname(file);
  const prefix = `${path.basename(file)}.backup-`;
  const isBackup = (name: string): boolean =>
    name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
  try {
    const files = readdirSync(folder)
      .filter(isBackup)
      .map((name) => path.join(folder, name));
    return files.toSorted((a, b) => madeAt(b) - madeAt(a));
  } catch {
    // Whoever asks wants to help: an unreadable folder has no backups to offer.
    return [];
  }
}

/** UTC milliseconds of the newest one; 0 when there is none. */
export function lastBackup(file: string): number {
  const [newest] = backupsOf(file);
  return newest === undefined ? 0 : madeAt(newest);
}

function madeAt(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
