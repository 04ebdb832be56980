import vm from 'node:vm';

const defaultMs = 1000;

/**
 * Runs pure work over foreign patterns and texts; null when it takes too long. V8 ends it wherever it is, also in the
 * middle of a backtracking match. The work must leave nothing half-changed behind.
 */
export function timeBox<T>(work: () => T, timeout = defaultMs): T | null {
  const box: { result: T | null } = { result: null };
  const fill = () => {
    box.result = work();
  };
  try {
    vm.runInNewContext('fill()', { fill }, { timeout });
    return box.result;
  } catch (error) {
    if (isTimeout(error)) return null;
    throw error;
  }
}

/** The error may come from the other context, so its class says nothing. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' &&
    error !== null &&
    'code' in error &&
    error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}

/** Whether a user's pattern matches a text; null when it takes too long. */
export function matchesPattern(
  pattern: string,
  text: string,
  timeoutMs = defaultMs,
): boolean | null {
  return timeBox(() => new RegExp(pattern, 'mu').test(text), timeoutMs);
}
