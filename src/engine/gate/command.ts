import { gateName } from '../../core/verdict/gate.ts';
import { endReason } from '../../core/verdict/check.ts';
import { lastIteration } from '../../core/loop/loop.ts';
import { runCommand } from '../run-command.ts';
import type { LookAt } from './look.ts';

/** A command of the user's in the worktree: exit code 0 passes. */
export const lookAtCommand: LookAt<'command'> = async (engine, owner, gate) => {
  const { loop, cut } = owner;
  const { command, timeout: timeoutMs } = gate;
  const dir = await engine.artifacts.iterationDir(loop.id, lastIteration(loop)?.number ?? 0);
  const name = `gate-${gateName(gate)}`;
  const result = await runCommand(
    engine,
    loop,
    { command, dir, name, timeoutMs, walled: true },
    cut,
  );
  if (result.end.kind === 'cancelled') return { kind: 'cut' };
  const problem = endReason({ end: result.end, successExitCode: 0, command });
  return {
    kind: 'judged',
    passed: problem === null,
    reason: problem ?? 'exit code 0',
    output: result.output,
    command,
    exitCode: result.end.kind === 'exited' ? result.end.code : null,
    evidence: `${name}.stdout.log`,
  };
};
