import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Told } from '../engine.ts';
import type { Findings } from '../findings.ts';
import type { Ground } from '../ground.ts';

/** The columns as text; nothing is the empty text. */
type Row = Readonly<Record<string, string>>;

/** The store as plain rows, read from a copy: looking changes nothing, and no code of the program judges itself. */
export type StoreRows = {
  readonly problems: readonly string[];
  readonly tasks: readonly Row[];
  readonly loops: readonly Row[];
  readonly iterations: readonly Row[];
  readonly events: readonly Row[];
  readonly queue: readonly Row[];
};

/** Null when there is no store. Nobody may be writing. */
export function readStore({ repo }: Pick<Ground, 'repo'>): StoreRows | null {
  const file = `${repo}/.loopwright/state.db`;
  if (!existsSync(file)) return null;
  const folder = mkdtempSync(path.join(tmpdir(), 'loopwright-torture-store-'));
  try {
    for (const end of ['', '-wal']) {
      if (existsSync(file + end)) copyFileSync(file + end, `${folder}/state.db${end}`);
    }
    using database = new DatabaseSync(`${folder}/state.db`);
    const all = (sql: string) => database.prepare(sql).all().map(textRow);
    const integrity = all('pragma integrity_check').flatMap((row) => Object.values(row));
    const foreign = all('pragma foreign_key_check').map((row) => JSON.stringify(row));
    return {
      problems: [...integrity.filter((text) => text !== 'ok'), ...foreign],
      tasks: all('select id, title, status, reason from tasks'),
      loops: all('select id, task_id, status, reason from loops'),
      iterations: all('select loop_id, number, status, outcome from iterations'),
      events: all('select loop_id, seq, type, time, hash, data from events order by loop_id, seq'),
      queue: all('select loop_id from queue'),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Whether a task is failed or blocked, also while an engine writes. */
export function hasFailedTask({ repo }: Pick<Ground, 'repo'>): boolean {
  using database = new DatabaseSync(`${repo}/.loopwright/state.db`, { readOnly: true });
  const sql = "select count(*) as count from tasks where status in ('failed', 'blocked')";
  return Number(database.prepare(sql).get()?.['count']) > 0;
}

function textRow(row: Readonly<Record<string, SQLOutputValue>>): Row {
  const columns = Object.entries(row).map(([name, value]) => [name, value?.toString() ?? '']);
  return Object.fromEntries(columns);
}

/** What was stored or told at any time; neither may be lost later. */
export class Memory {
  readonly told = new Map<string, Told>();
  readonly #stored = new Map<string, string>();

  hear(events: readonly Told[]): void {
    for (const event of events) this.told.set(`${event.loop} ${event.seq}`, event);
  }

  judge(rows: StoreRows, findings: Findings): void {
    for (const problem of rows.problems) findings.add('storeDamaged', problem);
    const stored = new Map<string, { readonly type: string; readonly hash: string }>();
    const last = new Map<string, number>();
    for (const row of rows.events) {
      const loop = row['loop_id'] ?? '';
      const seq = Number(row['seq']);
      if (seq !== (last.get(loop) ?? 0) + 1)
        findings.add('storeDamaged', `a gap before event ${seq}`);
      last.set(loop, seq);
      stored.set(`${loop} ${seq}`, { type: row['type'] ?? '', hash: row['hash'] ?? '' });
    }
    for (const [key, { type }] of this.told) {
      if (stored.get(key)?.type !== type)
        findings.add('toldEventsLost', `${type} was told and is not stored`);
    }
    for (const [key, hash] of this.#stored) {
      if (stored.get(key)?.hash !== hash)
        findings.add('storeDamaged', 'a stored event has changed');
    }
    for (const [key, { hash }] of stored) this.#stored.set(key, hash);
  }
}
