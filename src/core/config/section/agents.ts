import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { toolNames } from '../../agent/native/tool.ts';
import { isTree } from '../tree.ts';
import { Duration, Name, Positive, shorthand, Text, VariableName, Variables } from '../value.ts';

/** Names that need no entry under `agents`. */
export const builtInAgents = ['claude', 'codex', 'gemini', 'opencode', 'pi', 'native'] as const;

const Tiers = lazy(() =>
  z.strictObject({
    small: Text().optional().describe('Model of the small tier.'),
    medium: Text().optional().describe('Model of the medium tier.'),
    large: Text().optional().describe('Model of the large tier.'),
  }),
);

/** One configured agent. Its kind follows from `kind`, else from what it has: a command is `command`. */
export const Agent = lazy(() =>
  z
    .strictObject({
      kind: z
        .enum([...builtInAgents, 'acp', 'command', 'scripted'])
        .optional()
        .describe('Which adapter drives it; `command` when only a command is given.'),
      command: Text()
        .optional()
        .describe(
          'Shell command (`command`), server command (`acp`), or the program of a built-in agent.',
        ),
      args: z
        .array(z.string())
        .optional()
        .describe('Further arguments, before those of the adapter.'),
      format: Text()
        .optional()
        .describe(
          'How the output of a `command` is read: `text`, or a stream such as `claude-stream`.',
        ),
      script: Text().optional().describe('YAML script of a `scripted` agent.'),
      env: Variables().optional().describe('Variables set for this agent alone.'),
      model: Text().optional().describe('Model used whatever the model strategy says.'),
      session: z
        .enum(['fresh', 'reuse'])
        .optional()
        .describe(
          '`fresh` (default): each iteration starts from nothing. `reuse` keeps the session.',
        ),
      'iteration-timeout': Duration()
        .optional()
        .describe('Time for one iteration with this agent.'),
      provider: z
        .enum(['anthropic', 'openai'])
        .optional()
        .describe('native: Anthropic Messages, or any OpenAI-compatible endpoint.'),
      'base-url': z
        .url()
        .optional()
        .describe('native, claude, codex, gemini: address of the endpoint.'),
      'key-variable': VariableName()
        .optional()
        .describe('native, claude, codex, gemini: variable that holds the API key.'),
      'context-window': Positive().optional().describe('native: tokens the model can take.'),
      tools: z
        .array(z.enum(toolNames))
        .min(1)
        .optional()
        .describe('native: tools it has; all that are built when left out.'),
      'deny-commands': z
        .array(Text())
        .optional()
        .describe(
          'native: commands its shell refuses: the groups `destructive`, `privilege`, `pipe-to-shell` (all three when left out), and beginnings of commands such as `git push`; `[]` refuses none.',
        ),
      'max-output-tokens': Positive().optional().describe('native: tokens of one reply.'),
    })
    .superRefine((agent, context) => {
      const missing = neededKeys(agent.kind).find((key) => agent[key] === undefined);
      if (missing === undefined) return;
      const reason =
        agent.kind === undefined ? 'or a `kind` is needed' : `is needed by ${agent.kind}`;
      context.addIssue({ code: 'custom', path: [missing], message: reason });
    }),
);
export type Agent = z.output<ReturnType<typeof Agent>>;

function neededKeys(kind: string | undefined): readonly ('command' | 'script')[] {
  if (kind === 'scripted') return ['script'];
  return kind === undefined || kind === 'acp' || kind === 'command' ? ['command'] : [];
}

export const Agents = lazy(() => z.record(Name(), Agent()));

/** Models per agent and tier; what is left out is the adapter's own. */
export const Models = lazy(() => z.record(Name(), Tiers()));

const usd = lazy(() => z.number().min(0));

/** Prices per million tokens. A key left out is unknown, never free. */
export const Prices = lazy(() =>
  z.record(
    z.string().min(1).max(128),
    z.strictObject({
      input: usd().describe('USD per million input tokens.'),
      output: usd().describe('USD per million output tokens.'),
      'cache-read': usd().optional().describe('USD per million tokens read from the cache.'),
      'cache-write': usd().optional().describe('USD per million tokens written to the cache.'),
      'as-of': z
        .string()
        .regex(/^\d{4}-\d{2}-\d{2}$/, 'expected a date such as `2026-01-31`')
        .optional()
        .describe('Day the price was looked up.'),
    }),
  ),
);

export const modelStrategyNames = [
  'auto',
  'fixed',
  'cost-optimized',
  'escalate',
  'plan-then-execute',
] as const;

const ModelStrategyObject = lazy(() =>
  z.strictObject({
    name: z
      .enum(modelStrategyNames)
      .describe(
        "Which model the next iteration gets. `auto`: the agent's own; `cost-optimized` where `models` has tiers of the agent.",
      ),
    model: Text()
      .optional()
      .describe('fixed: the model, or a tier; the agent decides when left out.'),
    'allow-next-model': z
      .boolean()
      .default(true)
      .describe("Whether the agent's `<next-model>` counts for the next iteration."),
    allowed: z
      .array(Text())
      .default([])
      .describe('Models and tiers that `<next-model>` may name; empty = every configured one.'),
  }),
);

/** A name, or a map. A model without a name is a fixed model. */
export const ModelStrategy = lazy(() =>
  shorthand(ModelStrategyObject(), { type: 'string', enum: modelStrategyNames }, (value) => {
    if (typeof value === 'string') return { name: value };
    const fixed = isTree(value) && value['model'] !== undefined && value['name'] === undefined;
    return fixed ? { name: 'fixed', ...value } : value;
  }),
);
export type ModelStrategy = z.output<ReturnType<typeof ModelStrategy>>;
