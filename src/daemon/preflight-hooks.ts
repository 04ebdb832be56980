import { stat } from 'node:fs/promises';
import path from 'node:path';
import { hookModuleFault } from '../adapters/hook/hook-command.ts';
import type { Settings } from '../core/config/schema.ts';
import { checkEnvironment } from '../core/env/allow-list.ts';
import { LoopwrightError } from '../core/error.ts';
import { neededPrograms } from '../core/preflight/needed-programs.ts';
import type { Parts } from './preflight.ts';
import { firstMissing, type Missing, type Places } from './preflight-places.ts';

/** Modules that were loaded, by their file and the time of its last change: a run asks for each of its tasks. */
const loadable = new Set<string>();

/** Refuses hooks whose program is not there, and modules that cannot be loaded. */
export async function requireHooks(
  parts: Parts,
  settings: Settings,
  places: Places,
): Promise<void> {
  const { project, supervisor } = parts;
  const { pass, set } = settings.env;
  const env = checkEnvironment(parts.env, { pass, set, reserved: {} });
  for (const [event, hooks] of Object.entries(settings.hooks)) {
    for (const hook of hooks) {
      if ('command' in hook) {
        const named = neededPrograms(hook.command);
        // What is in a folder may be in that of the loop or of the user.
        const certain = named.filter(({ name }) => !name.includes('/') || path.isAbsolute(name));
        const missing = await firstMissing(certain, env, places);
        if (missing !== null) throw hookNotFound(event, hook.command, missing);
        continue;
      }
      const file = path.resolve(project.root, hook.module);
      const mark = `${file} ${(await stat(file)).mtimeMs}`;
      if (loadable.has(mark)) continue;
      const fault = await hookModuleFault(hook.module, project.root, supervisor, env);
      if (fault !== null) throw hookNotLoadable(hook.module, fault);
      loadable.add(mark);
    }
  }
}

function hookNotFound(event: string, command: string, { name, where }: Missing): LoopwrightError {
  return new LoopwrightError(
    'config.hook_command',
    `the hook \`${command}\` (hooks.${event}) cannot run: there is no program ${name} ${where}`,
    { hint: `install ${name}, or correct the command under \`hooks.${event}\`` },
  );
}

function hookNotLoadable(module: string, fault: string): LoopwrightError {
  return new LoopwrightError(
    'config.hook_module',
    `the hook module ${module} cannot be loaded: ${fault}`,
    { hint: 'correct the module, or its path under `hooks`' },
  );
}
