import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { Duration, InnerPath, Pattern, Positive, Text } from '../value.ts';

export const stopKinds = ['success', 'failure', 'normal'] as const;
export type StopKind = (typeof stopKinds)[number];

const timeout = lazy(() =>
  Duration().default(5000).describe('Time for one look; a timeout means not met.'),
);

/** What a condition carries: how the loop ends when it is met, and how long the look may take. */
function ending(kind: StopKind) {
  return {
    kind: z
      .enum(stopKinds)
      .default(kind)
      .describe('How the loop ends. A success still needs the passing verification.'),
    timeout: timeout(),
  };
}

function on<T extends string>(name: T) {
  return z.literal(name).describe('The condition.');
}

const file = lazy(() =>
  InnerPath()
    .refine(
      (path) => !/[*?[\]]/.test(path),
      'must be one path, not a pattern; to look for a pattern use `on: script` with `ls PATTERN`',
    )
    .describe('File in the worktree.'),
);

/** Every test; `ends` gives what it carries beside its own keys. */
function tests<Shape extends z.ZodRawShape>(ends: (kind: StopKind) => Shape) {
  return z.discriminatedUnion('on', [
    z.strictObject({
      on: on('max-iterations'),
      value: Positive().describe('Counted iterations.'),
      ...ends('failure'),
    }),
    z.strictObject({
      on: on('max-duration'),
      value: Duration().describe('Time since the loop started.'),
      ...ends('failure'),
    }),
    z.strictObject({
      on: on('test-failure-streak'),
      value: Positive().default(3).describe('Successive iterations with failing tests.'),
      ...ends('failure'),
    }),
    z.strictObject({ on: on('all-tests-pass'), ...ends('success') }),
    z.strictObject({
      on: on('specific-tests-pass'),
      tests: z.array(Text()).min(1).describe('Full names of the tests.'),
      ...ends('success'),
    }),
    z.strictObject({
      on: on('no-progress'),
      value: Positive().default(5).describe('Successive iterations without progress.'),
      ...ends('failure'),
    }),
    z.strictObject({ on: on('file-created'), path: file(), ...ends('success') }),
    z.strictObject({
      on: on('file-contains'),
      path: file(),
      text: Text().describe('Text to look for, taken literally.'),
      ...ends('success'),
    }),
    z.strictObject({
      on: on('output-pattern'),
      pattern: Pattern().describe("Regular expression for the agent's final message."),
      ...ends('normal'),
    }),
    z.strictObject({
      on: on('on-error'),
      pattern: Pattern().optional().describe('Only errors whose text matches.'),
      ...ends('failure'),
    }),
    z.strictObject({
      on: on('script'),
      command: Text().describe('Shell command; exit code 0 means met.'),
      ...ends('normal'),
    }),
    z.strictObject({ on: on('user-signal'), ...ends('normal') }),
    z.strictObject({
      on: on('budget'),
      percent: z
        .number()
        .min(1)
        .max(100)
        .default(100)
        .describe('Share of any budget that is used.'),
      ...ends('failure'),
    }),
  ]);
}

/** Inside a combination a condition says nothing about the end of the loop: the whole does. */
const InnerTest = lazy(() => tests(() => ({ timeout: timeout() })));

/** A condition that looks at the world, rather than at other conditions. */
export type StopTest = z.output<ReturnType<typeof InnerTest>>;

/** A condition, or conditions combined by `all`, `any` and `not`. */
export type StopPart =
  | StopTest
  | { all: StopPart[]; timeout: number }
  | { any: StopPart[]; timeout: number }
  | { not: StopPart; timeout: number };

export type StopCondition = StopPart & { kind: StopKind };

const StopPart = lazy((): z.ZodType<StopPart> =>
  z.lazy(() => z.union([InnerTest(), ...combinations(() => ({ timeout: timeout() }))])),
);

export const StopCondition = lazy((): z.ZodType<StopCondition> =>
  z.union([tests(ending), ...combinations(ending)]),
);

function combinations<Shape extends z.ZodRawShape>(ends: (kind: StopKind) => Shape) {
  const parts = z.array(StopPart()).min(1);
  return [
    z.strictObject({ all: parts.describe('Met when each of these is met.'), ...ends('normal') }),
    z.strictObject({ any: parts.describe('Met when one of these is met.'), ...ends('normal') }),
    z.strictObject({ not: StopPart().describe('Met when this is not met.'), ...ends('normal') }),
  ] as const;
}
