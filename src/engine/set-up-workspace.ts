import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import { runCommand, type Room, type CommandResult } from './run-command.ts';

/**
 * Runs `workspace.setup` in a worktree that was just made; null when there is nothing to run. On the files of the base it runs as
 * the user's own command; once a loop has commits, its code is the agent's (`npm ci` runs scripts) and stays inside the walls.
 */
export async function setUpWorkspace(
  engine: Engine,
  loop: Loop,
  { cwd, walled }: { readonly cwd: string; readonly walled: boolean },
  signal: AbortSignal,
  room?: Room,
): Promise<(CommandResult & { readonly command: string }) | null> {
  const command = loop.settings.workspace.setup;
  if (command === null) return null;
  const dir = await engine.artifacts.namedDir(loop.id, 'setup');
  const timeoutMs = loop.settings.validation.timeout;
  const spec = { command, dir, name: 'setup', cwd, timeoutMs, walled, ...room };
  await engine.reach('before:set-up');
  const result = await runCommand(engine, loop, spec, signal);
  await engine.reach('after:set-up');
  return { ...result, command };
}
