/**
 * Where a loop stands. A step names what happens next, so that a stored loop says by itself how to go on.
 *
 * `baseline` → `boundary` → one iteration → `boundary` → … → at rest.
 * Within an iteration, in this order: `choose-model`, `build-prompt`, `pre-hooks`, `run-agent`,
 * `restore-protected`, `snapshot`, `verify`, `conclude`, `post-hooks`, `judge`.
 */
export const steps = [
  'baseline',
  'boundary',
  'choose-model',
  'build-prompt',
  'pre-hooks',
  'run-agent',
  'restore-protected',
  'snapshot',
  'verify',
  'conclude',
  'post-hooks',
  'judge',
] as const;

export type Step = (typeof steps)[number];
