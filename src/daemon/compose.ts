import path from 'node:path';
import { knownAgents } from '../adapters/agents/installed-agents.ts';
import { KnownModels } from '../adapters/agents/known-models.ts';
import { resolveAgent } from '../adapters/agents/registry.ts';
import { minuteOfDay } from '../adapters/clock/local-time.ts';
import { hookCommand } from '../adapters/hook/hook-command.ts';
import { createRandom } from '../adapters/clock/seeded-random.ts';
import { createRandomIds } from '../adapters/clock/random-ids.ts';
import { createSystemClock } from '../adapters/clock/system-clock.ts';
import { createDoors } from '../adapters/door/door-sockets.ts';
import { createFailpoints, failAtVariable } from '../adapters/failpoint/failpoint.ts';
import { createArtifacts } from '../adapters/files/artifact-files.ts';
import { configFingerprint } from '../adapters/files/config-fingerprint.ts';
import { loadConfig, loadConfigAnyway, type LoadedConfig } from '../adapters/files/config-files.ts';
import { stateFolderName } from '../adapters/files/folder-state.ts';
import { createDisk } from '../adapters/files/disk-reserve.ts';
import { createInputFiles } from '../adapters/files/input-files.ts';
import { createKnowledgeFiles } from '../adapters/files/knowledge-files.ts';
import { createAllowanceFile } from '../adapters/notify/allowance-file.ts';
import { createLocks } from '../adapters/files/lock-files.ts';
import { loadLoopTypes } from '../adapters/files/loop-type-files.ts';
import { createQueueBoard } from '../adapters/files/queue-files.ts';
import { createWakeups } from '../adapters/files/wake-files.ts';
import { createMachine } from '../adapters/machine/machine-room.ts';
import { createChannels } from '../adapters/notify/channels.ts';
import { openProject } from '../adapters/git/open-project.ts';
import { createShippedPrices } from '../adapters/prices/shipped-prices.ts';
import { createSupervisor } from '../adapters/process/supervisor.ts';
import { createTemplatesOnDemand } from '../adapters/template/templates-on-demand.ts';
import type { FlagValues } from '../core/config/flags.ts';
import type { PromptRecord } from '../core/loop/event.ts';
import type { Settings } from '../core/config/schema.ts';
import { createStrategyLoader } from './strategy-loader.ts';
import { refuseLostStore } from './lost-store.ts';
import { loopPrompt } from './loop-prompt.ts';
import { preflight, unmeasuredText } from './preflight.ts';
import { openProjectStore, openStateFolder, type StateUse } from './open-state.ts';
import { settlePlace } from './settle-place.ts';
import { createSettingsReader, settingsOf } from './settings-reader.ts';
import { SteadyConfig } from './steady-config.ts';
import { LoopwrightError } from '../core/error.ts';
import { resolveLoopType, type LoopType, type LoopTypes } from '../core/loop-type/resolve.ts';
import type { Task } from '../core/task/task.ts';
import { createRedaction } from '../core/redact/redactor.ts';
import { secretsOfEngine } from '../core/redact/secret-values.ts';
import type { Engine } from '../engine/engine.ts';
import { FactHooks } from '../engine/fact-hooks.ts';
import { platform } from '../adapters/process/own-process.ts';
import { redactWith } from '../protocol/redact-text.ts';
import { Notifier } from '../engine/notifier.ts';
import { checkRunnable, defaultLoopType, settingsForTask } from '../engine/plan-loop.ts';
import { budgetLimitsOf, RunBudget } from '../engine/run-budget.ts';
import type { LoopPlan } from '../engine/run-loops.ts';
import { limitsOf, Slots } from '../engine/slots.ts';
import type { AgentRunner } from '../ports/agent.ts';
import type { DoorAnswer } from '../ports/door.ts';
import type { LiveListener } from '../ports/live.ts';
import type { Supervisor } from '../ports/process.ts';
import type { Project } from '../ports/workspace.ts';

export type ComposeInput = StateUse & {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  readonly version: string;
  readonly flags?: FlagValues;
  readonly publish?: LiveListener;
  /** What a person is told of the project itself; by default a notice among the live events. */
  readonly tell?: (text: string) => void;
  /** Runs the command line of an agent inside a loop; absent: agents have no `loopwright`. */
  readonly inside?: (call: {
    readonly opened: Opened;
    readonly loopId: string;
    readonly argv: readonly string[];
    readonly stdin: string | null;
  }) => Promise<DoorAnswer>;
  /** How long a claim lasts without being renewed. */
  readonly leaseMs?: number;
  /** Looks, pauses or stops, so that a mistake in the configuration need not keep it from doing so. */
  readonly startsNothing?: boolean;
  /** Text that stands for the project's `loopwright.yml`. */
  readonly draft?: string;
  /** Runs under a cost budget that cannot hold, as nobody knows the price of the model. */
  readonly allowUnpriced?: boolean;
};

/** A project with everything the engine acts through, and the one who closes it. */
/** What of a task its plan depends on; a text that is no task yet has no description. */
export type PlannedTask = Pick<Task, 'type' | 'validation'> & Partial<Pick<Task, 'description'>>;

export type Opened = AsyncDisposable & {
  readonly engine: Engine;
  readonly project: Project;
  readonly config: LoadedConfig;
  readonly loopTypes: readonly LoopTypes[];
  /** The loop type of a task after inheritance. */
  loopType(name: string | null): LoopType;
  /** What a loop type says about the prompt. */
  promptOf(type: LoopType): Promise<PromptRecord>;
  /** What a loop of this task would be made with; `verify: false` needs no validation command. Refuses what cannot work. */
  planFor(task: PlannedTask, verify: boolean, inPlace?: boolean): Promise<LoopPlan>;
  /** The configuration as the files say now, for whoever stays open for long. */
  reread(): Promise<Pick<Opened, 'config' | 'planFor'>>;
  /** Changes when a file of the configuration does. */
  configMark(): Promise<string>;
  /** The file of the store. */
  readonly storeFile: string;
};

const defaultLeaseMs = 60_000;

/** Builds adapters and passes them in: the only place that knows which adapter stands behind a port. */
export async function openProjectAt(input: ComposeInput): Promise<Opened> {
  const { cwd, env, home, version, flags = {}, publish = () => {}, inside } = input;
  const reach = createFailpoints(env[failAtVariable]);
  const project = await openProject(cwd, AbortSignal.timeout(30_000), env, reach);
  const { draft } = input;
  const isApart = input.isApart === true;
  const files = { projectRoot: project.root, env, home, ...(draft === undefined ? {} : { draft }) };
  const startsNothing = input.startsNothing === true || input.onlyReads === true;
  const load = startsNothing ? loadConfigAnyway : loadConfig;
  // Taken before: what is written meanwhile is read again.
  const mark = await configFingerprint(files);
  const config = await load({ ...files, flags });
  const loopTypes = await loadLoopTypes({ ...files, settings: config.settings });
  refusePostgres(config.settings);
  await using cleanup = new AsyncDisposableStack();
  if (!isApart) refuseLostStore(...placesOf(project.root, config.settings));
  const stateDir = await openStateFolder(project.root, input, cleanup);
  const ownStore = isApart ? null : config.settings.store;
  const database = path.resolve(project.root, ownStore ?? path.join(stateDir, 'state.db'));
  const redaction = createRedaction(secretsOfEngine(env, config.settings));
  const clean = redactWith(redaction);
  const { store, isCopy } = await openProjectStore(
    database,
    input,
    { clean, root: project.root },
    cleanup,
    (text) => publish({ kind: 'notice', text }),
  );
  cleanup.use(store);
  const clock = createSystemClock();
  const ids = createRandomIds();
  const locks = createLocks(stateDir, clock);
  const { containment } = config.settings.sandbox;
  const supervisor = cleanup.use(
    createSupervisor({
      clock,
      redaction,
      ...(containment === 'auto' ? {} : { containment }),
      weak: ({ limits, obstacles }) =>
        publish({ kind: 'notice', text: `warning: ${[limits, ...obstacles].join(' ')}` }),
    }),
  );
  // A store that stands in for one that cannot be written belongs nowhere.
  if (!isCopy && stateDir === path.join(project.root, stateFolderName)) {
    await settlePlace({
      store,
      storeFile: database,
      stateDir,
      project,
      worktrees: config.settings.workspace.dir,
      locks,
      clock,
      ids,
      host: async () => (await supervisor.self()).host,
      reach,
      tell: input.tell ?? ((text) => publish({ kind: 'notice', text })),
    });
  }

  const notifier = cleanup.use(
    new Notifier({
      allowance: createAllowanceFile(stateDir, locks),
      clock,
      channels: createChannels({
        supervisor,
        env: definedOnly(env),
        cwd: project.root,
        platform,
      }),
      minuteOfDay,
      redact: clean,
      warn: (text) => publish({ kind: 'notice', text }),
    }),
  );
  const hooks = cleanup.use(
    new FactHooks({
      clock,
      supervisor,
      env: definedOnly(env),
      cwd: project.root,
      commandOf: (hook) => hookCommand(hook, project.root),
      warn: (text) => publish({ kind: 'notice', text }),
    }),
  );
  const budget = cleanup.use(
    new RunBudget({ clock, store, publish, limits: budgetLimitsOf(config.settings) }),
  );
  const doors = cleanup.use(createDoors(stateDir));
  const cacheDir = path.join(env['XDG_CACHE_HOME'] ?? path.join(home, '.cache'), 'loopwright');
  const models = cleanup.use(
    new KnownModels({
      folder: path.join(cacheDir, 'models'),
      clock,
      tell: (text) => publish({ kind: 'notice', text }),
    }),
  );
  const agents = createAgentCache(supervisor, project.root);
  const steady = new SteadyConfig(config);
  const first = { mark, flags, loaded: config, types: loopTypes };
  const readSettings = createSettingsReader(files, steady, startsNothing ? null : first);
  const toldUnmeasured = new Set<string>();
  const engine: Engine = {
    project,
    store,
    supervisor,
    artifacts: createArtifacts(stateDir, redaction),
    wakeups: createWakeups(stateDir),
    templatesFor: createTemplatesOnDemand(),
    clock,
    ids,
    random: createRandom(),
    disk: createDisk(stateDir),
    locks,
    inputFiles: createInputFiles(),
    knowledge: createKnowledgeFiles(project),
    prices: createShippedPrices(),
    slots: new Slots({
      clock,
      machine: createMachine(stateDir, clock),
      publish,
      limits: limitsOf(config.settings),
    }),
    queueBoard: createQueueBoard(stateDir),
    budget,
    doors,
    inside:
      inside === undefined
        ? null
        : (loopId, argv, stdin) => inside({ opened, loopId, argv, stdin }),
    reach,
    leaseMs: input.leaseMs ?? defaultLeaseMs,
    stateDir,
    roomsDir: path.join(cacheDir, 'rooms'),
    env: definedOnly(env),
    version,
    clean,
    publish(event) {
      publish(event);
      budget.observe(event);
      notifier.observe(event);
      hooks.observe(event);
    },
    resolveAgent: (settings) => agents.resolve(settings),
    resolveStrategy: createStrategyLoader({ supervisor, env, root: project.root }),
    hookCommand: (hook) => hookCommand(hook, project.root),
    async preflight(settings, wish) {
      const allowUnpriced = input.allowUnpriced === true;
      await preflight(engine, models, { settings, ...wish, allowUnpriced });
      const text = await unmeasuredText(engine, settings);
      if (text === null || toldUnmeasured.has(text)) return;
      toldUnmeasured.add(text);
      publish({ kind: 'notice', text });
    },
    requireConfig: () => steady.require(),
    async reloadSettings(loopType, loopFlags) {
      const settings = await readSettings(loopType, loopFlags);
      redaction.learn(secretsOfEngine(env, settings));
      return settings;
    },
  };
  const promptOf = (type: LoopType) => loopPrompt(type, files, engine.templatesFor);
  const planner =
    (loaded: LoadedConfig, types: readonly LoopTypes[]): Opened['planFor'] =>
    async (task, verify, inPlace = false) => {
      const typed = await settingsOf(task.type, loaded, types, env);
      const settings = settingsForTask(typed, task);
      redaction.learn(secretsOfEngine(env, settings));
      if (loaded.settings.agent === null && settings.agent !== null) {
        const text = `no agent is configured: taking ${settings.agent}, the first one installed`;
        publish({ kind: 'notice', text });
      }
      for (const text of checkRunnable(settings, verify))
        publish({ kind: 'notice', text: `warning: ${text}` });
      await engine.preflight(settings, { verify, inPlace, isOwnCheck: task.validation !== null });
      const type = resolveLoopType(task.type ?? defaultLoopType, types);
      return { settings, flags, prompt: await promptOf(type) };
    };
  const held = cleanup.move();
  const opened: Opened = {
    engine,
    project,
    config,
    loopTypes,
    loopType: (name) => resolveLoopType(name ?? defaultLoopType, loopTypes),
    promptOf,
    planFor: planner(config, loopTypes),
    async reread() {
      steady.require();
      const loaded = await loadConfig({ ...files, flags });
      steady.note(loaded);
      const types = await loadLoopTypes({ ...files, settings: loaded.settings });
      return { config: loaded, planFor: planner(loaded, types) };
    },
    configMark: () => configFingerprint(files),
    storeFile: database,
    [Symbol.asyncDispose]: () => held.disposeAsync(),
  };
  return opened;
}

/** Where the project has its store and its state folder, if it has any. */
function placesOf(root: string, { store }: Settings): readonly [file: string, folder: string] {
  const folder = path.join(root, stateFolderName);
  return [path.resolve(root, store ?? path.join(folder, 'state.db')), folder];
}

/** One runner per configured agent: scripts are read once, and what they count goes on. */
function createAgentCache(supervisor: Supervisor, folder: string) {
  const runners = new Map<string, Promise<AgentRunner>>();
  return {
    resolve(settings: Settings): Promise<AgentRunner> {
      const spec = requireAgent(settings);
      const key = JSON.stringify([spec, settings.agents]);
      const known = runners.get(key);
      if (known !== undefined) return known;
      const resolved = resolveAgent(spec, settings.agents, { supervisor, folder });
      runners.set(key, resolved);
      // What could not be resolved may be put right and asked for again.
      resolved.catch(() => runners.delete(key));
      return resolved;
    },
  };
}

function requireAgent(settings: Settings): string {
  if (settings.agent !== null) return settings.agent;
  const names = knownAgents.map(({ name }) => name).join(', ');
  throw new LoopwrightError(
    'agent.none',
    `no agent is configured, and none of ${names} is installed`,
    {
      hint: 'install one of them, give --agent command:"CMD" with any program that reads its prompt from stdin, or see `loopwright agents list`',
    },
  );
}

function refusePostgres(settings: Settings): void {
  if (settings.store === null || !/^postgres(ql)?:/.test(settings.store)) return;
  throw new LoopwrightError(
    'store.not_built',
    'a PostgreSQL store is configured, but this version has only SQLite',
    {
      hint: 'remove `store` from the configuration',
    },
  );
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
