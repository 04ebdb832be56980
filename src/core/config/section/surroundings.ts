/** What is around a loop: scheduler, git, workspace, sandbox, environment, notifications, mode. */
import { z } from 'zod';
import { lazy } from '../../lazy.ts';
import { section } from '../section.ts';
import {
  ByteSize,
  Count,
  Duration,
  InnerPath,
  Positive,
  shorthand,
  Text,
  Variables,
} from '../value.ts';

const Percent = lazy(() => z.number().int().min(1).max(100));

const time = '([01]\\d|2[0-3]):[0-5]\\d';
const Hours = lazy(() =>
  z.string().regex(new RegExp(`^${time}-${time}$`), 'expected hours such as `22:00-07:00`'),
);

export const Prompt = section({
  'spec-paths': () =>
    z
      .array(InnerPath())
      .default([])
      .describe('Files and globs listed in the prompt as reference specs.'),
  'input-chars': () =>
    Count()
      .default(8000)
      .describe('Characters of one input of a loop type; a longer one becomes a file.'),
  'guidance-chars': () =>
    Count().default(4000).describe('Characters of one guidance; a longer one becomes a file.'),
  'shared-chars': () =>
    Count()
      .default(2000)
      .describe('Characters of all that other loops shared; what is beyond becomes a file.'),
});

export const Scheduler = section({
  'max-loops': () => Positive().default(50).describe('Loops that run at once.'),
  'max-agents': () => Positive().default(4).describe('CLI agents that run at once.'),
  'max-api-calls': () =>
    Positive().default(10).describe('Model requests of native agents in flight at once.'),
  'max-requests': () =>
    Positive().default(50).describe('Requests per provider within `request-window`.'),
  'request-window': () => Duration().default(60_000).describe('Sliding window for `max-requests`.'),
  'tokens-per-minute': () =>
    Count().nullable().default(null).describe('Tokens per provider and minute; 0 or null = off.'),
  hours: () =>
    z
      .array(Hours())
      .default([])
      .describe('Local hours in which iterations may start; empty = always.'),
  'warn-disk': () =>
    ByteSize()
      .default(2 * 1024 ** 3)
      .describe('Free disk below which to warn.'),
  'min-disk': () =>
    ByteSize()
      .default(256 * 1024 ** 2)
      .describe('Free disk below which nothing starts.'),
  'min-memory': () =>
    ByteSize()
      .default(512 * 1024 ** 2)
      .describe('Available memory below which no further loop starts.'),
});

export const Git = section({
  base: () =>
    Text().nullable().default(null).describe('Branch loops start from; null = the current one.'),
  merge: () =>
    z
      .enum(['none', 'local', 'pr'])
      .default('none')
      .describe('What happens with the branch of a complete loop.'),
  'merge-unproven': () =>
    z
      .boolean()
      .default(false)
      .describe('Whether `merge: local` takes loops whose completion is unproven.'),
  'watch-interval': () =>
    Duration()
      .default(30_000)
      .describe(
        'Longest time between two looks at the base branch; where the disk tells of changes, a move is seen at once.',
      ),
  'keep-failed': () =>
    Duration()
      .default(7 * 86_400_000)
      .describe('How long branch and worktree of a failed loop stay.'),
});

export const Workspace = section({
  dir: () =>
    Text()
      .nullable()
      .default(null)
      .describe('Folder of the worktrees; null = `.loopwright/worktrees`.'),
  setup: () =>
    Text().nullable().default(null).describe('Shell command once after a worktree was made.'),
  copy: () =>
    z
      .array(InnerPath())
      .default([])
      .describe('Ignored files copied from your checkout into a new worktree.'),
  link: () =>
    z
      .array(InnerPath())
      .default([])
      .describe(
        'Ignored folders of your checkout that a new worktree gets a copy of; they are never part of its commits.',
      ),
  pool: () =>
    Count()
      .default(4)
      .describe('Worktrees of finished loops that are kept to be used again; 0 = none.'),
});

const sandboxLevels = ['off', 'worktree', 'bubblewrap', 'container'] as const;

/** A level, or a level with its options. Isolation that is asked for and missing is a refusal. */
const containments = ['auto', 'bubblewrap', 'unshare', 'cgroup', 'process-group'] as const;

export const Sandbox = lazy(() =>
  shorthand(
    z.strictObject({
      level: z
        .enum(sandboxLevels)
        .default('off')
        .describe('How far agents are kept apart from the rest of the machine.'),
      containment: z
        .enum(containments)
        .default('auto')
        .describe(
          'What keeps the processes of a run together: `auto` is the best that works here. `process-group` is weaker and starts faster.',
        ),
      network: z.boolean().default(true).describe('Whether agents reach the network.'),
      writable: z
        .array(Text())
        .default([])
        .describe('Absolute paths outside the worktree that agents may write.'),
      hidden: z.array(Text()).default([]).describe('Absolute paths that agents do not see.'),
      image: Text().nullable().default(null).describe('container: the image.'),
      cpus: z.number().min(0.1).default(2).describe('container: processors.'),
      memory: ByteSize()
        .default(4 * 1024 ** 3)
        .describe('container: memory.'),
    }),
    { type: 'string', enum: sandboxLevels },
    (value) => (typeof value === 'string' ? { level: value } : value),
  ),
);

export const Environment = section({
  pass: () =>
    z
      .array(Text())
      .default([])
      .describe('Variables, by name or glob, that agents and checks see in addition.'),
  set: () => Variables().default({}).describe('Variables set for agents and checks.'),
});

const Webhook = lazy(() =>
  z.strictObject({
    url: z.url({ protocol: /^https?$/ }).describe('Where to send.'),
    format: z.enum(['json', 'slack', 'discord']).default('json').describe('Shape of the message.'),
  }),
);

export const Notify = section({
  desktop: () => z.boolean().default(false).describe('Show desktop notifications.'),
  webhooks: () => z.array(Webhook()).default([]).describe('Webhooks, also of Slack and Discord.'),
  command: () =>
    Text().nullable().default(null).describe('Shell command that gets the message on stdin.'),
  'min-interval': () =>
    Duration().default(60_000).describe('Time between two notifications at least.'),
  'max-per-hour': () => Count().default(20).describe('Notifications per hour at most.'),
  'quiet-hours': () =>
    z
      .array(Hours())
      .default([])
      .describe('Local hours in which only critical notifications are sent.'),
});

export const modeNames = ['unattended', 'attended', 'hybrid'] as const;

const sessionNames = ['fresh', 'reuse'] as const;

export const AgentSessions = lazy(() =>
  shorthand(
    z
      .strictObject({
        name: z
          .enum(sessionNames)
          .default('fresh')
          .describe(
            '`fresh`: each iteration starts from nothing. `reuse`: the agent goes on with its own session.',
          ),
        'warn-percent': Percent()
          .default(70)
          .describe('reuse: share of the context in use from which it is said.'),
        'reboot-percent': Percent()
          .default(85)
          .describe('reuse: share from which a fresh session starts from a handoff document.'),
        'handoff-chars': Positive()
          .default(8000)
          .describe('reuse: characters of a handoff document at most.'),
        'max-reboots-per-hour': Count()
          .default(10)
          .describe('reuse: handoff documents asked for within an hour at most.'),
      })
      .superRefine(refuseLateWarning),
    { type: 'string', enum: sessionNames },
    (value) => (typeof value === 'string' ? { name: value } : value),
  ),
);

type Percents = { readonly 'warn-percent': number; readonly 'reboot-percent': number };

/** A warning that comes after the reboot never comes. It is said of both keys: either of them may be the one that was written. */
function refuseLateWarning(percents: Percents, context: z.core.$RefinementCtx): void {
  const { 'warn-percent': warn, 'reboot-percent': reboot } = percents;
  if (warn <= reboot) return;
  const issues = [
    ['warn-percent', `must not be above \`reboot-percent\` (${reboot}); lower it or raise that`],
    ['reboot-percent', `must not be below \`warn-percent\` (${warn}); raise it or lower that`],
  ] as const;
  for (const [key, message] of issues) context.addIssue({ code: 'custom', path: [key], message });
}

/** A name, or a name with the numbers of the modes. */
export const Mode = lazy(() =>
  shorthand(
    z.strictObject({
      name: z.enum(modeNames).default('unattended').describe('How much a person takes part.'),
      'ask-every': Positive().default(10).describe('hybrid: ask after this many iterations.'),
      'ask-files': Positive().default(5).describe('hybrid: ask when this many files changed.'),
      'auto-approve-after': Duration()
        .default(60_000)
        .describe('hybrid: time after which silence is approval; 0 = never.'),
      'max-changed-files': Count()
        .default(50)
        .describe('unattended: more files changed in one iteration need an approval; 0 = off.'),
      'max-changed-lines': Count()
        .default(5000)
        .describe('unattended: more lines changed in one iteration need an approval; 0 = off.'),
    }),
    { type: 'string', enum: modeNames },
    (value) => (typeof value === 'string' ? { name: value } : value),
  ),
);
