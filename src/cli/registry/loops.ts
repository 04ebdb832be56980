import type { RegistryEntry } from './entry.ts';

const group = 'Loops';

/** Looking at loops, changing them, talking to them. */
export const loopsCommands: readonly RegistryEntry[] = [
  {
    path: ['loop', 'list'],
    summary: 'List loops, newest first.',
    group,
    load: async () => (await import('../command/loop-list.ts')).loopList,
  },
  {
    path: ['loop', 'show'],
    summary: 'Show one loop with its iterations.',
    group,
    load: async () => (await import('../command/loop-show.ts')).loopShow,
  },
  {
    path: ['loop', 'explain'],
    summary: 'Explain why a loop went on or stopped after each iteration.',
    group,
    load: async () => (await import('../command/loop-explain.ts')).loopExplain,
  },
  {
    path: ['loop', 'resume'],
    summary: 'Go on with a paused, blocked, failed or stopped loop.',
    group,
    load: async () => (await import('../command/loop-resume.ts')).loopResume,
  },
  {
    path: ['loop', 'pause'],
    summary: 'Pause a loop after its iteration.',
    group,
    load: async () => (await import('../command/loop-pause.ts')).loopPause,
  },
  {
    path: ['loop', 'stop'],
    summary: 'Stop a loop after its iteration, or now.',
    group,
    load: async () => (await import('../command/loop-stop.ts')).loopStop,
  },
  {
    path: ['loop', 'cancel'],
    summary: 'Stop a loop and cancel its task.',
    group,
    load: async () => (await import('../command/loop-cancel.ts')).loopCancel,
  },
  {
    path: ['loop', 'rebase'],
    summary: 'Put the commits of a loop on the base as it is now.',
    group,
    load: async () => (await import('../command/loop-rebase.ts')).loopRebase,
  },
  {
    path: ['loop', 'clear-progress'],
    summary: 'Forget what earlier iterations of a loop did, for its next prompt.',
    group,
    load: async () => (await import('../command/loop-clear-progress.ts')).loopClearProgress,
  },
  {
    path: ['loop', 'delete'],
    summary: 'Remove a loop with its worktree, branch and files.',
    group,
    load: async () => (await import('../command/loop-delete.ts')).loopDelete,
  },
  {
    path: ['loop', 'diff'],
    summary: 'Print what a loop has changed, as a patch.',
    group,
    load: async () => (await import('../command/loop-diff.ts')).loopDiff,
  },
  {
    path: ['loop', 'checkpoints'],
    summary: 'List the commits of a loop, one per iteration.',
    group,
    load: async () => (await import('../command/loop-checkpoints.ts')).loopCheckpoints,
  },
  {
    path: ['loop', 'restore'],
    summary: 'Make a new branch from the state after an iteration.',
    group,
    load: async () => (await import('../command/loop-restore.ts')).loopRestore,
  },
  {
    path: ['logs'],
    summary: 'Tell the story of a loop; -f follows it.',
    group,
    load: async () => (await import('../command/logs.ts')).logs,
  },
  {
    path: ['events'],
    summary: 'Print the events of a loop as one JSON object per line.',
    group,
    load: async () => (await import('../command/events.ts')).events,
  },
  {
    path: ['receipt', 'show'],
    summary: 'Show what was executed for a loop: commands, exit codes, hashes, commits.',
    group,
    load: async () => (await import('../command/receipt-show.ts')).receiptShow,
  },
  {
    path: ['receipt', 'verify'],
    summary: 'Execute the checks of a loop again at their commit and say what still holds.',
    group,
    load: async () => (await import('../command/receipt-verify.ts')).receiptVerify,
  },
  {
    path: ['share'],
    summary: 'Give a text to other loops, for their next prompt.',
    group,
    load: async () => (await import('../command/messages.ts')).share,
  },
  {
    path: ['query'],
    summary: 'Ask what is known about other loops.',
    group,
    load: async () => (await import('../command/messages.ts')).query,
  },
  {
    path: ['alert'],
    summary: 'Tell other loops, and you, that something is up.',
    group,
    load: async () => (await import('../command/messages.ts')).alert,
  },
  {
    path: ['pause'],
    summary: 'Short for `loop pause`.',
    group,
    load: async () => (await import('../command/loop-pause.ts')).pause,
  },
  {
    path: ['resume'],
    summary: 'Short for `loop resume`.',
    group,
    load: async () => (await import('../command/loop-resume.ts')).resume,
  },
  {
    path: ['stop'],
    summary: 'Short for `loop stop`.',
    group,
    load: async () => (await import('../command/loop-stop.ts')).stop,
  },
];
