import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { Duration, shorthand, Text } from '../value.ts';

const timeout = lazy(() => Duration().default(30_000).describe('Time for one run of the hook.'));

const HookObject = lazy(() =>
  z.union([
    z.strictObject({ command: Text().describe('Shell command.'), timeout: timeout() }),
    z.strictObject({
      module: Text().describe('Path of a module, relative to the repository.'),
      timeout: timeout(),
    }),
  ]),
);

/** A shell command, or a command or module with its own time limit. */
export const Hook = lazy(() =>
  shorthand(HookObject(), { type: 'string' }, (value) =>
    typeof value === 'string' ? { command: value } : value,
  ),
);
export type Hook = z.output<ReturnType<typeof Hook>>;

function perEvent<S extends z.ZodType>(list: S) {
  return {
    'loop-start': list.describe('When a loop starts.'),
    'loop-end': list.describe('When a loop ended.'),
    'pre-iteration': list.describe(
      'Before the agent; may skip the iteration, stop the loop or change the prompt.',
    ),
    'post-iteration': list.describe('After verification and record of an iteration.'),
    'test-failure': list.describe('When tests failed.'),
    'test-success': list.describe('When all tests passed.'),
    progress: list.describe('When an iteration made progress.'),
    'no-progress': list.describe('When an iteration made none.'),
    error: list.describe('When an iteration ended in an error.'),
    'file-change': list.describe('When an iteration changed files.'),
    'mode-switch': list.describe('When the mode changed.'),
    rebase: list.describe('After the branch was rebased.'),
    merge: list.describe('After the branch was merged.'),
  };
}

/** Hooks of every event, in the order they run. */
export const Hooks = lazy(() => z.strictObject(perEvent(z.array(Hook()).default([]))));
export type Hooks = z.output<ReturnType<typeof Hooks>>;

/** Hooks of some events; an event left out is inherited. */
export const SomeHooks = lazy(() => z.strictObject(perEvent(z.array(Hook()).exactOptional())));
