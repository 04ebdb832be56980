import type { PastAttempt } from '../../../src/core/memory/attempt.ts';
import type { InjectedLearning } from '../../../src/core/memory/learning.ts';
import { defaultMemoryBudget, type MemoryContext } from '../../../src/core/memory/render-memory.ts';
import type { LoopStatus } from '../../../src/core/memory/render-status.ts';
import type { PromptInput } from '../../../src/core/prompt/context.ts';

export type Example = {
  readonly name: string;
  readonly prompt: Pick<PromptInput, 'task' | 'parent' | 'prerequisites' | 'specPaths'>;
  readonly memory: MemoryContext;
};

export function attempt(number: number, change: Partial<PastAttempt['report']> = {}): PastAttempt {
  return {
    number,
    model: 'sonnet',
    outcome: 'failed',
    durationMs: 1200,
    report: {
      whatTried: 'Wrote the whole plan in one go',
      whyFailed: 'The answer was cut off after the second phase',
      errorCategory: 'timeout',
      relevantFiles: ['specs/memory.md'],
      stackTrace: null,
      retrySuggestion: null,
      signature: null,
      ...change,
    },
  };
}

export function learning(id: string, change: Partial<InjectedLearning> = {}): InjectedLearning {
  return {
    id,
    category: 'pitfall',
    content: 'Samples in the specification are compiled by its own test.',
    status: 'active',
    ...change,
  };
}

export const status: LoopStatus = {
  iteration: 1,
  maxIterations: 20,
  attempt: 1,
  consecutiveFailures: 0,
  runTotal: 0,
  runSuccesses: 0,
  model: 'sonnet',
  modelReason: 'default, cost-optimized strategy',
  stuckAfter: 3,
};

const specPaths = ['specs'];
const empty = { attempts: [], learnings: [], status, budget: defaultMemoryBudget };

/** First attempt, a retry, a stuck task with learnings, a first attempt with learnings. */
export const examples: readonly Example[] = [
  {
    name: 'first-attempt',
    prompt: {
      task: {
        id: 't-f13cf200',
        title: 'Write the section on injection',
        description: 'Fill in the section on injection. Read how the prompt is put together first.',
      },
      parent: { title: 'Outline of the memory document', description: 'The document on memory.' },
      prerequisites: [
        { id: 't-0eb60300', title: 'Write the data model', summary: 'All tables are defined' },
        { id: 't-0dfebf00', title: 'Write the section on sigils', summary: null },
      ],
      specPaths,
    },
    memory: empty,
  },
  {
    name: 'second-attempt',
    prompt: {
      task: {
        id: 't-76ba6900',
        title: 'Write the section on migration',
        description: 'Plan the migration in phases.',
      },
      specPaths,
    },
    memory: {
      ...empty,
      attempts: [
        attempt(1, {
          stackTrace: 'output cut off at 25000 tokens',
          retrySuggestion: 'Write the first two phases, then stop; the rest is a task of its own.',
        }),
      ],
      status: {
        ...status,
        iteration: 6,
        attempt: 2,
        consecutiveFailures: 1,
        runTotal: 5,
        runSuccesses: 4,
      },
    },
  },
  {
    name: 'stuck',
    prompt: {
      task: {
        id: 't-84be0100',
        title: 'Review the memory document',
        description: 'Read the whole document and close its gaps.',
      },
      specPaths,
    },
    memory: {
      ...empty,
      attempts: [
        attempt(1, {
          whatTried: 'Reviewed everything in one pass',
          whyFailed: 'The edits contradict the data model',
          errorCategory: 'logic_error',
        }),
        attempt(2, {
          whatTried: 'Read everything first, then made small corrections',
          whyFailed: 'References between two sections were overlooked',
          errorCategory: 'logic_error',
        }),
        {
          ...attempt(3, {
            whatTried: 'Went section by section and followed every reference',
            whyFailed: 'A code sample does not compile',
            errorCategory: 'test_failure',
            stackTrace: 'running spec_samples\nspec_samples::all_compile ... FAILED',
            retrySuggestion: 'Leave the prose alone; extract the samples and compile each of them.',
          }),
          model: 'opus',
        },
      ],
      learnings: [
        learning('l-000001', {
          category: 'success_pattern',
          content: 'Switch `PRAGMA foreign_keys` on for every connection before using cascades.',
        }),
        learning('l-000002'),
        learning('l-000003', {
          category: 'testing_strategy',
          content: 'Run the tests after each edit, not once at the end.',
          status: 'candidate',
        }),
      ],
      status: {
        ...status,
        iteration: 12,
        attempt: 4,
        consecutiveFailures: 3,
        runTotal: 11,
        runSuccesses: 6,
        model: 'opus',
        modelReason: 'escalated after 3 consecutive failures',
      },
    },
  },
  {
    name: 'learnings-only',
    prompt: {
      task: {
        id: 't-71b43300',
        title: 'Write the section on the life of a learning',
        description: 'Growth, summaries, pruning.',
      },
      specPaths,
    },
    memory: {
      ...empty,
      learnings: [
        learning('l-000004', {
          category: 'code_structure',
          content: 'Every section starts with its purpose, then hook points, then the data flow.',
        }),
        learning('l-000005', {
          category: 'tool_usage',
          content: 'Use `cargo test --test name` to run one file of integration tests.',
        }),
      ],
      status: { ...status, iteration: 8, runTotal: 7, runSuccesses: 6 },
    },
  },
];
