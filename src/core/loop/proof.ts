import { lastIteration, type Loop } from './loop.ts';

/** Whether the log holds the passing verification that `complete` needs. */
export function hasProof(loop: Loop): boolean {
  if (loop.options.verifyOnly) return loop.baseline?.report?.overall.passed === true;
  return lastIteration(loop)?.report?.overall.passed === true;
}
