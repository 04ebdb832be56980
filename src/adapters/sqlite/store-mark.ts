import { closeSync, constants, fstatSync, openSync, rmSync, writeSync } from 'node:fs';
import { LoopwrightError } from '../../core/error.ts';
import { privateFile } from '../files/private-state.ts';
import { smallText } from '../files/small-file.ts';
import type { Connection } from './connection.ts';

/** How far a store was written: the number of changes, and the newest position of the feed. */
type Written = { readonly changes: number; readonly position: number };

/** And into which file with which log, by their inodes. */
type Mark = Written & { readonly file: number; readonly log: number };

/** Counters exist from this schema on. */
const firstSchema = 4;

const bytes = 96;

function markPath(file: string): string {
  return `${file}.mark`;
}

/** To be called before a database is made where there is none: the mark of an earlier one says nothing of it. */
export function forgetMark(file: string): void {
  rmSync(markPath(file), { force: true });
}

/**
 * How far a store was written, in a small file beside it. It is written after the transaction that it speaks of is on disk, so
 * the store is never behind its mark, unless it was put back from a copy or has lost its log. It is not synced: after a power
 * cut it may say less, never more.
 */
class StoreMark implements Disposable {
  readonly #file: string;
  #handle: number | null = null;

  constructor(file: string) {
    this.#file = markPath(file);
  }

  /** Throws when something is in its place. */
  open(): number {
    this.#handle ??= openMark(this.#file);
    return this.#handle;
  }

  write({ changes, position, file, log }: Mark): void {
    const text = [changes, position, file, log].join(' ').padEnd(bytes - 1);
    writeSync(this.open(), `${text}\n`, 0, 'latin1');
  }

  [Symbol.dispose](): void {
    if (this.#handle !== null) closeSync(this.#handle);
    this.#handle = null;
  }
}

/** Null when nothing was marked yet. */
export function readMark(file: string): Mark | null {
  return parseMark(smallText(markPath(file), 'latin1', bytes) ?? '');
}

function parseMark(text: string): Mark | null {
  const numbers = text.trim().split(' ').map(Number);
  const [changes, position, file, log] = numbers;
  if (!numbers.every(Number.isSafeInteger) || log === undefined) return null;
  if (changes === undefined || position === undefined || file === undefined) return null;
  return { changes, position, file, log };
}

/** A link or a pipe that somebody put in its place is not followed and not waited for. */
function openMark(file: string): number {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
  let handle: number | null = null;
  try {
    handle = openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK, privateFile);
    if (fstatSync(handle).isFile()) return handle;
    closeSync(handle);
  } catch (cause) {
    throw noMark(file, cause);
  }
  throw noMark(file, undefined);
}

function noMark(file: string, cause: unknown): LoopwrightError {
  return new LoopwrightError('store.cannot_open', `${file} is not a file that can be written`, {
    ...(cause === undefined ? {} : { cause }),
    hint: 'It says how far the store beside it was written. Move away what is in its place.',
    details: { file },
  });
}

/** Counts the transactions that changed something, in the store and in its mark. */
export class ChangeCount implements Disposable {
  readonly #connection: Connection;
  readonly #mark: StoreMark;

  /** Null for a schema without counters. Notes a gap when the store is behind its mark. */
  static async begin(connection: Connection, schema: number): Promise<ChangeCount | null> {
    if (schema < firstSchema) return null;
    const count = new ChangeCount(connection);
    try {
      await count.#noteGap();
      return count;
    } catch (error) {
      count[Symbol.dispose]();
      throw error;
    }
  }

  private constructor(connection: Connection) {
    this.#connection = connection;
    this.#mark = new StoreMark(connection.file);
  }

  /** Inside a transaction that changed something, at its end. The answer is for `keep`. */
  count(): Written {
    // While the transaction can still be undone.
    this.#mark.open();
    const [row] = this.#connection.run(
      `insert into counters (name, value) values ('changes', 1)
       on conflict (name) do update set value = value + 1
       returning value as changes, (select value from counters where name = 'event_position') as position`,
    ).rows;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the statement says what its row is
    return row as Written;
  }

  /** After the transaction was committed: it counts, whether or not the mark can be written. A mark may say less. */
  keep(written: Written): void {
    try {
      this.#mark.write({ ...written, ...this.#connection.inodes });
    } catch {
      // A full disk, say. The next change writes it.
    }
  }

  /** No change gets a number, and no event a position, that was given before. */
  async #noteGap(): Promise<void> {
    const marked = readMark(this.#connection.file);
    if (marked === null || this.#counter('changes') >= marked.changes) return;
    await this.#connection.beginImmediate();
    try {
      const lost = marked.changes - this.#counter('changes');
      if (lost > 0) this.#storeGap(lost, marked);
      this.#connection.run('commit');
      if (lost > 0) this.keep({ changes: marked.changes + 1, position: marked.position });
    } catch (error) {
      if (this.#connection.inTransaction) this.#connection.run('rollback');
      throw error;
    }
  }

  #storeGap(lost: number, { changes, position }: Written): void {
    const upsert = 'insert into counters (name, value) values (?, ?) on conflict (name) do update';
    this.#connection.run(`${upsert} set value = value + excluded.value`, ['gap_changes', lost]);
    const newest = this.#counter('event_position');
    this.#connection.run(`${upsert} set value = excluded.value`, ['gap_position', newest]);
    this.#connection.run(`${upsert} set value = excluded.value`, ['changes', changes + 1]);
    this.#connection.run(`${upsert} set value = max(value, excluded.value)`, [
      'event_position',
      position,
    ]);
  }

  #counter(name: string): number {
    const [row] = this.#connection.run('select value from counters where name = ?', [name]).rows;
    return typeof row === 'object' && row !== null && 'value' in row ? Number(row.value) : 0;
  }

  [Symbol.dispose](): void {
    this.#mark[Symbol.dispose]();
  }
}
