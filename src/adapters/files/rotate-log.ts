import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';

const defaultLimits = { maxBytes: 10 * 1024 * 1024, files: 5 };

/**
 * Keeps a log small: above the limit it becomes `FILE.1`, what was that becomes `FILE.2`, and the oldest goes. To be called by the
 * only process that writes the log, between two lines. The log is copied and then emptied, since its writers hold it open to
 * append: no line is lost, and after a crash between the two some are there twice.
 */
export function rotateLog(file: string, limits: typeof defaultLimits = defaultLimits): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size < limits.maxBytes) return;
  for (let number = limits.files - 2; number >= 1; number--) {
    if (existsSync(`${file}.${number}`)) renameSync(`${file}.${number}`, `${file}.${number + 1}`);
  }
  const copy = `${file}.new`;
  rmSync(copy, { force: true });
  copyFileSync(file, copy);
  renameSync(copy, `${file}.1`);
  truncateSync(file);
}
