import { existsSync } from 'node:fs';
import path from 'node:path';
import { readSmallFile } from '../files/small-file.ts';
import { replaceText } from './ignore-rules.ts';
import { joinRecords, splitRecords } from './path-bytes.ts';

/** Files that agents wrote and that were kept out of commits: as long as they are there, they are not what checks left. */
export type KeptOut = {
  has(name: string): boolean;
  remember(names: readonly string[]): void;
};

export function createKeptOut(folder: string): KeptOut {
  const file = path.join(folder, 'kept-out');
  let known: Set<string> | null = null;
  /** In memory for as long as we live; the file is for the next engine. */
  const load = (): Set<string> => {
    known ??= new Set(splitRecords(recall(file)));
    return known;
  };
  return {
    has: (name) => load().has(name),
    remember(names) {
      if (names.every((name) => load().has(name))) return;
      for (const name of names) load().add(name);
      if (existsSync(folder)) replaceText(file, joinRecords([...load()]).toString('latin1'));
    },
  };
}

/** Nothing is remembered where something else than a file is in its place. */
function recall(file: string): Uint8Array {
  if (!existsSync(file)) return new Uint8Array();
  return readSmallFile(file, Number.POSITIVE_INFINITY) ?? new Uint8Array();
}
