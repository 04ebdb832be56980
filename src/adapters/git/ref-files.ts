import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readSmallFile } from '../files/small-file.ts';
import type { Checkout } from './git.ts';

const namePattern = /^refs\/(?:heads|loopwright-kept)\/[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/;

/**
 * The commit of a branch by its full name, read from the files git keeps it in: loops ask often, and a process each
 * time is dear. Null: there is no such branch. Undefined: only git itself can tell. Whether the commit exists is not
 * looked at: for branches that an agent may have written to, only an absent one is certain.
 */
export async function readRef(
  { commonDir }: Pick<Checkout, 'commonDir'>,
  name: string,
): Promise<string | null | undefined> {
  if (!namePattern.test(name) || name.includes('..') || name.endsWith('.lock')) return undefined;
  const loose = await readText(path.join(commonDir, name));
  if (loose.kind === 'text') return asCommit(loose.text.trim());
  if (loose.kind !== 'absent') return undefined;
  // Another format keeps its refs elsewhere.
  const format = await readText(path.join(commonDir, 'reftable', 'tables.list'));
  if (format.kind !== 'absent') return undefined;
  const packed = await readText(path.join(commonDir, 'packed-refs'));
  if (packed.kind === 'absent') return (await isStillAbsent(commonDir, name)) ? null : undefined;
  if (packed.kind !== 'text') return undefined;
  const line = packed.text.split('\n').find((each) => each.endsWith(` ${name}`));
  if (line !== undefined) return asCommit(line.slice(0, line.indexOf(' ')));
  return (await isStillAbsent(commonDir, name)) ? null : undefined;
}

/** Between two looks git may have moved it from one file to the other. */
async function isStillAbsent(commonDir: string, name: string): Promise<boolean> {
  return (await readText(path.join(commonDir, name))).kind === 'absent';
}

function asCommit(text: string): string | undefined {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text) ? text : undefined;
}

type Read =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'unclear' };

async function readText(file: string): Promise<Read> {
  try {
    const text = readSmallFile(file)?.toString('utf8');
    return { kind: 'text', text: text ?? (await readFile(file, 'utf8')) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'unclear' };
  }
}
