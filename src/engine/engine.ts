import type { Hook } from '../core/config/section/hooks.ts';
import type { Settings } from '../core/config/schema.ts';
import type { Flags } from '../core/loop/event.ts';
import type { Templates } from '../core/prompt/templates.ts';
import type { LoopStrategy } from '../core/strategy/strategy.ts';
import type { AgentRunner } from '../ports/agent.ts';
import type { Artifacts } from '../ports/artifacts.ts';
import type { Clock, Ids, Random } from '../ports/clock.ts';
import type { Disk } from '../ports/disk.ts';
import type { DoorAnswer, Doors } from '../ports/door.ts';
import type { Reach } from '../ports/failpoint.ts';
import type { InputFiles } from '../ports/input-files.ts';
import type { KnowledgeFiles } from '../ports/knowledge.ts';
import type { Locks } from '../ports/lock.ts';
import type { LiveListener } from '../ports/live.ts';
import type { ShippedPrices } from '../ports/prices.ts';
import type { Supervisor } from '../ports/process.ts';
import type { Store } from '../ports/store.ts';
import type { Wakeups } from '../ports/wakeup.ts';
import type { Project } from '../ports/workspace.ts';
import type { QueueBoard } from '../ports/queue-board.ts';
import type { RunBudget } from './run-budget.ts';
import type { Slots } from './slots.ts';

/** Everything the engine acts through. Built once, in the composition root, and passed in. */
export type Engine = {
  readonly project: Project;
  readonly store: Store;
  readonly supervisor: Supervisor;
  readonly artifacts: Artifacts;
  readonly wakeups: Wakeups;
  /** What renders this template. */
  readonly templatesFor: (template: string) => Promise<Templates>;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly disk: Disk;
  readonly locks: Locks;
  /** Texts that are too long for prompts. */
  readonly inputFiles: InputFiles;
  /** What the project's own files say to tasks. */
  readonly knowledge: KnowledgeFiles;
  readonly prices: ShippedPrices;
  /** What loops share: who may run now, and who waits. */
  readonly slots: Slots;
  /** Where sessions write who waits for their slots. */
  readonly queueBoard: QueueBoard;
  /** What this run, and all of the day, may still use. */
  readonly budget: RunBudget;
  /** How agents reach the engine while they work. */
  readonly doors: Doors;
  /** Runs a command line of an agent of this loop; null: agents have none. Never throws. */
  readonly inside:
    | ((loopId: string, argv: readonly string[], stdin: string | null) => Promise<DoorAnswer>)
    | null;
  readonly reach: Reach;
  /** How long a claim lasts without being renewed; the owner renews it several times in that span. */
  readonly leaseMs: number;
  /** `.loopwright` of the project. */
  readonly stateDir: string;
  /** Where clean checkouts are made, below the user's cache folder. */
  readonly roomsDir: string;
  /** The user's environment; agents and checks get an allow-listed part of it. */
  readonly env: Readonly<Record<string, string>>;
  readonly version: string;
  /** Takes the user's secrets, and what looks like a key, out of a text that is to be kept or shown. */
  readonly clean: (text: string) => string;
  readonly publish: LiveListener;
  /** The agent a loop's settings name. Throws when it is unknown or cannot be used. */
  resolveAgent(settings: Settings): Promise<AgentRunner>;
  /** The strategy a loop's settings name; custom modules come from the user's checkout. */
  resolveStrategy(settings: Settings): Promise<LoopStrategy>;
  /** The shell command that runs a hook; modules come from the user's checkout. */
  hookCommand(hook: Hook): string;
  /** Throws when a loop with these settings cannot work: a program is not there, a budget cannot hold. */
  preflight(
    settings: Settings,
    wish: { readonly verify: boolean; readonly inPlace: boolean; readonly isOwnCheck: boolean },
  ): Promise<void>;
  /** Throws `config.gone` when a configuration file that was read here is not there any more. */
  requireConfig(): void;
  /** Settings for a loop type under the flags it was started with, as the user's files say now. */
  reloadSettings(loopType: string, flags: Flags): Promise<Settings>;
};
