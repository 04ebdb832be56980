import { z } from 'zod';
import { section } from '../section.ts';
import { progressStrategyNames } from '../../progress/strategy.ts';
import { ByteSize, Count, Duration, InnerPath, Positive, Share } from '../value.ts';

const day = 86_400_000;

export const Limits = section({
  'max-iterations': () =>
    Count().default(100).describe('Iterations of a loop at most; 0 = unlimited.'),
  'max-turns-per-iteration': () =>
    Positive().default(50).describe('Turns of the agent in one iteration.'),
  'iteration-timeout': () =>
    Duration()
      .nullable()
      .default(null)
      .describe('Time for one iteration; null = 5m for the native agent, 30m for the others.'),
  'idle-timeout': () =>
    Duration()
      .default(600_000)
      .describe(
        'Time without output, transcript growth or CPU after which an agent is hung; 0 = off.',
      ),
  'iteration-delay': () => Duration().default(0).describe('Pause between two iterations.'),
  'no-progress-notice': () =>
    Count()
      .default(3)
      .describe('Successive iterations without progress before the prompt says so; 0 = off.'),
  'no-progress-limit': () =>
    Count()
      .default(5)
      .describe('Successive iterations without progress that fail the loop; 0 = off.'),
  'max-consecutive-errors': () =>
    Positive().default(5).describe('Successive iterations ended by an error that fail the loop.'),
  'api-retries': () =>
    Count()
      .max(20)
      .default(3)
      .describe(
        'Retries of one model call, those of the native agent included; after them its provider is down.',
      ),
  'max-outage': () =>
    Duration()
      .default(43_200_000)
      .describe('How long loops wait for a provider that is down before they are paused.'),
  'probe-delay': () =>
    Duration()
      .default(30_000)
      .describe('Wait before a provider that is down is tried again; doubles each time.'),
  'max-probe-delay': () =>
    Duration().default(600_000).describe('Longest wait between two tries of such a provider.'),
  'error-backoff': () =>
    Duration()
      .default(5000)
      .describe('Wait after an iteration that ended in an error; doubles each time.'),
  'max-error-backoff': () => Duration().default(300_000).describe('Longest wait after an error.'),
});

export const Budget = section({
  'max-cost-usd': () =>
    z.number().min(0).nullable().default(null).describe('USD per loop; 0 or null = off.'),
  'max-tokens': () =>
    Count().nullable().default(null).describe('Tokens per loop; 0 or null = off.'),
  'max-duration': () =>
    Duration()
      .nullable()
      .default(null)
      .describe('Time per loop; 0 = off, null = 4h in unattended mode, else off.'),
  'max-disk': () => ByteSize().nullable().default(null).describe('Disk per loop; 0 or null = off.'),
  run: () =>
    z
      .strictObject({
        'max-cost-usd': z
          .number()
          .min(0)
          .nullable()
          .default(null)
          .describe('USD for everything that one run or daemon starts; 0 or null = off.'),
        'max-tokens': Count()
          .nullable()
          .default(null)
          .describe('Tokens for everything that one run or daemon starts; 0 or null = off.'),
        'max-duration': Duration()
          .nullable()
          .default(null)
          .describe('Wall time of a run or daemon after which nothing starts; 0 or null = off.'),
      })
      .prefault({})
      .describe('What one run, or one life of the daemon, may use up.'),
  day: () =>
    z
      .strictObject({
        'max-cost-usd': z
          .number()
          .min(0)
          .nullable()
          .default(null)
          .describe('USD within 24 hours over all runs; 0 or null = off.'),
      })
      .prefault({})
      .describe('What all runs together may use up within 24 hours.'),
});

export const Progress = section({
  strategy: () =>
    z
      .enum(progressStrategyNames)
      .default('system-captured')
      .describe('How earlier iterations of the loop are told to the next one.'),
  'max-entries': () => Count().default(5).describe('Iterations told.'),
  'max-chars': () => Count().default(500).describe('Characters of output told for each.'),
});

export const Memory = section({
  enabled: () =>
    z.boolean().default(true).describe('Inject what earlier loops and attempts learned.'),
  'budget-chars': () =>
    Count().default(5000).describe('Characters of the memory block, headings included.'),
  'attempts-chars': () =>
    Count().default(3000).describe('Characters for previous attempts at most.'),
  'learnings-chars': () => Count().default(1500).describe('Characters for learnings at most.'),
  'knowledge-chars': () =>
    Count().default(2000).describe('Characters for matching knowledge files at most.'),
  'status-chars': () => Count().default(500).describe('Characters for the loop status at most.'),
  'min-attempts-chars': () =>
    Count().default(500).describe('Characters reserved for previous attempts.'),
  'min-learnings-chars': () => Count().default(300).describe('Characters reserved for learnings.'),
  'min-knowledge-chars': () =>
    Count().default(500).describe('Characters reserved for matching knowledge files.'),
  'min-status-chars': () =>
    Count().default(200).describe('Characters reserved for the loop status.'),
  'injected-chars': () =>
    Count().default(12_000).describe('Characters of progress, memory and feedback together.'),
  'max-learnings': () => Count().default(5).describe('Learnings injected at most.'),
  knowledge: () =>
    z
      .array(InnerPath())
      .default([])
      .describe('Globs of Markdown files of the project; those that match a task are injected.'),
  'max-knowledge': () => Count().default(3).describe('Knowledge files injected at most.'),
  map: () =>
    InnerPath()
      .nullable()
      .default('docs/codebase-map.md')
      .describe(
        'Codebase map: a Markdown file that every prompt gets when it exists; null = none.',
      ),
  'map-chars': () => Count().default(8000).describe('Characters of the codebase map at most.'),
  'stuck-after': () =>
    Positive().default(3).describe('Consecutive failures that mark a task as stuck.'),
  holdout: () =>
    Share().default(0.1).describe('Share of eligible items withheld to measure their worth.'),
  'duplicate-overlap': () =>
    Share()
      .default(0.8)
      .describe('Word overlap above which two learnings of a category are the same.'),
  'half-life': () =>
    Duration()
      .default(90 * day)
      .describe('Age at which recency counts half.'),
  'demote-after': () => Positive().default(3).describe('Harmful marks that demote a learning.'),
  'summarise-above': () =>
    Count().default(200).describe('Active learnings above which they are summarised.'),
  'summarise-every': () =>
    Positive().default(10).describe('Iterations between two summaries at least.'),
  'keep-reports': () =>
    Duration()
      .default(7 * day)
      .describe('Age of reports of finished tasks.'),
  'keep-metrics': () =>
    Duration()
      .default(30 * day)
      .describe('Age of metrics.'),
  'keep-learnings': () =>
    Duration()
      .default(90 * day)
      .describe('Age of learnings that are not used.'),
  'keep-unused': () =>
    Duration()
      .default(30 * day)
      .describe('Time without use before a learning is old.'),
  'keep-artifacts': () =>
    Duration()
      .default(30 * day)
      .describe('Age of the files of iterations.'),
  'keep-loops': () => Count().default(100).describe('Loops whose files are kept.'),
});
