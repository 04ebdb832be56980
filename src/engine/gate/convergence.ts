import { summariseHistory } from '../../core/loop/iteration-summary.ts';
import { leastSimilarity } from '../../core/strategy/similarity.ts';
import { failed, passed, type LookAt } from './look.ts';

/** The last `window` iterations must be alike: whoever looks again finds nothing left to change. */
export const lookAtConvergence: LookAt<'convergence'> = async (_engine, { loop }, gate) => {
  const { window, threshold } = gate;
  const similarity = leastSimilarity(summariseHistory(loop), window);
  if (similarity === null) {
    return failed(`fewer than ${window} iterations to compare: go over the work once more`);
  }
  const shown = similarity.toFixed(2);
  return similarity >= threshold
    ? passed(`the last ${window} iterations are alike (${shown})`)
    : failed(`the last ${window} iterations are not alike yet (${shown} of ${threshold})`);
};
