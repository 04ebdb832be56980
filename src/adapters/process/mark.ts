/** The environment variable that says to which runs a process belongs. Outside `LOOPWRIGHT_*`, which is configuration. */
export const markVariable = '__LOOPWRIGHT_RUNS';

/**
 * Marks this process itself carries: it was started by a run of another Loopwright, whose sweep must
 * find what we start as well.
 */
export function outerMarks(): string {
  const marks = process.env[markVariable] ?? '';
  return /^[0-9a-f:]{1,2000}$/.test(marks) ? marks : '';
}

/** What a new run's processes carry. */
export function runMarks(...own: readonly string[]): string {
  return [outerMarks(), ...own].filter((mark) => mark !== '').join(':');
}
