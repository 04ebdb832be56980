import type { HookResult } from '../../core/loop/event.ts';
import type { Engine } from '../engine.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { runCommand } from '../run-command.ts';

/** Runs the user's commands before or after an iteration. A failing hook warns; it never ends the loop. */
export async function runHooks(
  engine: Engine,
  owner: LoopOwner,
  when: 'pre' | 'post',
): Promise<void> {
  const hooks = owner.loop.settings.hooks[when === 'pre' ? 'pre-iteration' : 'post-iteration'];
  if (hooks.length > 0) await owner.flush();
  const results: HookResult[] = [];
  for (const [index, hook] of hooks.entries()) {
    if (!('command' in hook)) continue;
    const number = owner.loop.iterations.at(-1)?.number ?? 0;
    const dir = await engine.artifacts.iterationDir(owner.loop.id, number);
    const spec = {
      command: hook.command,
      dir,
      name: `${when}-hook-${index + 1}`,
      timeoutMs: hook.timeout,
    };
    await owner.before('run-hook');
    const result = await runCommand(engine, owner.loop, spec, owner.cut);
    await owner.after('run-hook');
    results.push({
      hook: hook.command,
      exitCode: result.end.kind === 'exited' ? result.end.code : null,
      durationMs: result.durationMs,
      output: result.output.slice(-1000),
    });
  }
  await owner.record({ type: 'hooks.ran', when, results });
}
