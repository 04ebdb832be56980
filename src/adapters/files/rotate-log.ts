import { copyFileSync, existsSync, renameSync, rmSync, statSync, truncateSync } from 'node:fs';

const defaultLimits = { maxBytes: 10 * 1024 * 1024, files: 5 };

/**
 * Keeps a log small: above the limit it becomes `FILE.1`, what was that becomes `FILE.2`, and the oldest goes. To be called by the
 * only process that writes the log, between two lines. The log is copied and then emptied, since its writers hold it open to
 * append: no line is lost, and after a crash between the two some are there twice. The older logs move only once the copy is
 * complete: a disk without room for it costs none of them.
 */
export function rotateLog(file: string, limits: typeof defaultLimits = defaultLimits): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined || !found.isFile() || found.size < limits.maxBytes) return;
  const copy = `${file}.new`;
  try {
    rmSync(copy, { force: true });
    copyFileSync(file, copy);
  } catch (error) {
    // Half a copy would take the room that the disk lacks.
    rmSync(copy, { force: true, recursive: true });
    throw error;
  }
  for (let number = limits.files - 2; number >= 1; number--) {
    if (existsSync(`${file}.${number}`)) renameSync(`${file}.${number}`, `${file}.${number + 1}`);
  }
  renameSync(copy, `${file}.1`);
  truncateSync(file);
}

/** After a failure the log grows for so long before another try: each one copies the whole log. */
const retryMs = 60_000;

/**
 * Rotates before a line is written, and never throws: the work does not depend on its log. Returns what to write first, a warning
 * when a rotation begins to fail.
 */
export function createLogRotation(
  now: () => number,
  rotate: (file: string) => void = rotateLog,
): (file: string) => string | null {
  let retryAt = -Infinity;
  let failure: string | null = null;
  return (file) => {
    if (now() < retryAt) return null;
    try {
      rotate(file);
      [retryAt, failure] = [-Infinity, null];
      return null;
    } catch (error) {
      retryAt = now() + retryMs;
      const text = error instanceof Error ? error.message : String(error);
      if (text === failure) return null;
      failure = text;
      return `warning: this log could not be rotated and grows until it can: ${text}`;
    }
  };
}
