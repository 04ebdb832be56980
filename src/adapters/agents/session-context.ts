import path from 'node:path';
import { readTail } from '../files/artifact-files.ts';
import { expandPattern } from '../process/file-growth.ts';

const tailBytes = 256 * 1024;

/** How full a session is, by the end of the transcript that the agent keeps of it; null when that does not tell. */
export async function contextOf(
  patterns: readonly string[],
  sessionId: string,
  contextIn: (line: string) => number | null,
): Promise<number | null> {
  for (const pattern of patterns) {
    const files = await expandPattern(pattern);
    const own = files.findLast((file) => path.basename(file).includes(sessionId));
    if (own === undefined) continue;
    const lines = ((await readTail(own, tailBytes)) ?? '').split('\n');
    for (const line of lines.toReversed()) {
      const percent = contextIn(line);
      if (percent !== null) return percent;
    }
  }
  return null;
}
