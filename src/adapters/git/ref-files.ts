import path from 'node:path';
import { readSmallFile } from '../files/small-file.ts';
import type { Checkout } from './git.ts';

const namePattern = /^refs\/(?:heads|loopwright-kept)\/[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/**
 * The commit of a branch by its full name, read from the files git keeps it in: loops ask often, and a process each
 * time is dear. Null: there is no such branch. Undefined: only git itself can tell. Whether the commit exists is not
 * looked at: for branches that an agent may have written to, only an absent one is certain.
 */
export function readRef(
  { commonDir }: Pick<Checkout, 'commonDir'>,
  name: string,
): string | null | undefined {
  if (!namePattern.test(name) || name.includes('..') || name.endsWith('.lock')) return undefined;
  const loose = look(path.join(commonDir, name));
  if (loose.kind === 'text') return asCommit(loose.text.trim());
  if (loose.kind !== 'absent') return undefined;
  // Another format keeps its refs elsewhere.
  const format = look(path.join(commonDir, 'reftable', 'tables.list'));
  if (format.kind !== 'absent') return undefined;
  const packed = look(path.join(commonDir, 'packed-refs'));
  if (packed.kind === 'absent') return isStillAbsent(commonDir, name) ? null : undefined;
  if (packed.kind !== 'text') return undefined;
  const line = packed.text.split('\n').find((each) => each.endsWith(` ${name}`));
  if (line !== undefined) return asCommit(line.slice(0, line.indexOf(' ')));
  return isStillAbsent(commonDir, name) ? null : undefined;
}

/** Between two looks git may have moved it from one file to the other. */
function isStillAbsent(commonDir: string, name: string): boolean {
  return look(path.join(commonDir, name)).kind === 'absent';
}

function asCommit(text: string): string | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : undefined;
}

type Look =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** Something that cannot be read, or not at once. */
  | { readonly kind: 'unclear' };

/** A repository of many branches has a long list of them. */
const longestList = 4 * 1024 * 1024;

function look(file: string): Look {
  try {
    const text = readSmallFile(file, longestList)?.toString('utf8');
    return text === undefined ? { kind: 'unclear' } : { kind: 'text', text };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'unclear' };
  }
}
