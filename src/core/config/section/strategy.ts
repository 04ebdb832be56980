import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { isTree } from '../tree.ts';
import { Count, Positive, Share, shorthand, Text } from '../value.ts';

export const strategyNames = [
  'until-pass',
  'fixed',
  'hybrid',
  'ralph',
  'manual',
  'custom',
] as const;

type StrategyName = (typeof strategyNames)[number];

/** The numbers each strategy takes, with their defaults. */
const parameters: Readonly<Record<StrategyName, Readonly<Record<string, number>>>> = {
  'until-pass': {},
  fixed: { iterations: 3 },
  hybrid: { base: 3, bonus: 2, threshold: 0.1 },
  ralph: { min: 2, max: 10, window: 3, threshold: 0.95 },
  manual: {},
  custom: {},
};

const StrategyObject = lazy(() =>
  z
    .strictObject({
      name: z
        .enum(strategyNames)
        .describe('Which strategy decides after each iteration whether to go on.'),
      iterations: Positive().optional().describe('fixed: how many iterations run (3).'),
      base: Positive().optional().describe('hybrid: iterations that always run (3).'),
      bonus: Count().optional().describe('hybrid: further iterations that progress can earn (2).'),
      threshold: Share()
        .optional()
        .describe(
          'hybrid: rise of the level that earns a bonus (0.1). ralph: similarity that counts as converged (0.95).',
        ),
      min: Positive().optional().describe('ralph: iterations before convergence is looked at (2).'),
      max: Positive().optional().describe('ralph: iterations at most (10).'),
      window: z
        .number()
        .int()
        .min(2)
        .optional()
        .describe('ralph: successive iterations that must be alike (3).'),
      module: Text().optional().describe('custom: path of the module, relative to the repository.'),
    })
    .superRefine((strategy, context) => {
      const taken =
        strategy.name === 'custom' ? ['module'] : Object.keys(parameters[strategy.name]);
      for (const key of Object.keys(strategy)) {
        if (key === 'name' || taken.includes(key)) continue;
        const takes = taken.length === 0 ? 'it takes none' : `it takes ${taken.join(', ')}`;
        context.addIssue({
          code: 'custom',
          path: [key],
          message: `does not belong to strategy \`${strategy.name}\`; ${takes}`,
        });
      }
      if (strategy.name === 'custom' && strategy.module === undefined) {
        context.addIssue({ code: 'custom', path: ['module'], message: 'is needed by `custom`' });
      }
      if ((strategy.min ?? 2) > (strategy.max ?? 10)) {
        context.addIssue({ code: 'custom', path: ['max'], message: 'must not be below `min`' });
      }
    }),
);

/** A name, or a name with its numbers. Numbers left out are filled in, so that what runs can be shown. */
export const Strategy = lazy(() =>
  shorthand(StrategyObject(), { type: 'string', enum: strategyNames }, (value) => {
    const strategy = typeof value === 'string' ? { name: value } : value;
    if (!isTree(strategy)) return strategy;
    const name = strategyNames.find((known) => known === strategy['name']);
    return name === undefined ? strategy : { ...parameters[name], ...strategy };
  }),
);
export type Strategy = z.output<ReturnType<typeof Strategy>>;
