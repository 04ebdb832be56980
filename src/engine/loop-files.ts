import { filesTouched, type Loop } from '../core/loop/loop.ts';
import type { Project } from '../ports/workspace.ts';

/** What a loop has changed since its base. */
export type LoopFiles = {
  readonly changed: readonly string[];
  /** One line per file. */
  readonly rows: readonly string[];
  /** `+12 -3`; null when git cannot tell. */
  readonly lines: string | null;
};

/** From git where base and head are commits that still exist, else from what the iterations recorded. */
export async function loopFiles(project: Project, loop: Loop): Promise<LoopFiles> {
  const { base } = loop.workspace;
  const { head } = loop;
  const recorded = { changed: filesTouched(loop), rows: filesTouched(loop), lines: null };
  if (base === null || head === null || !loop.options.commit) return recorded;
  if (base === head) return { changed: [], rows: [], lines: null };
  try {
    const { files, stat } = await project.diffSummary(base, head, AbortSignal.timeout(60_000));
    const rows = stat.split('\n').filter((row) => row.trim() !== '');
    const total = rows.pop() ?? '';
    return {
      changed: files,
      rows: rows.map((row) => row.trim()),
      lines: /\+\d+ -\d+/.exec(total)?.[0] ?? null,
    };
  } catch {
    // The commits of a deleted branch may have been collected: the record is all there is.
    return recorded;
  }
}
