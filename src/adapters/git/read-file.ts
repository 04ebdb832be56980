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

const severalBytes = 64 * 1024 * 1024;

/** Texts of files at a revision by one process, each cut at `maxBytes`; null for what is not a file there. */
export async function readFilesAt(
  repository: Repository,
  revision: string,
  files: readonly string[],
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
  const texts = new Map<string, string | null>();
  if (files.length === 0) return texts;
  const names = files.map((file) => Buffer.concat([Buffer.from(`${revision}:`), encodePath(file)]));
  const input = Buffer.concat(names.flatMap((name) => [name, Buffer.from([0])]));
  const args = ['cat-file', '--batch=%(objecttype) %(objectsize)', '-z'];
  const { stdout } = await repository.run({ args, input, signal, maxOutputBytes: severalBytes });
  let at = 0;
  for (const [index, name] of names.entries()) {
    const file = files[index] ?? '';
    const absent = Buffer.concat([name, Buffer.from(' missing\n')]);
    if (stdout.subarray(at, at + absent.length).equals(absent)) {
      texts.set(file, null);
      at += absent.length;
      continue;
    }
    const end = stdout.indexOf('\n', at);
    const [type, size] = stdout.subarray(at, Math.max(at, end)).toString('utf8').split(' ');
    const start = end + 1;
    const stop = start + Number(size);
    if (end === -1 || !Number.isSafeInteger(stop) || stop > stdout.length) break;
    const content = stdout.subarray(start, Math.min(stop, start + maxBytes));
    texts.set(file, type === 'blob' ? content.toString('utf8') : null);
    at = stop + 1;
  }
  // Large ones in between cut the output: the rest is read one by one.
  for (const file of files.filter((each) => !texts.has(each))) {
    texts.set(file, await readFileAt(repository, revision, file, maxBytes, signal));
  }
  return texts;
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
