import { LoopwrightError } from '../core/error.ts';
import type { CliContext } from './context.ts';

/** A loop whose agent, check or hook calls. */
export type CallingLoop = {
  readonly id: string;
  /** The project its worktree belongs to; null when the place does not tell. */
  readonly root: string | null;
};

type Caller = Pick<CliContext, 'cwd' | 'env' | 'insideLoop'>;

/**
 * Who calls, by the environment a loop gives its programs and by the worktree they work in; null when a person does. Keeps
 * honest programs apart, not one that hides where it is: walls do that (`sandbox`).
 */
export function callingLoop({ cwd, env, insideLoop }: Caller): CallingLoop | null {
  const segments = cwd.split('/');
  const at = segments.findIndex((segment) => /^loop-[0-9a-f]{8}$/.test(segment));
  const named = insideLoop ?? (env['LOOPWRIGHT_LOOP'] || null);
  const id = named ?? segments[at];
  if (id === undefined) return null;
  const isOurs = segments[at - 1] === 'worktrees' && segments[at - 2] === '.loopwright';
  return { id, root: isOurs ? segments.slice(0, at - 2).join('/') || '/' : null };
}

/** Refuses a command that decides about what agents are told. */
export function refuseInside(command: string, caller: Caller): void {
  const loop = callingLoop(caller);
  if (loop === null) return;
  throw new LoopwrightError(
    'inside.refused',
    `\`loopwright ${command}\` is not for agents, and this is inside ${loop.id}`,
    { hint: 'run it in the project itself; an agent says in its final message what is needed' },
  );
}
