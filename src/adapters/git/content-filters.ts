import { attributesMention } from './attribute-files.ts';
import type { Checkout } from './git.ts';
import { joinRecords, splitRecords } from './path-bytes.ts';
import type { Repository } from './repository.ts';

/** Which of these files a content filter of the user's stands before, with its name. No process where no attributes say so. */
export async function filteredFiles(
  repository: Repository,
  at: Checkout,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const { filters } = repository.user;
  if (filters.size === 0 || names.length === 0 || !attributesMention(at, names, ['filter']))
    return found;
  const args = ['check-attr', '-z', '--stdin', 'filter'];
  const input = joinRecords(names);
  const records = splitRecords(await repository.output({ at, args, input, signal }));
  for (let start = 0; start + 2 < records.length; start += 3) {
    const [file = '', , value = ''] = records.slice(start, start + 3);
    if (filters.has(value)) found.set(file, value);
  }
  return found;
}
