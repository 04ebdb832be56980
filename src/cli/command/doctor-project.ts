import { loadConfig } from '../../adapters/files/config-files.ts';
import { loadLoopTypes } from '../../adapters/files/loop-type-files.ts';
import { discoverRepository } from '../../adapters/git/discover.ts';
import { openProject } from '../../adapters/git/open-project.ts';
import { indexFault, mendIndex } from '../../adapters/git/damaged-index.ts';
import type { Repository } from '../../adapters/git/repository.ts';
import { findObstacle } from '../../adapters/process/executable.ts';
import { createSupervisor } from '../../adapters/process/supervisor.ts';
import type { Settings } from '../../core/config/schema.ts';
import { agentEnvironment } from '../../core/env/allow-list.ts';
import { judgeOf, startingCommit } from '../../engine/find-judge.ts';
import { judgeText } from '../render/judge-list.ts';
import { loopTypeNames, resolveLoopType } from '../../core/loop-type/resolve.ts';
import type { CliContext } from '../context.ts';
import { askForAgent } from '../init/driven-agent.ts';
import { findInstalledAgents } from '../../adapters/agents/installed-agents.ts';
import { fail, ok, warn, type Check } from './doctor-check.ts';

export type Place = { readonly root: string; readonly repository: Repository | null };

export async function findPlace({ cwd, env }: CliContext, signal: AbortSignal): Promise<Place> {
  const repository = await discoverRepository(cwd, env, signal);
  const { root } = await openProject(cwd, signal, env);
  return { root, repository };
}

export async function checkRepository(
  { root, repository }: Place,
  context: CliContext,
  signal: AbortSignal,
): Promise<Check> {
  if (repository === null) {
    return warn(
      'repository',
      `${root} is no git repository`,
      '`git init` gives every loop its own branch; without it loops work in the folder itself, one at a time',
    );
  }
  const project = await openProject(context.cwd, signal, context.env);
  const { branch, head, dirty, operation } = await project.describe(signal);
  if (head === null) {
    return fail(
      'repository',
      `${root} has no commit, so no loop can start`,
      '`git add -A && git commit -m start`',
    );
  }
  const where = `${root}, ${branch === null ? `detached at ${head.slice(0, 12)}` : `on ${branch}`}`;
  const fault = await indexFault(repository, repository.main, signal);
  if (fault !== null) {
    return fail(
      'repository',
      `${where}; its index is damaged: ${fault}`,
      mendIndex(repository.main),
    );
  }
  if (operation !== null) {
    return warn(
      'repository',
      `${where}; a ${operation} is under way`,
      `finish or abort it: \`git status\``,
    );
  }
  return ok(
    'repository',
    dirty ? `${where}, with uncommitted changes (loops start from the commit)` : where,
  );
}

export type CheckedConfig = { readonly settings: Settings; readonly check: Check };

/** Throws what is wrong with the files. */
export async function checkConfig(
  { root }: Place,
  { env, home }: CliContext,
): Promise<CheckedConfig> {
  const { settings, files, warnings } = await loadConfig({
    projectRoot: root,
    env,
    home,
    flags: {},
  });
  const types = await loadLoopTypes({ projectRoot: root, env, home, settings });
  for (const name of loopTypeNames(types)) resolveLoopType(name, types);
  const [first] = warnings;
  if (first !== undefined) {
    return { settings, check: warn('config', first.message, 'see `loopwright config validate`') };
  }
  const text =
    files.length === 0
      ? 'no file, every setting has its default'
      : files.map(({ path }) => path).join(', ');
  return { settings, check: ok('config', text) };
}

export function checkValidation({ validation }: Settings): Check {
  if (validation.command !== null) return ok('validation', validation.command);
  const names = Object.keys(validation.commands);
  if (names.length > 0) return ok('validation', names.join(', '));
  return warn(
    'validation',
    'no validation command: nothing could prove the work done',
    '`loopwright init` proposes one, or give --validate with a run',
  );
}

/** How many files judge, as a loop would start now. */
export async function checkJudge(
  settings: Settings,
  context: CliContext,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  const project = await openProject(context.cwd, signal, context.env);
  const base = await startingCommit({ project }, settings, signal);
  if (base === null) return [];
  const { files } = await judgeOf({ project }, { base, head: null, settings }, signal);
  return [ok('judge', `${judgeText(files)} (\`loopwright judge\` lists them)`)];
}

export async function checkAgent(
  settings: Settings,
  { root }: Place,
  context: CliContext,
): Promise<Check> {
  const { agent, agents } = settings;
  if (agent === null) return noAgent(context);
  await using supervisor = createSupervisor({ clock: context.clock });
  const answer = await askForAgent(agent, agents, { supervisor, folder: root });
  if (answer.kind !== 'ready') {
    const text =
      answer.kind === 'broken' ? answer.message : `${agent} cannot be driven by name yet`;
    return fail('agent', text, answer.hint ?? 'see `loopwright agents list`');
  }
  const missing = await missingProgram(agents[agent]?.command ?? agent, root, context);
  if (missing === null) return ok('agent', agent);
  return warn(
    'agent',
    `${agent}: ${missing}`,
    'install it, or name another agent: `loopwright agents list`',
  );
}

async function noAgent({ env }: CliContext): Promise<Check> {
  const installed = (await findInstalledAgents(env)).map(({ name }) => name);
  const [first] = installed;
  if (first !== undefined) {
    return ok('agent', `none configured: loops get ${first}, of ${installed.join(', ')}`);
  }
  return warn(
    'agent',
    'no agent is configured and none was found on PATH',
    '`loopwright init` writes one down, or give --agent with a run',
  );
}

/** Only a plain first word can be looked up; anything a shell would have to work out is left to the shell. */
async function missingProgram(
  command: string,
  root: string,
  { env }: CliContext,
): Promise<string | null> {
  const program = /^(?:command:)?\s*([\w./+-]+)(?:\s|$)/.exec(command)?.[1];
  if (program === undefined || command.startsWith('scripted:')) return null;
  const environment = agentEnvironment(env, { pass: [], set: {}, reserved: {} });
  const obstacle = findObstacle({
    argv: [program],
    cwd: root,
    env: environment,
  });
  return obstacle?.error ?? null;
}
