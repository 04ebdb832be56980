import { LoopwrightError } from '../../core/error.ts';

/** Reads JSON this store wrote. Its shape is trusted; `what` names it when it is not even JSON. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the caller names the shape
export function parseStored<T>(text: string, what: string): T {
  try {
    const value: T = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new LoopwrightError('store.corrupt', `${what} in the database is not readable`, {
      cause,
      hint: 'Nothing was changed. Copy a backup (`state.db.backup-…`, beside the database) into its place.',
    });
  }
}
