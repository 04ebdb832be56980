import { shellWord } from '../../core/text/shell-word.ts';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hook } from '../../core/config/section/hooks.ts';
import { LoopwrightError } from '../../core/error.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Supervisor } from '../../ports/process.ts';
import { nodeProgram } from '../process/own-process.ts';

/** The shell command that runs a hook; a module is one of the user's checkout at `root`. */
export function hookCommand(hook: Hook, root: string): string {
  if ('command' in hook) return hook.command;
  const words = [nodeProgram, runnerFile(), path.resolve(root, hook.module)];
  return `exec ${words.map(shellWord).join(' ')}`;
}

/** Throws `config.hook_module` for a module that is not there. */
export function requireHookModules(modules: readonly string[], root: string): void {
  const missing = modules.find((file) => !existsSync(path.resolve(root, file)));
  if (missing === undefined) return;
  throw new LoopwrightError('config.hook_module', `there is no hook module ${missing}`, {
    hint: 'correct its path under `hooks`; it is relative to the repository',
  });
}

const loadTimeoutMs = 10_000;

/** Why a hook module of the user's checkout cannot be loaded, in words; null when it can. Loads it in a process of its own. */
export async function hookModuleFault(
  module: string,
  root: string,
  supervisor: Supervisor,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const { end, stderrTail } = await supervisor.run(
    {
      argv: [nodeProgram, runnerFile(), path.resolve(root, module), '--load'],
      cwd: root,
      env,
      stdin: null,
      stdoutFile: null,
      stderrFile: null,
      tailBytes: 4096,
      timeoutMs: loadTimeoutMs,
      graceMs: 500,
    },
    {},
    new AbortController().signal,
  );
  if (end.kind === 'exited' && end.code === 0) return null;
  if (end.kind === 'timed-out') return `it takes more than ${loadTimeoutMs / 1000} s to load`;
  const said = plainText(stderrTail).trim().split('\n').at(-1) ?? '';
  return said === '' ? 'it ends while it is loaded' : said;
}

/** From sources the runner is the file beside this one; a build emits it as `hook-runner.js` beside the bundle. */
function runnerFile(): string {
  const name = import.meta.url.endsWith('.ts') ? './module-runner.ts' : './hook-runner.js';
  return fileURLToPath(new URL(name, import.meta.url));
}
