import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { Duration, Name, Positive, Share, shorthand, Text } from '../value.ts';

const minute = 60_000;

/** Gates that need nothing but their name. */
const bareGates = ['verification', 'red-first', 'convergence', 'llm-judge', 'ci', 'approval'];

const outcome = lazy(() => ({
  name: Name().optional().describe('Name in reports; the type when left out.'),
  'on-failure': z
    .enum(['iterate', 'stop', 'escalate'])
    .default('iterate')
    .describe('What a failed gate does: feed back and go on, fail the loop, or ask a person.'),
  when: z
    .enum(['always', 'on-change', 'manual'])
    .default('always')
    .describe('When the gate is looked at.'),
}));

function type<T extends string>(name: T) {
  return z.literal(name).describe('Kind of gate.');
}

const GateObject = lazy(() =>
  z.discriminatedUnion('type', [
    z.strictObject({ type: type('verification'), ...outcome() }),
    z.strictObject({
      type: type('command'),
      command: Text().describe('Shell command in the worktree; exit code 0 passes.'),
      timeout: Duration()
        .default(5 * minute)
        .describe('Time for the command.'),
      ...outcome(),
    }),
    z.strictObject({ type: type('red-first'), ...outcome() }),
    z.strictObject({
      type: type('convergence'),
      window: z.number().int().min(2).default(3).describe('Successive iterations that must agree.'),
      threshold: Share().default(0.95).describe('Similarity that counts as converged.'),
      ...outcome(),
    }),
    z.strictObject({
      type: type('llm-judge'),
      agent: Text()
        .nullable()
        .default(null)
        .describe('Agent that judges; null = the agent of the loop.'),
      model: Text()
        .nullable()
        .default(null)
        .describe(
          'Model of the judge; null = the one that did the work, or what the agent chooses.',
        ),
      criteria: Text()
        .nullable()
        .default(null)
        .describe("What to judge by; null = the task's acceptance criteria."),
      timeout: Duration()
        .default(10 * minute)
        .describe('Time for the judge.'),
      ...outcome(),
    }),
    z.strictObject({
      type: type('ci'),
      'poll-interval': Duration().default(30_000).describe('Time between two looks at the CI.'),
      timeout: Duration()
        .default(30 * minute)
        .describe('Time until an unfinished CI run fails.'),
      ...outcome(),
    }),
    z.strictObject({
      type: type('approval'),
      'min-approvals': Positive().default(1).describe('Approvals needed.'),
      ...outcome(),
    }),
  ]),
);

/** A condition on top of verification. A bare name is a gate with its defaults. */
export const Gate = lazy(() =>
  shorthand(GateObject(), { type: 'string', enum: bareGates }, (value) =>
    typeof value === 'string' ? { type: value } : value,
  ),
);
export type Gate = z.output<ReturnType<typeof Gate>>;
