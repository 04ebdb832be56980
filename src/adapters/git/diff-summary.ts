import type { DiffSummary } from '../../ports/workspace.ts';
import { escapedName } from '../../core/text/file-name.ts';
import type { Repository } from './repository.ts';
import { diffTrees } from './tree-diff.ts';
import type { LineCount } from './tree-diff.ts';

/** Written here rather than by `git diff --stat`: one process, and no file name can break a line. */
export async function diffSummary(
  repository: Repository,
  from: string,
  to: string,
  signal: AbortSignal,
): Promise<DiffSummary> {
  const { entries, lines } = await diffTrees(repository, from, to, signal);
  const files = entries.map((entry) => entry.path).toSorted();
  return { files, stat: renderStat(lines) };
}

function renderStat(lines: readonly LineCount[]): string {
  if (lines.length === 0) return '';
  const added = lines.reduce((sum, line) => sum + line.added, 0);
  const removed = lines.reduce((sum, line) => sum + line.removed, 0);
  const rows = lines.map((line) => ` ${escapedName(line.path)} | +${line.added} -${line.removed}`);
  const noun = lines.length === 1 ? 'file' : 'files';
  return [...rows, ` ${lines.length} ${noun} changed, +${added} -${removed}`].join('\n');
}
