import type { Learning, LearningStatus } from './learning.ts';

type Voted = Pick<Learning, 'helpful' | 'harmful' | 'status' | 'byHand'>;

/**
 * The status that the votes lead to: one helpful vote makes a candidate active, so many harmful marks demote. What a
 * person decided, and what was pruned, stays.
 */
export function statusFromVotes(learning: Voted, demoteAfter: number): LearningStatus {
  const { helpful, harmful, status, byHand } = learning;
  if (byHand || status === 'pruned') return status;
  if (harmful >= demoteAfter) return 'demoted';
  return helpful > 0 ? 'active' : 'candidate';
}
