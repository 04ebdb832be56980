import type { Command } from './command.ts';
import type { HelpEntry } from './help.ts';

/** A command as a line in lists; its definition is loaded only when it is used, so that start-up stays fast. */
export type RegistryEntry = HelpEntry & {
  /** Not listed. */
  readonly hidden?: boolean;
  load(): Promise<Command>;
};

const start = 'Start';
const work = 'Work';
const tasks = 'Tasks';
const loops = 'Loops';
const memory = 'Memory';
const setup = 'Setup';
const more = 'More';

/** Every command, in the order of the help. */
export const registry: readonly RegistryEntry[] = [
  {
    path: ['demo'],
    summary: 'Watch one real loop in a sample repository; needs no key and no network.',
    group: start,
    load: async () => (await import('./command/demo.ts')).demo,
  },
  {
    path: ['init'],
    summary: 'Look at this repository and write a loopwright.yml for it.',
    group: start,
    load: async () => (await import('./command/init.ts')).init,
  },
  {
    path: ['run'],
    summary: 'Run a task, or everything that is ready, until it is verifiably done.',
    group: work,
    load: async () => (await import('./command/run.ts')).run,
  },
  {
    path: ['status'],
    summary: 'Show what runs, what waits, what needs you and what is next.',
    group: work,
    load: async () => (await import('./command/status.ts')).status,
  },
  {
    path: ['approve'],
    summary: 'Say yes to a loop that waits for an approval, or to what integrity found in it.',
    group: work,
    load: async () => (await import('./command/approve.ts')).approve,
  },
  {
    path: ['reject'],
    summary: 'Send the work of a loop that waits for an approval back.',
    group: work,
    load: async () => (await import('./command/reject.ts')).reject,
  },
  {
    path: ['merge'],
    summary: 'Bring the branch of a complete loop into its base.',
    group: work,
    load: async () => (await import('./command/merge.ts')).merge,
  },
  {
    path: ['task', 'add'],
    summary: 'Write down a task.',
    group: tasks,
    load: async () => (await import('./command/task-add.ts')).taskAdd,
  },
  {
    path: ['task', 'list'],
    summary: 'List tasks with status, priority and what they wait for.',
    group: tasks,
    load: async () => (await import('./command/task-list.ts')).taskList,
  },
  {
    path: ['task', 'show'],
    summary: 'Show everything about one task: text, dependencies, loops, log.',
    group: tasks,
    load: async () => (await import('./command/task-show.ts')).taskShow,
  },
  {
    path: ['task', 'tree'],
    summary: 'Show tasks as a tree with their status.',
    group: tasks,
    load: async () => (await import('./command/task-tree.ts')).taskTree,
  },
  {
    path: ['task', 'next'],
    summary: 'Show which task would be started next, and why others wait.',
    group: tasks,
    load: async () => (await import('./command/task-next.ts')).taskNext,
  },
  {
    path: ['task', 'edit'],
    summary: 'Change the fields of a task.',
    group: tasks,
    load: async () => (await import('./command/task-edit.ts')).taskEdit,
  },
  {
    path: ['task', 'deps'],
    summary: 'Show or change what a task comes after.',
    group: tasks,
    load: async () => (await import('./command/task-deps.ts')).taskDeps,
  },
  {
    path: ['task', 'done'],
    summary: 'Say that a task is done, without a loop.',
    group: tasks,
    load: async () => (await import('./command/task-done.ts')).taskDone,
  },
  {
    path: ['task', 'fail'],
    summary: 'Give up on a task that was begun.',
    group: tasks,
    load: async () => (await import('./command/task-fail.ts')).taskFail,
  },
  {
    path: ['task', 'reset'],
    summary: 'Open a task again, for another loop.',
    group: tasks,
    load: async () => (await import('./command/task-reset.ts')).taskReset,
  },
  {
    path: ['task', 'delete'],
    summary: 'Remove a task with its parts, its loops and their branches.',
    group: tasks,
    load: async () => (await import('./command/task-delete.ts')).taskDelete,
  },
  {
    path: ['task', 'decompose'],
    summary: 'Let an agent split a task into smaller ones.',
    group: tasks,
    load: async () => (await import('./command/task-decompose.ts')).taskDecompose,
  },
  {
    path: ['task', 'import'],
    summary: 'Read tasks from a Markdown checklist, JSON, YAML, prd.json or beads.',
    group: tasks,
    load: async () => (await import('./command/task-import.ts')).taskImport,
  },
  {
    path: ['task', 'export'],
    summary: 'Print every task as Markdown, JSON, YAML or beads.',
    group: tasks,
    load: async () => (await import('./command/task-export.ts')).taskExport,
  },
  {
    path: ['loop', 'list'],
    summary: 'List loops, newest first.',
    group: loops,
    load: async () => (await import('./command/loop-list.ts')).loopList,
  },
  {
    path: ['loop', 'show'],
    summary: 'Show one loop with its iterations.',
    group: loops,
    load: async () => (await import('./command/loop-show.ts')).loopShow,
  },
  {
    path: ['loop', 'explain'],
    summary: 'Explain why a loop went on or stopped after each iteration.',
    group: loops,
    load: async () => (await import('./command/loop-explain.ts')).loopExplain,
  },
  {
    path: ['loop', 'resume'],
    summary: 'Go on with a paused, blocked, failed or stopped loop.',
    group: loops,
    load: async () => (await import('./command/loop-resume.ts')).loopResume,
  },
  {
    path: ['loop', 'pause'],
    summary: 'Pause a loop after its iteration.',
    group: loops,
    load: async () => (await import('./command/loop-pause.ts')).loopPause,
  },
  {
    path: ['loop', 'stop'],
    summary: 'Stop a loop after its iteration, or now.',
    group: loops,
    load: async () => (await import('./command/loop-stop.ts')).loopStop,
  },
  {
    path: ['loop', 'cancel'],
    summary: 'Stop a loop and cancel its task.',
    group: loops,
    load: async () => (await import('./command/loop-cancel.ts')).loopCancel,
  },
  {
    path: ['loop', 'delete'],
    summary: 'Remove a loop with its worktree, branch and files.',
    group: loops,
    load: async () => (await import('./command/loop-delete.ts')).loopDelete,
  },
  {
    path: ['loop', 'diff'],
    summary: 'Print what a loop has changed, as a patch.',
    group: loops,
    load: async () => (await import('./command/loop-diff.ts')).loopDiff,
  },
  {
    path: ['loop', 'checkpoints'],
    summary: 'List the commits of a loop, one per iteration.',
    group: loops,
    load: async () => (await import('./command/loop-checkpoints.ts')).loopCheckpoints,
  },
  {
    path: ['loop', 'restore'],
    summary: 'Make a new branch from the state after an iteration.',
    group: loops,
    load: async () => (await import('./command/loop-restore.ts')).loopRestore,
  },
  {
    path: ['logs'],
    summary: 'Tell the story of a loop; -f follows it.',
    group: loops,
    load: async () => (await import('./command/logs.ts')).logs,
  },
  {
    path: ['events'],
    summary: 'Print the events of a loop as one JSON object per line.',
    group: loops,
    load: async () => (await import('./command/events.ts')).events,
  },
  {
    path: ['daemon', 'start'],
    summary: 'Work in the background: go on with interrupted loops, run what is ready.',
    group: work,
    load: async () => (await import('./command/daemon-start.ts')).daemonStart,
  },
  {
    path: ['daemon', 'stop'],
    summary: 'End the daemon when its iterations have ended, or now.',
    group: work,
    load: async () => (await import('./command/daemon-stop.ts')).daemonStop,
  },
  {
    path: ['daemon', 'status'],
    summary: 'Show what the daemon drives and where it answers.',
    group: work,
    load: async () => (await import('./command/daemon-status.ts')).daemonStatus,
  },
  {
    path: ['receipt', 'show'],
    summary: 'Show what was executed for a loop: commands, exit codes, hashes, commits.',
    group: loops,
    load: async () => (await import('./command/receipt-show.ts')).receiptShow,
  },
  {
    path: ['receipt', 'verify'],
    summary: 'Execute the checks of a loop again at their commit and say what still holds.',
    group: loops,
    load: async () => (await import('./command/receipt-verify.ts')).receiptVerify,
  },
  {
    path: ['guide'],
    summary: 'Add guidance to every later prompt of a loop’s task.',
    group: work,
    load: async () => (await import('./command/guide.ts')).guide,
  },
  {
    path: ['share'],
    summary: 'Give a text to other loops, for their next prompt.',
    group: loops,
    load: async () => (await import('./command/messages.ts')).share,
  },
  {
    path: ['query'],
    summary: 'Ask what is known about other loops.',
    group: loops,
    load: async () => (await import('./command/messages.ts')).query,
  },
  {
    path: ['alert'],
    summary: 'Tell other loops, and you, that something is up.',
    group: loops,
    load: async () => (await import('./command/messages.ts')).alert,
  },
  {
    path: ['pause'],
    summary: 'Short for `loop pause`.',
    group: loops,
    load: async () => (await import('./command/loop-pause.ts')).pause,
  },
  {
    path: ['resume'],
    summary: 'Short for `loop resume`.',
    group: loops,
    load: async () => (await import('./command/loop-resume.ts')).resume,
  },
  {
    path: ['stop'],
    summary: 'Short for `loop stop`.',
    group: loops,
    load: async () => (await import('./command/loop-stop.ts')).stop,
  },
  {
    path: ['memory', 'list'],
    summary: 'List what was learned, newest first.',
    group: memory,
    load: async () => (await import('./command/memory-list.ts')).memoryList,
  },
  {
    path: ['memory', 'show'],
    summary: 'Show one learning: where it comes from and how it did.',
    group: memory,
    load: async () => (await import('./command/memory-show.ts')).memoryShow,
  },
  {
    path: ['memory', 'add'],
    summary: 'Teach something yourself; it is active at once.',
    group: memory,
    load: async () => (await import('./command/memory-add.ts')).memoryAdd,
  },
  {
    path: ['memory', 'edit'],
    summary: 'Correct a learning, confirm it, or take it out of use.',
    group: memory,
    load: async () => (await import('./command/memory-edit.ts')).memoryEdit,
  },
  {
    path: ['memory', 'export'],
    summary: 'Print every learning as one JSON object per line.',
    group: memory,
    load: async () => (await import('./command/memory-export.ts')).memoryExport,
  },
  {
    path: ['memory', 'prune'],
    summary: 'Give up what is old: reports, metrics, unused learnings, files of old loops.',
    group: memory,
    load: async () => (await import('./command/memory-prune.ts')).memoryPrune,
  },
  {
    path: ['memory', 'forget'],
    summary: 'Take back everything one loop taught.',
    group: memory,
    load: async () => (await import('./command/memory-forget.ts')).memoryForget,
  },
  {
    path: ['memory', 'reset'],
    summary: 'Forget everything: learnings, attempts, reports, metrics.',
    group: memory,
    load: async () => (await import('./command/memory-reset.ts')).memoryReset,
  },
  {
    path: ['config', 'show'],
    summary: 'Show every setting with its value, and where it comes from.',
    group: setup,
    load: async () => (await import('./command/config-show.ts')).configShow,
  },
  {
    path: ['config', 'get'],
    summary: 'Print the value of one key.',
    group: setup,
    load: async () => (await import('./command/config-get.ts')).configGet,
  },
  {
    path: ['config', 'validate'],
    summary: 'Check the configuration and name every mistake with its place.',
    group: setup,
    load: async () => (await import('./command/config-validate.ts')).configValidate,
  },
  {
    path: ['config', 'schema'],
    summary: 'Print the JSON Schema of loopwright.yml, for editors.',
    group: setup,
    load: async () => (await import('./command/config-schema.ts')).configSchema,
  },
  {
    path: ['agents', 'check'],
    summary: 'Try an agent out: whether it starts, streams, edits, stops and leaves nothing.',
    group: setup,
    load: async () => (await import('./command/agents-check.ts')).agentsCheck,
  },
  {
    path: ['agents', 'list'],
    summary: 'Show which agents are installed and configured, and how to use them.',
    group: setup,
    load: async () => (await import('./command/agents-list.ts')).agentsList,
  },
  {
    path: ['doctor'],
    summary: 'Check machine, repository, configuration, store and leftovers.',
    group: setup,
    load: async () => (await import('./command/doctor.ts')).doctor,
  },
  {
    path: ['memory', 'import'],
    summary: 'Read learnings from a file of JSON lines.',
    group: more,
    load: async () => (await import('./command/memory-import.ts')).memoryImport,
  },
  {
    path: ['memory', 'stats'],
    summary: 'Show how much learnings help, measured against iterations they were withheld from.',
    group: more,
    load: async () => (await import('./command/memory-stats.ts')).memoryStats,
  },
  {
    path: ['memory', 'search'],
    summary: 'Find the learnings that are likely to help with a task.',
    group: more,
    load: async () => (await import('./command/memory-search.ts')).memorySearch,
  },
  {
    path: ['prompt', 'render'],
    summary: 'Print the prompt the next iteration of a task would get.',
    group: more,
    load: async () => (await import('./command/prompt-render.ts')).promptRender,
  },
  {
    path: ['parse', 'tests'],
    summary: 'Read the output of a test runner, or a report, and print what it says.',
    group: more,
    load: async () => (await import('./command/parse-tests.ts')).parseTestsCommand,
  },
  {
    path: ['parse', 'sigils'],
    summary: "Read the tags of an agent's final message and print what they say.",
    group: more,
    load: async () => (await import('./command/parse-sigils.ts')).parseSigilsCommand,
  },
  {
    path: ['completion'],
    summary: 'Print the completion script of a shell.',
    group: more,
    load: async () => (await import('./command/completion.ts')).completion,
  },
  {
    path: ['__complete'],
    summary: 'Answer the completion script of a shell.',
    group: more,
    hidden: true,
    load: async () => (await import('./command/complete-words.ts')).completeWords,
  },
];
