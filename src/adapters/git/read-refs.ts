import { lstat, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Repository } from './repository.ts';
import { keptPrefix } from './loop-checkout.ts';

/** Refs that loops move themselves. */
const ownPrefixes = ['refs/heads/loopwright/', keptPrefix];

/** Every ref with its value, loops' own left out. Packing refs changes nothing here. No process where refs are files. */
export async function readRefs(
  repository: Repository,
  signal: AbortSignal,
): Promise<Map<string, string>> {
  const { commonDir } = repository.main;
  const inTables = (await lstat(path.join(commonDir, 'reftable')).catch(() => null)) !== null;
  const all = inTables ? await askGit(repository, signal) : await readFiles(commonDir);
  for (const name of all.keys()) {
    if (ownPrefixes.some((prefix) => name.startsWith(prefix))) all.delete(name);
  }
  return all;
}

async function askGit(repository: Repository, signal: AbortSignal): Promise<Map<string, string>> {
  const args = ['for-each-ref', '--format=%(objectname) %(refname)'];
  return parsePairs((await repository.output({ args, signal })).toString('latin1'));
}

async function readFiles(commonDir: string): Promise<Map<string, string>> {
  const packed = await readFile(path.join(commonDir, 'packed-refs'), 'latin1').catch(() => '');
  const refs = parsePairs(packed);
  // A loose ref outweighs the packed one of the same name.
  for (const name of await listLoose(commonDir, 'refs')) {
    const text = await readFile(path.join(commonDir, name), 'latin1').catch(() => null);
    if (text !== null) refs.set(name, text.trim());
  }
  return refs;
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

async function listLoose(commonDir: string, folder: string): Promise<string[]> {
  const entries = await readdir(path.join(commonDir, folder), { withFileTypes: true }).catch(
    () => [],
  );
  const names: string[] = [];
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`;
    if (entry.isDirectory()) {
      if (!ownPrefixes.includes(`${name}/`)) names.push(...(await listLoose(commonDir, name)));
    } else if (!name.endsWith('.lock')) names.push(name);
  }
  return names;
}
