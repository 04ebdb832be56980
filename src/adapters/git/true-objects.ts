import { createHash } from 'node:crypto';
import { LoopwrightError } from '../../core/error.ts';
import { escapedName } from '../../core/text/file-name.ts';
import { gitFailed } from './git.ts';
import { splitRecords } from './path-bytes.ts';
import { withoutIndex, type Repository } from './repository.ts';

type Named = { readonly id: string; readonly size: number; readonly path: string };

/** At most this much is read at once. */
const chunkBytes = 32 * 1024 * 1024;
/** A larger file is taken as it is: git holds a whole one in memory. */
const largestBytes = 128 * 1024 * 1024;

/**
 * Whether all objects of these commits are what their names say. git trusts the name when it reads one, so whoever can write into
 * the store of objects can put another text in the place of a file of the base. Throws `git.altered` with the first that is not.
 */
export async function requireTrueObjects(
  repository: Repository,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const wanted = new Map<string, Named>();
  for (const commit of commits) {
    const names = [`${commit}^{commit}`, `${commit}^{tree}`];
    const ids = await repository.text({ args: ['rev-parse', ...names], signal });
    const roots = ids.split('\n').map((id) => ({ id, size: 0, path: commit }));
    const all = [...roots, ...(await listObjects(repository, commit, signal))];
    for (const each of all) wanted.set(each.id, each);
  }
  for (const chunk of chunksOf([...wanted.values()])) {
    const altered = await findAltered(repository, chunk, signal);
    if (altered !== null) throw isAltered(altered);
  }
}

async function listObjects(
  repository: Repository,
  commit: string,
  signal: AbortSignal,
): Promise<readonly Named[]> {
  const args = ['ls-tree', '-r', '-t', '-l', '-z', '--full-tree', '--end-of-options', commit];
  const output = await repository.output({ env: withoutIndex(repository), args, signal });
  return splitRecords(output).flatMap((record) => {
    const tab = record.indexOf('\t');
    const [, type = '', id = '', size = ''] = record.slice(0, tab).split(/ +/);
    // A submodule's commit is in another repository.
    return type === 'commit' ? [] : [{ id, size: Number(size) || 0, path: record.slice(tab + 1) }];
  });
}

function chunksOf(objects: readonly Named[]): readonly (readonly Named[])[] {
  const chunks: Named[][] = [];
  let left = 0;
  for (const each of objects.filter(({ size }) => size <= largestBytes)) {
    if (left < each.size || chunks.length === 0) {
      chunks.push([]);
      left = chunkBytes;
    }
    chunks.at(-1)?.push(each);
    left -= each.size + headerBytes;
  }
  return chunks;
}

const headerBytes = 128;

/** The first object whose content has another name; null when all are true. */
async function findAltered(
  repository: Repository,
  objects: readonly Named[],
  signal: AbortSignal,
): Promise<Named | null> {
  const args = ['cat-file', '--batch', '--buffer'];
  const input = objects.map(({ id }) => `${id}\n`).join('');
  const result = await repository.run({ args, input, signal });
  const { stdout } = result;
  let start = 0;
  for (const each of objects) {
    const end = stdout.indexOf('\n', start);
    const [, type = '', size = ''] = stdout
      .subarray(start, Math.max(start, end))
      .toString()
      .split(' ');
    const stop = end + 1 + Number(size);
    if (end === -1 || !Number.isSafeInteger(stop) || stop > stdout.length) {
      if (result.exitCode !== 0) throw gitFailed(args, result);
      return each;
    }
    const hash = createHash(each.id.length === 40 ? 'sha1' : 'sha256');
    hash.update(`${type} ${size}\0`).update(stdout.subarray(end + 1, stop));
    if (hash.digest('hex') !== each.id) return each;
    start = stop + 1;
  }
  return null;
}

function isAltered({ id, path }: Named): LoopwrightError {
  return new LoopwrightError(
    'git.altered',
    `the stored content of ${escapedName(path)} is not what its name ${id.slice(0, 12)} says: somebody has written into the objects of the repository`,
    { hint: '`git fsck --full` names all of them; bring them back from a clone or a remote' },
  );
}
