import { existsSync } from 'node:fs';
import path from 'node:path';
import { entriesOf } from '../files/folder-entries.ts';
import { smallText } from '../files/small-file.ts';
import type { Repository } from './repository.ts';
import { keptPrefix, pastPrefix } from './loop-checkout.ts';

/** Refs that loops move themselves. */
const ownPrefixes = ['refs/heads/loopwright/', keptPrefix, pastPrefix];

/**
 * Every ref with its value, and locks of refs, loops' own left out. Packing refs changes nothing here. No process where refs are files. Reads at
 * once: they are small, and handing them to another thread takes longer.
 */
export async function readRefs(
  repository: Repository,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { commonDir } = repository.main;
  const inTables = existsSync(path.join(commonDir, 'reftable'));
  const all = inTables ? await askGit(repository, signal) : readFiles(commonDir);
  for (const name of all.keys()) {
    if (ownPrefixes.some((prefix) => name.startsWith(prefix))) all.delete(name);
  }
  return all;
}

async function askGit(repository: Repository, signal: AbortSignal): Promise<Map<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)'];
  return parsePairs((await repository.output({ args, signal })).toString('latin1'));
}

function readFiles(commonDir: string): Map<string, string> {
  const refs = parsePairs(textOf(path.join(commonDir, 'packed-refs')) ?? '');
  // A loose ref outweighs the packed one of the same name.
  for (const name of listLoose(commonDir, 'refs')) {
    if (name.endsWith('.lock')) {
      refs.set(`.git/${name}`, 'locked');
      continue;
    }
    const text = textOf(path.join(commonDir, name));
    if (text !== null) refs.set(name, text.trim());
  }
  return refs;
}

/** A repository of many branches has a long list of them. */
const longestList = 64 * 1024 * 1024;

function textOf(file: string): string | null {
  return smallText(file, 'latin1', longestList);
}

/** `id name` per line; comments and peeled tags are passed over. */
function parsePairs(text: string): Map<string, string> {
  const refs = new Map<string, string>();
  for (const line of text.split('\n')) {
    const space = line.indexOf(' ');
    if (space < 1 || line.startsWith('#') || line.startsWith('^')) continue;
    refs.set(line.slice(space + 1), line.slice(0, space));
  }
  return refs;
}

/** Branches of which git keeps a record, by their full names, loops' own left out. */
export function listLogged(commonDir: string): readonly string[] {
  return listLoose(path.join(commonDir, 'logs'), 'refs/heads');
}

function listLoose(commonDir: string, folder: string): string[] {
  const names: string[] = [];
  for (const entry of entriesOf(path.join(commonDir, folder))) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!ownPrefixes.includes(`${name}/`)) names.push(...listLoose(commonDir, name));
    } else names.push(name);
  }
  return names;
}
