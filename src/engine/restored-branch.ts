import { createHash } from 'node:crypto';
import path from 'node:path';
import type { SurroundingChange } from '../ports/workspace.ts';
import type { Engine } from './engine.ts';

/** A new branch of the user's at a checkpoint. Recorded first, so that no running loop takes it for tampering. */
export async function restoreBranch(
  engine: Pick<Engine, 'project' | 'artifacts'>,
  branch: string,
  commit: string,
  signal: AbortSignal,
): Promise<void> {
  await engine.artifacts.namedDir(folder, 'branches');
  const file = recordOf(engine, `refs/heads/${branch}`);
  await engine.artifacts.write(file, `${commit}\n`);
  await engine.project.createBranch(branch, commit, signal);
}

/** Whether a ref that was not there before is such a branch. */
export async function isRestored(
  engine: Pick<Engine, 'artifacts'>,
  { name, before, after }: SurroundingChange,
): Promise<boolean> {
  if (before !== null || after === null || !name.startsWith('refs/heads/')) return false;
  const text = await engine.artifacts.readTail(recordOf(engine, name), 200);
  return text?.trim() === after;
}

const folder = 'restored';

function recordOf({ artifacts }: Pick<Engine, 'artifacts'>, ref: string): string {
  const name = createHash('sha256').update(ref).digest('hex');
  return path.join(artifacts.loopDir(folder), 'branches', name);
}
