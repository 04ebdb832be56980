import { openIteration, type Iteration, type Loop } from './loop.ts';
import type { Step } from './step.ts';

/** Goes to a step; the iteration under way, if any, changes. */
export function atStep(loop: Loop, step: Step, change: Partial<Iteration>): Loop {
  return { ...(openIteration(loop) === null ? loop : updateLast(loop, change)), step };
}

/** Changes the newest iteration, also when it has ended. */
export function updateLast(loop: Loop, change: Partial<Iteration>): Loop {
  const last = loop.iterations.at(-1);
  if (last === undefined) return loop;
  return { ...loop, iterations: [...loop.iterations.slice(0, -1), { ...last, ...change }] };
}
