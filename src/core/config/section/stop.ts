import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { Duration, InnerPath, Pattern, Positive, Text } from '../value.ts';

export const stopKinds = ['success', 'failure', 'normal'] as const;
export type StopKind = (typeof stopKinds)[number];

/** What every condition carries: how the loop ends when it is met, and how long the look may take. */
function ending(kind: StopKind) {
  return {
    kind: z
      .enum(stopKinds)
      .default(kind)
      .describe('How the loop ends. A success still needs the passing verification.'),
    timeout: Duration().default(5000).describe('Time for one look; a timeout means not met.'),
  };
}

function on<T extends string>(name: T) {
  return z.literal(name).describe('The condition.');
}

const file = lazy(() => InnerPath().describe('File in the worktree.'));

const StopTest = lazy(() =>
  z.discriminatedUnion('on', [
    z.strictObject({
      on: on('max-iterations'),
      value: Positive().describe('Counted iterations.'),
      ...ending('failure'),
    }),
    z.strictObject({
      on: on('max-duration'),
      value: Duration().describe('Time since the loop started.'),
      ...ending('failure'),
    }),
    z.strictObject({
      on: on('test-failure-streak'),
      value: Positive().default(3).describe('Successive iterations with failing tests.'),
      ...ending('failure'),
    }),
    z.strictObject({ on: on('all-tests-pass'), ...ending('success') }),
    z.strictObject({
      on: on('specific-tests-pass'),
      tests: z.array(Text()).min(1).describe('Full names of the tests.'),
      ...ending('success'),
    }),
    z.strictObject({
      on: on('no-progress'),
      value: Positive().default(5).describe('Successive iterations without progress.'),
      ...ending('failure'),
    }),
    z.strictObject({ on: on('file-created'), path: file(), ...ending('success') }),
    z.strictObject({
      on: on('file-contains'),
      path: file(),
      text: Text().describe('Text to look for, taken literally.'),
      ...ending('success'),
    }),
    z.strictObject({
      on: on('output-pattern'),
      pattern: Pattern().describe("Regular expression for the agent's final message."),
      ...ending('normal'),
    }),
    z.strictObject({
      on: on('on-error'),
      pattern: Pattern().optional().describe('Only errors whose text matches.'),
      ...ending('failure'),
    }),
    z.strictObject({
      on: on('script'),
      command: Text().describe('Shell command; exit code 0 means met.'),
      ...ending('normal'),
    }),
    z.strictObject({ on: on('user-signal'), ...ending('normal') }),
    z.strictObject({
      on: on('budget'),
      percent: z
        .number()
        .min(1)
        .max(100)
        .default(100)
        .describe('Share of any budget that is used.'),
      ...ending('failure'),
    }),
  ]),
);

/** A condition that looks at the world, rather than at other conditions. */
export type StopTest = z.output<ReturnType<typeof StopTest>>;

/** A condition, or conditions combined by `all`, `any` and `not`. */
export type StopCondition =
  | StopTest
  | { all: StopCondition[]; kind: StopKind; timeout: number }
  | { any: StopCondition[]; kind: StopKind; timeout: number }
  | { not: StopCondition; kind: StopKind; timeout: number };

export const StopCondition = lazy((): z.ZodType<StopCondition> =>
  z.lazy(() =>
    z.union([
      StopTest(),
      z.strictObject({
        all: z.array(StopCondition()).min(1).describe('Met when each of these is met.'),
        ...ending('normal'),
      }),
      z.strictObject({
        any: z.array(StopCondition()).min(1).describe('Met when one of these is met.'),
        ...ending('normal'),
      }),
      z.strictObject({
        not: StopCondition().describe('Met when this is not met.'),
        ...ending('normal'),
      }),
    ]),
  ),
);
