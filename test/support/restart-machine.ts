import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The machine was started again: what the store has recorded is of an earlier boot. */
export function restartMachine({ path: root }: { readonly path: string }): void {
  using database = new DatabaseSync(path.join(root, '.loopwright/state.db'));
  database.exec("update sessions set boot_id = 'an earlier boot'");
}
