import type { Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import { runCommand, type CommandResult } from './run-command.ts';

/** Runs `workspace.setup` in a worktree that was just made; null when there is nothing to run. */
export async function setUpWorkspace(
  engine: Engine,
  loop: Loop,
  cwd: string,
  signal: AbortSignal,
  env?: Readonly<Record<string, string>>,
): Promise<(CommandResult & { readonly command: string }) | null> {
  const command = loop.settings.workspace.setup;
  if (command === null) return null;
  const dir = await engine.artifacts.namedDir(loop.id, 'setup');
  const spec = {
    command,
    dir,
    name: 'setup',
    cwd,
    timeoutMs: loop.settings.validation.timeout,
    ...(env === undefined ? {} : { env }),
  };
  await engine.reach('before:set-up');
  const result = await runCommand(engine, loop, spec, signal);
  await engine.reach('after:set-up');
  return { ...result, command };
}
