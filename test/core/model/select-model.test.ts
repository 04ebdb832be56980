import { describe, expect, it, test } from 'vitest';
import type { ModelStrategy } from '../../../src/core/config/section/agents.ts';
import { selectModel, type ModelRequest } from '../../../src/core/model/select-model.ts';
import { similarTasks } from '../../../src/core/model/similar-tasks.ts';
import { agentTiers } from '../../../src/core/model/tier.ts';

const tiers = { small: 'haiku', medium: 'sonnet', large: 'opus' };

function strategy(name: ModelStrategy['name'], change: Partial<ModelStrategy> = {}): ModelStrategy {
  return { name, 'allow-next-model': true, allowed: [], ...change };
}

function request(name: ModelStrategy['name'], change: Partial<ModelRequest> = {}): ModelRequest {
  return {
    strategy: strategy(name),
    tiers,
    iteration: 1,
    consecutiveFailures: 0,
    run: { total: 0, successes: 0 },
    ...change,
  };
}

const done = { id: 't-1', isDone: true, difficulty: null, model: null };

type Row = readonly [what: string, request: ModelRequest, model: string | null, reason: string];

const rows: readonly Row[] = [
  [
    'auto without tiers of its own, whatever failed or was hinted',
    request('auto', { consecutiveFailures: 3, hint: 'large' }),
    null,
    "the agent's own choice",
  ],
  [
    'auto with tiers of its own',
    request('auto', { hasOwnTiers: true }),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    'auto with a model',
    request('auto', { strategy: strategy('auto', { model: 'large' }) }),
    'opus',
    'configured',
  ],
  ['fixed without a model', request('fixed'), null, "the agent's own choice"],
  [
    'fixed with a model',
    request('fixed', { strategy: strategy('fixed', { model: 'my-model' }) }),
    'my-model',
    'configured',
  ],
  [
    'fixed with a tier',
    request('fixed', { strategy: strategy('fixed', { model: 'large' }) }),
    'opus',
    'configured',
  ],
  [
    'fixed, whatever failed',
    request('fixed', { strategy: strategy('fixed', { model: 'small' }), consecutiveFailures: 5 }),
    'haiku',
    'configured',
  ],
  [
    'cost-optimized at first',
    request('cost-optimized'),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    'cost-optimized after one failure',
    request('cost-optimized', { consecutiveFailures: 1, run: { total: 10, successes: 10 } }),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    'cost-optimized after two failures',
    request('cost-optimized', { consecutiveFailures: 2 }),
    'opus',
    'escalated after 2 consecutive failures',
  ],
  [
    'cost-optimized in a good run',
    request('cost-optimized', { run: { total: 10, successes: 9 } }),
    'haiku',
    'cost-optimized strategy: 9 of 10 iterations succeeded',
  ],
  [
    'cost-optimized in a run that is just not good enough',
    request('cost-optimized', { run: { total: 10, successes: 8 } }),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    'cost-optimized, like a task that was done by a small model',
    request('cost-optimized', { similar: [{ ...done, difficulty: 'hard', model: 'haiku' }] }),
    'haiku',
    'like t-1: hard, done by haiku',
  ],
  [
    'cost-optimized, like a hard one by nobody knows whom',
    request('cost-optimized', { similar: [{ ...done, difficulty: 'hard' }] }),
    'opus',
    'like t-1: hard',
  ],
  [
    'cost-optimized, like an easy one that failed',
    request('cost-optimized', { similar: [{ ...done, isDone: false, difficulty: 'easy' }] }),
    'sonnet',
    'like t-1: easy, and it failed',
  ],
  [
    'cost-optimized, like one that says nothing',
    request('cost-optimized', { similar: [{ ...done, difficulty: 'blocked' }] }),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    'cost-optimized, two failures against an easy one',
    request('cost-optimized', {
      consecutiveFailures: 2,
      similar: [{ ...done, difficulty: 'trivial' }],
    }),
    'opus',
    'escalated after 2 consecutive failures',
  ],
  ['escalate at first', request('escalate'), 'haiku', 'default, escalate strategy'],
  [
    'escalate after one failure',
    request('escalate', { consecutiveFailures: 1 }),
    'sonnet',
    'escalated after 1 consecutive failure',
  ],
  [
    'escalate after two failures',
    request('escalate', { consecutiveFailures: 2 }),
    'opus',
    'escalated after 2 consecutive failures',
  ],
  [
    'escalate after seven failures',
    request('escalate', { consecutiveFailures: 7 }),
    'opus',
    'escalated after 7 consecutive failures',
  ],
  [
    'escalate never goes down',
    request('escalate', { consecutiveFailures: 1, lastModel: 'opus' }),
    'opus',
    'escalated after 1 consecutive failure',
  ],
  [
    'plan-then-execute at first',
    request('plan-then-execute'),
    'opus',
    'plan-then-execute: planning phase',
  ],
  [
    'plan-then-execute after that',
    request('plan-then-execute', { iteration: 2, consecutiveFailures: 4 }),
    'sonnet',
    'plan-then-execute: execution phase',
  ],
  [
    'a hinted tier',
    request('cost-optimized', { hint: 'large' }),
    'opus',
    'hinted by previous iteration',
  ],
  [
    'a hinted model that is configured',
    request('escalate', { hint: 'sonnet', consecutiveFailures: 3 }),
    'sonnet',
    'hinted by previous iteration',
  ],
  [
    'a hinted model that nobody configured',
    request('cost-optimized', { hint: 'the-dearest-of-all' }),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    'a hinted model that is allowed by name',
    request('cost-optimized', {
      hint: 'special',
      strategy: strategy('cost-optimized', { allowed: ['special'] }),
    }),
    'special',
    'hinted by previous iteration',
  ],
  [
    'a hinted tier that is not among the allowed',
    request('cost-optimized', {
      hint: 'large',
      strategy: strategy('cost-optimized', { allowed: ['small'] }),
    }),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    'a hint where none is allowed',
    request('cost-optimized', {
      hint: 'large',
      strategy: strategy('cost-optimized', { 'allow-next-model': false }),
    }),
    'sonnet',
    'default, cost-optimized strategy',
  ],
  [
    "the agent's configured model against everything",
    request('escalate', { pinned: 'pinned', hint: 'large', consecutiveFailures: 9 }),
    'pinned',
    'configured',
  ],
  [
    'a missing tier gives way to a larger one',
    request('escalate', { tiers: { medium: 'm', large: 'l' } }),
    'm',
    'default, escalate strategy',
  ],
  [
    'a missing largest tier gives way to a smaller one',
    request('cost-optimized', { tiers: { small: 's' }, consecutiveFailures: 2 }),
    's',
    'escalated after 2 consecutive failures',
  ],
  ['an agent without tiers', request('escalate', { tiers: {} }), null, "the agent's own choice"],
  [
    'a hinted tier of an agent without tiers',
    request('escalate', { tiers: {}, hint: 'large' }),
    null,
    "the agent's own choice",
  ],
];

test.each(rows)('%s', (_, given, model, reason) => {
  expect(selectModel(given)).toMatchObject({ model, reason });
});

describe('the tiers of an agent', () => {
  it('are its own unless configured', () => {
    expect(agentTiers('claude', {}, {})).toEqual(tiers);
    expect(agentTiers('claude', { claude: { large: 'x' } }, {})).toEqual({ ...tiers, large: 'x' });
    expect(agentTiers('mine', {}, { mine: { kind: 'claude' } })).toEqual(tiers);
    expect(agentTiers('codex', {}, {})).toEqual({});
  });
});

const other = (id: string, title: string) => ({ ...done, id, title, parentId: null });

describe('similar tasks', () => {
  const task = { id: 't-0', title: 'Add a retry to the upload client', parentId: null };

  it('share enough words of their titles, the most alike first', () => {
    const finished = [
      other('t-1', 'Document the release'),
      other('t-2', 'Add a timeout to the upload client'),
      other('t-3', 'Add retry to upload client'),
      other('t-0', 'Add a retry to the upload client'),
    ];
    expect(similarTasks(task, finished).map(({ id }) => id)).toEqual(['t-3', 't-2']);
  });

  it('are none for a title of fillers', () => {
    expect(similarTasks({ ...task, title: 'the' }, [other('t-1', 'a')])).toEqual([]);
  });
});
