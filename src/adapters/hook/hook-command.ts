import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hook } from '../../core/config/section/hooks.ts';
import { LoopwrightError } from '../../core/error.ts';

/** The shell command that runs a hook; a module is one of the user's checkout at `root`. */
export function hookCommand(hook: Hook, root: string): string {
  if ('command' in hook) return hook.command;
  const words = [process.execPath, runnerFile(), path.resolve(root, hook.module)];
  return `exec ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')}`;
}

/** Throws `config.hook_module` for a module that is not there. */
export function requireHookModules(modules: readonly string[], root: string): void {
  const missing = modules.find((file) => !existsSync(path.resolve(root, file)));
  if (missing === undefined) return;
  throw new LoopwrightError('config.hook_module', `there is no hook module ${missing}`, {
    hint: 'correct its path under `hooks`; it is relative to the repository',
  });
}

/** From sources the runner is the file beside this one; a build emits it as `hook-runner.js` beside the bundle. */
function runnerFile(): string {
  const name = import.meta.url.endsWith('.ts') ? './module-runner.ts' : './hook-runner.js';
  return fileURLToPath(new URL(name, import.meta.url));
}
