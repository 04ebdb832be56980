import { constants, readFileSync } from 'node:fs';

export type SmallFile =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'absent' }
  /** Something that cannot be read, or not now. */
  | { readonly kind: 'unclear' };

/** Nobody is waited for: an agent may have put a pipe in its place. */
const flag = constants.O_RDONLY | constants.O_NONBLOCK;

/** A small file of git's. Read at once: handing it to another thread takes longer than the reading. */
export function readSmallFile(file: string): SmallFile {
  try {
    return { kind: 'text', text: readFileSync(file, { encoding: 'utf8', flag }) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    return code === 'ENOENT' ? { kind: 'absent' } : { kind: 'unclear' };
  }
}
