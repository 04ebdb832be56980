import { encodePath, splitRecords } from './path-bytes.ts';
import { withoutIndex } from './repository.ts';
import type { Repository } from './repository.ts';

const headerRoom = 256;

/** Text of a file at a revision, cut at `maxBytes`; null when it is not a file there. */
export async function readFileAt(
  repository: Repository,
  revision: string,
  file: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<string | null> {
  const input = Buffer.concat([Buffer.from(`${revision}:`), encodePath(file), Buffer.from([0])]);
  const args = ['cat-file', '--batch=%(objecttype)', '-z'];
  const result = await repository.run({
    args,
    input,
    signal,
    maxOutputBytes: maxBytes + headerRoom,
  });
  const end = result.stdout.indexOf('\n');
  if (end === -1 || result.stdout.subarray(0, end).toString('utf8') !== 'blob') return null;
  // A newline of git's own follows the content.
  const stop = result.truncated ? result.stdout.length : result.stdout.length - 1;
  const content = result.stdout.subarray(end + 1, Math.min(stop, end + 1 + maxBytes));
  return content.toString('utf8');
}

/** Every file of a revision or tree. */
export async function listFilesAt(
  repository: Repository,
  revision: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const args = ['ls-tree', '-r', '-z', '--name-only', '--end-of-options', revision];
  return splitRecords(await repository.output({ env: withoutIndex(repository), args, signal }));
}
