import { isConfirmed } from './confirming.ts';
import { gatesOf } from './gating.ts';
import { lastIteration, type Loop } from './loop.ts';

/**
 * Whether the log holds what `complete` needs: a passing verification, the run in a clean place that confirms it, and all of
 * the loop's gates passed.
 */
export function hasProof(loop: Loop): boolean {
  if (!hasPass(loop)) return false;
  if (loop.options.verifyOnly) return true;
  return isConfirmed(loop);
}

/** The same without the confirmation, which loops of older versions have not. */
export function hasPass(loop: Loop): boolean {
  if (loop.options.verifyOnly) return loop.baseline?.report?.overall.passed === true;
  if (lastIteration(loop)?.report?.overall.passed !== true) return false;
  return gatesOf(loop).kind === 'passed';
}
