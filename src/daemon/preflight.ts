import { stat } from 'node:fs/promises';
import path from 'node:path';
import { startOf } from '../adapters/agents/registry.ts';
import { hookModuleFault } from '../adapters/hook/hook-command.ts';
import { findObstacle } from '../adapters/process/executable.ts';
import { pathFolders } from '../adapters/process/path-folders.ts';
import type { Settings } from '../core/config/schema.ts';
import { agentEnvironment, checkEnvironment } from '../core/env/allow-list.ts';
import { LoopwrightError } from '../core/error.ts';
import { neededPrograms, type NeededProgram } from '../core/preflight/needed-programs.ts';
import {
  costBudgetKey,
  plannedModels,
  unpricedModel,
  usageBudgetKeys,
} from '../core/preflight/priced-models.ts';
import { nearest } from '../core/text/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { startingCommit } from '../engine/find-judge.ts';

export type PreflightWish = {
  readonly settings: Settings;
  /** Checks are run. */
  readonly verify: boolean;
  /** The loop works in the user's checkout. */
  readonly inPlace: boolean;
  /** The check is that of one task, and says nothing about others. */
  readonly isOwnCheck: boolean;
  /** A budget that cannot hold is all right. */
  readonly allowUnpriced: boolean;
};

type Parts = Pick<Engine, 'project' | 'env' | 'prices' | 'resolveAgent' | 'supervisor'>;

/**
 * Refuses what cannot work, before a task, a loop or a cent exists. Only what is certain is refused: a program that a setup
 * or an earlier command may bring is looked for by whoever starts it.
 */
export async function preflight(parts: Parts, wish: PreflightWish): Promise<void> {
  const { settings } = wish;
  const places = createPlaces(parts, wish);
  await requireAgentProgram(parts, settings, places);
  if (wish.verify) await requireCheckPrograms(parts, wish, places);
  await requireHooks(parts, settings, places);
  if (!wish.allowUnpriced) await requirePrices(parts, settings);
}

async function requireAgentProgram(parts: Parts, settings: Settings, places: Places) {
  const spec = settings.agent ?? '';
  const start = startOf(spec, settings.agents);
  if (start === null) return;
  const { variables } = await parts.resolveAgent(settings);
  const { pass, set } = settings.env;
  const rules = { pass: [...variables, ...pass], set, reserved: {} };
  const env = { ...agentEnvironment(parts.env, rules), ...start.env };
  const needed =
    start.kind === 'program' ? [{ name: start.name, folder: '' }] : neededPrograms(start.text);
  // The engine brings itself along: `loopwright share` is on an agent's PATH.
  const others = needed.filter(({ name }) => name !== 'loopwright');
  const missing = await firstMissing(others, env, places);
  if (missing === null) return;
  const { name } = missing;
  const what = start.kind === 'program' ? `the agent ${spec}` : `the command of the agent ${spec}`;
  const close = nearest(name, ['claude', 'codex', 'gemini', 'opencode', 'pi']);
  const guess = close === null || close === name ? '' : `; did you mean ${close}?`;
  throw new LoopwrightError(
    'agent.not_found',
    `${what} cannot be started: there is no program ${name} ${missing.where}${guess}`,
    {
      hint:
        start.kind === 'program'
          ? `install ${name}, name its file in loopwright.yml with \`agents: { ${spec}: { kind: …, command: /path/to/${path.basename(name)} } }\`, or take another with --agent (\`loopwright agents list\` shows what is installed)`
          : 'correct the command: `--agent command:"CMD"`, or `command` of that agent in loopwright.yml',
      details: { program: name, folders: missing.folders },
    },
  );
}

async function requireCheckPrograms(parts: Parts, wish: PreflightWish, places: Places) {
  const { validation, verify, workspace, env } = wish.settings;
  if (verify.baseline === 'allow-broken') return;
  const checkEnv = checkEnvironment(parts.env, { pass: env.pass, set: env.set, reserved: {} });
  // Whatever a setup installs is there when the checks run; the first setup itself runs before anything else.
  const setups = [
    { key: 'workspace.setup', text: wish.inPlace ? null : workspace.setup },
    { key: 'validation.setup', text: validation.setup },
  ].filter(({ text }) => text !== null);
  const named = Object.entries(validation.commands).map(([name, { command }]) => {
    return { key: `validation.commands.${name}`, text: command };
  });
  const checks = [{ key: 'validation.command', text: validation.command }, ...named];
  for (const { key, text } of setups.length > 0 ? setups.slice(0, 1) : checks) {
    const missing = await firstMissing(neededPrograms(text ?? ''), checkEnv, places);
    if (missing !== null) throw checkNotFound(key, text ?? '', missing, wish);
  }
}

function checkNotFound(
  key: string,
  text: string,
  { name, where, folders, isInCheckout }: Missing,
  { isOwnCheck }: PreflightWish,
): LoopwrightError {
  const isPath = name.includes('/');
  const [top = name] = name.replace(/^(?:\.\/)+/, '').split('/');
  const bring = isInCheckout
    ? `it is in your checkout and not in git: commit it, or write \`workspace: { ${top === 'node_modules' || top.startsWith('.venv') ? 'link' : 'copy'}: [${top}] }\` into loopwright.yml`
    : isPath
      ? 'commit it, or let `workspace.setup` in loopwright.yml make it'
      : `install ${name}, or let \`workspace.setup\` in loopwright.yml do so`;
  return new LoopwrightError(
    isOwnCheck ? 'check.not_found' : 'run.check_not_found',
    `the check cannot run: \`${text}\` (${key}) needs ${name}, and there is no such program ${where}`,
    {
      hint: `${bring}; correct the check with --validate "CMD"; or, where the task is to make it run, add --baseline allow-broken`,
      details: { program: name, folders },
    },
  );
}

/** Modules that were loaded, by their file and the time of its last change: a run asks for each of its tasks. */
const loadable = new Set<string>();

async function requireHooks(parts: Parts, settings: Settings, places: Places): Promise<void> {
  const { project, supervisor } = parts;
  const { pass, set } = settings.env;
  const env = checkEnvironment(parts.env, { pass, set, reserved: {} });
  for (const [event, hooks] of Object.entries(settings.hooks)) {
    for (const hook of hooks) {
      if ('command' in hook) {
        const named = neededPrograms(hook.command);
        // What is in a folder may be in that of the loop or of the user.
        const certain = named.filter(({ name }) => !name.includes('/') || path.isAbsolute(name));
        const missing = await firstMissing(certain, env, places);
        if (missing !== null) throw hookNotFound(event, hook.command, missing);
        continue;
      }
      const file = path.resolve(project.root, hook.module);
      const mark = `${file} ${(await stat(file)).mtimeMs}`;
      if (loadable.has(mark)) continue;
      const fault = await hookModuleFault(hook.module, project.root, supervisor, env);
      if (fault !== null) throw hookNotLoadable(hook.module, fault);
      loadable.add(mark);
    }
  }
}

function hookNotFound(event: string, command: string, { name, where }: Missing): LoopwrightError {
  return new LoopwrightError(
    'config.hook_command',
    `the hook \`${command}\` (hooks.${event}) cannot run: there is no program ${name} ${where}`,
    { hint: `install ${name}, or correct the command under \`hooks.${event}\`` },
  );
}

function hookNotLoadable(module: string, fault: string): LoopwrightError {
  return new LoopwrightError(
    'config.hook_module',
    `the hook module ${module} cannot be loaded: ${fault}`,
    { hint: 'correct the module, or its path under `hooks`' },
  );
}

async function requirePrices({ prices, resolveAgent }: Parts, settings: Settings): Promise<void> {
  const key = costBudgetKey(settings);
  if (key === null) return;
  const { needsPrice } = await resolveAgent(settings);
  const models = plannedModels(settings.agent ?? '', settings);
  if (needsPrice !== true || models.length === 0) return;
  const known = unpricedModel(models, settings.prices, () => null);
  const model = known === null ? null : unpricedModel(models, settings.prices, await prices.load());
  if (model === null) return;
  throw new LoopwrightError(
    'run.unpriced',
    `\`${key}\` cannot hold: nobody knows the price of ${model}, neither \`prices\` nor the list that comes with the program`,
    {
      hint: `write \`prices: { "${model}": { input: USD, output: USD } }\` (per million tokens) into loopwright.yml, or add --allow-unpriced to run without that budget`,
    },
  );
}

/** Budgets that cannot hold because the agent never tells what it uses, and what to use instead; null: all can. */
export async function unmeasuredText(
  { resolveAgent }: Pick<Parts, 'resolveAgent'>,
  settings: Settings,
): Promise<string | null> {
  const keys = usageBudgetKeys(settings);
  if (keys.length === 0 || (await resolveAgent(settings)).hasNoUsage !== true) return null;
  const agent = settings.agent ?? '';
  const known = Object.hasOwn(settings.agents, agent);
  const format = known ? `agents.${agent}.format` : 'agents.NAME.format';
  return `warning: ${keys.join(' and ')} cannot hold for the agent ${agent}, which reports no usage; limit its time instead (--max-duration, --max-run-duration), or, if it prints the stream of a known agent, name that in \`${format}\``;
}

type Missing = {
  readonly name: string;
  /** In words. */
  readonly where: string;
  readonly folders: readonly string[];
  readonly isInCheckout: boolean;
};

async function firstMissing(
  needed: readonly NeededProgram[],
  env: Readonly<Record<string, string>>,
  places: Places,
): Promise<Missing | null> {
  for (const { name, folder } of needed) {
    if (!name.includes('/')) {
      const folders = pathFolders(env['PATH'] ?? '');
      // What is in a folder of the worktree is only known there.
      const isCertain = folders.every((each) => path.isAbsolute(each));
      if (!isCertain || !isAbsent(name, env)) continue;
      const shown = folders.length > 8 ? [...folders.slice(0, 8), '…'] : folders;
      return { name, where: `on PATH (${shown.join(', ')})`, folders, isInCheckout: false };
    }
    if (path.isAbsolute(name)) {
      if (isAbsent(name, env)) return { name, where: 'there', folders: [], isInCheckout: false };
      continue;
    }
    if (folder === null) continue;
    const file = path.posix.normalize(path.posix.join(folder, name));
    const missing = await places.missing(file);
    if (missing !== null) return { name, folders: [], ...missing };
  }
  return null;
}

/** Only what is not there at all: whoever may not start a program is told by the system. */
function isAbsent(name: string, env: Readonly<Record<string, string>>): boolean {
  const spec = { argv: [name] as const, cwd: '/', env, stdin: null, stdoutFile: null };
  const rest = { stderrFile: null, tailBytes: 0, timeoutMs: 0, graceMs: 0 };
  return findObstacle({ ...spec, ...rest, argv: [name] })?.code === 'ENOENT';
}

/** Where a file of a fresh worktree can come from. */
type Places = {
  /** Null when it is there, or may be. */
  missing(file: string): Promise<Pick<Missing, 'where' | 'isInCheckout'> | null>;
};

function createPlaces({ project }: Parts, { settings, inPlace }: PreflightWish): Places {
  const isThere = (file: string): boolean => !isAbsent(path.join(project.root, file), {});
  const { copy, link, setup } = settings.workspace;
  return {
    async missing(file) {
      if (file.startsWith('..')) return null;
      const isInCheckout = isThere(file);
      if (inPlace || project.kind === 'folder') {
        return isInCheckout ? null : { where: `in ${project.root}`, isInCheckout };
      }
      if (setup !== null) return null;
      const isBrought = [...copy, ...link].some((entry) => {
        const top = path.posix.normalize(entry).replace(/\/$/, '');
        return file === top || file.startsWith(`${top}/`);
      });
      if (isBrought && isInCheckout) return null;
      const signal = AbortSignal.timeout(60_000);
      const base = await startingCommit({ project }, settings, signal);
      if (base === null) return null;
      const files = new Set(await project.listAt(base, signal));
      // Below a link or a submodule anything may be.
      const parts = file.split('/');
      const above = parts.map((_, index) => parts.slice(0, index + 1).join('/'));
      if (above.some((each) => files.has(each))) return null;
      return { where: `in the commit that loops start from (${base.slice(0, 8)})`, isInCheckout };
    },
  };
}
