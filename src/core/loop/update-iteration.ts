import { openIteration, type Iteration, type Loop } from './loop.ts';
import type { Step } from './step.ts';

/** The newest iteration with a change; a loop without any stays as it is. */
export function updateLast(loop: Loop, change: Partial<Iteration>): Loop {
  const last = loop.iterations.at(-1);
  if (last === undefined) return loop;
  return { ...loop, iterations: [...loop.iterations.slice(0, -1), { ...last, ...change }] };
}

/** The next step is due; the open iteration, if there is one, has changed. */
export function atStep(loop: Loop, step: Step, change: Partial<Iteration>): Loop {
  return { ...(openIteration(loop) === null ? loop : updateLast(loop, change)), step };
}
