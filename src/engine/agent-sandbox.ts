import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import type { Sandbox } from '../ports/process.ts';
import type { Engine } from './engine.ts';

/** The walls around every agent of a loop; null when there are none. Checks run without: they are the user's own. */
export function agentSandbox(engine: Engine, loop: Loop): Sandbox | null {
  const { level, network, writable, hidden } = loop.settings.sandbox;
  if (level !== 'bubblewrap') return null;
  // Links in the worktree lead to the user's checkout.
  const { link } = loop.settings.workspace;
  const readable = link.map((file) => path.join(engine.project.root, file));
  return { network, writable, hidden, readable };
}
