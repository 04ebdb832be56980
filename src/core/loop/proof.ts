import { gatesOf } from './gating.ts';
import { lastIteration, type Loop } from './loop.ts';

/** Whether the log holds the passing verification that `complete` needs, and all of the loop's gates passed. */
export function hasProof(loop: Loop): boolean {
  if (loop.options.verifyOnly) return loop.baseline?.report?.overall.passed === true;
  if (lastIteration(loop)?.report?.overall.passed !== true) return false;
  return gatesOf(loop).kind === 'passed';
}
