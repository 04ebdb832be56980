import { realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * Whether a file below `root` is a link, or below one. A link in a project could lead out of it, to a key for instance. Throws
 * what the file system says when the file does not exist.
 */
export function isThroughLink(root: string, name: string): boolean {
  return realpathSync(path.join(root, name)) !== path.join(realpathSync(root), name);
}
