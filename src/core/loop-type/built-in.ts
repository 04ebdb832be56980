import type { LoopTypeDefinition } from './definition.ts';
import { planPasses } from './plan-passes.ts';
import { phaseTemplate, planTemplate, specTemplate } from './templates.ts';

/**
 * The types every project has. The project's command judges, and the review of a plan has a check for each of its passes: a check
 * that always succeeds would call anything done.
 */
export const builtInTypes: Readonly<Record<string, LoopTypeDefinition>> = {
  plan: {
    description:
      'Writes a plan for the task and reviews it in five passes, each with its own check.',
    'prompt-template': planTemplate,
    passes: [...planPasses],
    'max-iterations': 25,
    inputs: [
      { name: 'plan-file', description: 'Where the plan is written.', default: 'docs/plan.md' },
    ],
  },
  spec: {
    description: 'Turns one part of a plan into a specification that can be built and checked.',
    parent: 'plan',
    'prompt-template': specTemplate,
    'max-iterations': 50,
    inputs: [
      {
        name: 'spec-file',
        description: 'Where the specification is written.',
        default: 'docs/spec.md',
      },
    ],
  },
  phase: {
    description: 'Builds one phase of a specification.',
    parent: 'spec',
    'prompt-template': phaseTemplate,
    'max-iterations': 50,
    'progress-max-entries': 10,
    'progress-max-chars': 1000,
  },
  ralph: {
    description: 'Works on one task until its checks pass.',
    parent: 'phase',
    'prompt-template': null,
    'max-iterations': 100,
  },
};
