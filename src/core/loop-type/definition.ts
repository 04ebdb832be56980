import { z } from 'zod';
import { lazy } from '../lazy.ts';
import { toolNames } from '../agent/native/tool.ts';
import { ModelStrategy } from '../config/section/agents.ts';
import { Gate } from '../config/section/gates.ts';
import { SomeHooks } from '../config/section/hooks.ts';
import { Strategy } from '../config/section/strategy.ts';
import { Count, Duration, Name, Positive, shorthand, Text } from '../config/value.ts';

/** A template variable of the type. Without a default it must be given when a loop starts. */
export const LoopTypeInput = lazy(() =>
  shorthand(
    z.strictObject({
      name: z
        .string()
        .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'must be kebab-case')
        .describe('Name of the variable, in kebab-case.'),
      description: z.string().exactOptional().describe('What it is for.'),
      default: z.string().exactOptional().describe('Value when none is given.'),
    }),
    { type: 'string' },
    (value) => (typeof value === 'string' ? { name: value } : value),
  ),
);
export type LoopTypeInput = z.output<ReturnType<typeof LoopTypeInput>>;

/** A review pass: one iteration at least, with a focus and an executed check of its own. */
const ReviewPass = lazy(() =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/, 'must be kebab-case')
      .describe('Name of the pass, in kebab-case; its check is `pass-NAME`.'),
    focus: Text().describe('What the agent looks at in this pass: the variable `pass-focus`.'),
    check: Text().describe(
      'Shell command that judges the pass; `{{input}}` is the quoted value of an input.',
    ),
  }),
);

const lists = lazy(() => ({
  passes: z
    .array(ReviewPass())
    .max(20)
    .refine(
      (passes) => new Set(passes.map(({ name }) => name)).size === passes.length,
      'must not have two passes of one name',
    ),
  tools: z.array(z.enum(toolNames)),
  gates: z.array(Gate()),
  inputs: z.array(LoopTypeInput()),
  outputs: z.array(Text()),
}));

/**
 * A loop type as it is written. A key left out is inherited; a key written wins, also when its value is a
 * default or null. `+tools` and the like append to the list that is inherited.
 */
export const LoopTypeDefinition = lazy(() =>
  z.strictObject({
    description: z.string().exactOptional().describe('One sentence for lists of types.'),
    extends: Name().exactOptional().describe('Type whose values this one starts from.'),
    parent: Name()
      .nullable()
      .exactOptional()
      .describe('Type whose loops create loops of this one.'),
    'prompt-template': z
      .string()
      .min(1)
      .nullable()
      .exactOptional()
      .describe(
        'Handlebars text, or one line naming a `.md`, `.hbs` or `.txt` file; null = the default template.',
      ),
    'system-prompt': z
      .string()
      .min(1)
      .nullable()
      .exactOptional()
      .describe('Put before the sigil help.'),
    'validation-command': Text()
      .nullable()
      .exactOptional()
      .describe('Replaces `validation.command`; null = the one of the project.'),
    'success-exit-code': z
      .number()
      .int()
      .min(0)
      .max(255)
      .exactOptional()
      .describe('Exit code that passes.'),
    'max-iterations': Count().exactOptional().describe('Iterations at most; 0 = unlimited.'),
    'max-turns-per-iteration': Positive()
      .exactOptional()
      .describe('Turns of the agent in one iteration.'),
    'iteration-timeout': Duration()
      .nullable()
      .exactOptional()
      .describe('Time for one iteration; null = by kind of agent.'),
    tools: lists().tools.exactOptional().describe('Tools of the native agent.'),
    '+tools': lists().tools.exactOptional().describe('Further tools.'),
    agent: Text().exactOptional().describe('Agent of this type.'),
    session: z
      .enum(['fresh', 'reuse'])
      .exactOptional()
      .describe('Whether the agent goes on with its own session.'),
    model: Text().exactOptional().describe('Model of every iteration.'),
    'model-strategy': ModelStrategy()
      .exactOptional()
      .describe('Which model the next iteration gets.'),
    strategy: Strategy().exactOptional().describe('Decides whether to go on.'),
    'progress-max-entries': Count().exactOptional().describe('Iterations told to the next one.'),
    'progress-max-chars': Count().exactOptional().describe('Characters of output told for each.'),
    hooks: SomeHooks().exactOptional().describe('Hooks of this type, by event.'),
    gates: lists().gates.exactOptional().describe('Conditions on top of verification, in order.'),
    '+gates': lists().gates.exactOptional().describe('Further gates.'),
    inputs: lists().inputs.exactOptional().describe('Variables of the template.'),
    '+inputs': lists().inputs.exactOptional().describe('Further variables.'),
    passes: lists()
      .passes.exactOptional()
      .describe(
        'Review passes, one after the other; two in a row that change nothing end them early.',
      ),
    outputs: lists().outputs.exactOptional().describe('Files a loop of this type writes.'),
    '+outputs': lists().outputs.exactOptional().describe('Further files.'),
  }),
);
export type LoopTypeDefinition = z.output<ReturnType<typeof LoopTypeDefinition>>;
