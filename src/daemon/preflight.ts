import path from 'node:path';
import { startOf } from '../adapters/agents/registry.ts';
import type { KnownModels } from '../adapters/agents/known-models.ts';
import { requireHookModules } from '../adapters/hook/hook-command.ts';
import { sandboxUnavailable } from '../adapters/process/sandbox.ts';
import type { Settings } from '../core/config/schema.ts';
import { agentEnvironment, checkEnvironment } from '../core/env/allow-list.ts';
import { reusesSession } from '../core/loop/agent-session.ts';
import { LoopwrightError } from '../core/error.ts';
import { hookModules } from '../core/hook/hook-modules.ts';
import { neededManifest } from '../core/preflight/needed-manifest.ts';
import { neededPrograms } from '../core/preflight/needed-programs.ts';
import {
  costBudgetKey,
  plannedModels,
  unpricedModel,
  usageBudgetKeys,
} from '../core/preflight/priced-models.ts';
import { nearest } from '../core/text/nearest.ts';
import type { Engine } from '../engine/engine.ts';
import { requireHooks } from './preflight-hooks.ts';
import { requireModels } from './preflight-models.ts';
import { createPlaces, firstMissing, type Missing, type Places } from './preflight-places.ts';

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

export type Parts = Pick<
  Engine,
  'project' | 'env' | 'prices' | 'publish' | 'resolveAgent' | 'resolveStrategy' | 'supervisor'
>;

/**
 * Refuses what cannot work, before a task, a loop or a cent exists. Only what is certain is refused: a program that a setup
 * or an earlier command may bring is looked for by whoever starts it.
 */
export async function preflight(
  parts: Parts,
  models: KnownModels,
  wish: PreflightWish,
): Promise<void> {
  const { settings } = wish;
  const places = createPlaces(parts, wish);
  requireSandbox(parts, settings);
  await parts.resolveAgent(settings);
  await requireResume(parts, settings);
  await requireAgentProgram(parts, settings, places);
  // An agent may take seconds to answer: it is asked beside everything else.
  const knowing = requireModels(parts, models, settings);
  // Something else may be refused first.
  knowing.catch(() => {});
  requireHookModules(hookModules(settings), parts.project.root);
  await parts.resolveStrategy(settings);
  if (wish.verify) await requireCheckPrograms(parts, wish, places);
  await requireHooks(parts, settings, places);
  if (!wish.allowUnpriced) await requirePrices(parts, settings);
  await knowing;
}

/** Isolation that is asked for and missing is a refusal. */
function requireSandbox({ supervisor }: Parts, { sandbox }: Settings): void {
  const fault = sandbox.level === 'bubblewrap' ? supervisor.sandboxFault() : null;
  if (fault !== null) throw sandboxUnavailable(fault);
}

/** Going on with a session needs an agent that can, and that tells how full it is. */
async function requireResume({ resolveAgent }: Parts, settings: Settings): Promise<void> {
  if (!reusesSession(settings)) return;
  const { name, canResume } = await resolveAgent(settings);
  if (canResume === true) return;
  throw new LoopwrightError(
    'agent.no_resume',
    `\`session: reuse\` needs an agent that can resume its session and tells how full its context is: ${name} does not`,
    { hint: 'take claude or codex, or remove `session: reuse`: each iteration then starts fresh' },
  );
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
  const hidden = Object.entries(verify.hidden).map(([name, { command }]) => {
    return { key: `verify.hidden.${name}`, text: command };
  });
  const checks = [{ key: 'validation.command', text: validation.command }, ...named, ...hidden];
  for (const { key, text } of setups.length > 0 ? setups.slice(0, 1) : checks) {
    const missing = await firstMissing(neededPrograms(text ?? ''), checkEnv, places);
    if (missing !== null) throw checkNotFound(key, text ?? '', missing, wish);
    const manifest = neededManifest(text ?? '');
    const absent = manifest === null ? null : await places.missing(manifest);
    if (manifest !== null && absent?.isInCheckout === true)
      throw manifestNotCommitted(key, text ?? '', manifest, absent.where, wish);
  }
}

/** The program would find the file in a folder above, which is the user's checkout, and work there. */
function manifestNotCommitted(
  key: string,
  text: string,
  file: string,
  where: string,
  { isOwnCheck }: PreflightWish,
): LoopwrightError {
  return new LoopwrightError(
    isOwnCheck ? 'check.not_found' : 'run.check_not_found',
    `the check cannot run: \`${text}\` (${key}) needs ${file}, which is in your checkout and not ${where}`,
    { hint: `commit it: \`git add ${file} && git commit -m "add ${file}"\``, details: { file } },
  );
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
    `\`${key}\` cannot hold: the price of ${model} is neither in \`prices\` nor in the list that comes with the program`,
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
