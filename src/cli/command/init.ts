import path from 'node:path';
import { discoverRepository } from '../../adapters/git/discover.ts';
import { resolveCommit, type Repository } from '../../adapters/git/repository.ts';
import { createSupervisor } from '../../adapters/process/supervisor.ts';
import { parseDuration } from '../../core/config/duration.ts';
import { LoopwrightError } from '../../core/error.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, option, usageError, wantsJson } from '../input.ts';
import { askForChoice, askForRemedy, askToTry, endAsking } from '../init/ask.ts';
import { proposeChoice, type Choice } from '../init/choice.ts';
import { assertNoConfig, writeConfig } from '../init/config-file.ts';
import { lookAround, type Findings } from '../init/findings.ts';
import { configFile, renderConfig } from '../init/render-config.ts';
import { renderSetup, type Setup } from '../init/render-setup.ts';
import { remedyLine } from '../init/remedy.ts';
import { trialResult } from '../init/render-trial.ts';
import { TrialProgress } from '../init/trial-progress.ts';
import { tryAgent, type AgentTrial } from '../init/try-agent.ts';
import { tryChoice, type TrialReport } from '../init/try-choice.ts';
import { StatusLine } from '../render/status-line.ts';

export const init: Command = {
  path: ['init'],
  summary: 'Look at this repository and write a loopwright.yml for it.',
  details: [
    'Finds installed agents, the test command, and what a fresh worktree needs (dependency folders, files git ignores), and writes it down with comments. On a terminal it asks; without one, or with --yes, it takes every proposal.',
    'Then it starts the agent for its version, and tries the test command once in a fresh worktree, made and removed like that of a loop: red is fine, but a command that cannot run there is told, with what to add. Your checkout is not touched, and the file is written whatever the trial shows.',
    'An existing file is never overwritten; --force keeps it beside the new one as a .bak file.',
  ].join('\n\n'),
  options: [
    {
      name: 'agent',
      value: 'AGENT',
      summary: 'The agent to write down: a name, `command:CMD` or `scripted:FILE`.',
    },
    { name: 'validate', value: 'CMD', summary: 'The validation command to write down.' },
    { name: 'yes', short: 'y', summary: 'Take every proposal without asking.' },
    {
      name: 'try-limit',
      value: 'DURATION',
      summary:
        'How long the setup, and the test command, may take when they are tried; default 2m.',
    },
    { name: 'no-try', summary: 'Start neither the agent nor the test command.' },
    { name: 'force', summary: 'Replace an existing file, which is kept as .bak.' },
  ],
  examples: [
    { line: 'loopwright init', does: 'Asks a few questions, with an answer proposed for each.' },
    { line: 'loopwright init --yes', does: 'Takes every proposal.' },
    {
      line: "loopwright init --agent 'command:my-agent' --validate 'make test'",
      does: 'Writes down this agent and this command instead of what was found.',
    },
  ],
  run: runInit,
};

const lookMs = 30_000;

async function runInit(input: CommandInput, context: CliContext): Promise<number> {
  const limitMs = tryLimit(input);
  const signal = AbortSignal.timeout(lookMs);
  const repository = await discoverRepository(context.cwd, context.env, signal);
  const root = rootOf(repository, context.cwd);
  const isForced = isGiven(input, 'force');
  if (!isForced) await assertNoConfig(root);
  const findings = await lookAround(root, repository, context.env, signal);
  const obstacle = await findObstacle(repository, signal);
  const place: Place = { root, repository, findings, obstacle };
  const decided = await decide(input, context, place, limitMs);
  if (decided === null) return exitCodes.interrupted;
  const text = renderConfig(decided.choice, findings);
  const backup = await writeConfig(root, text, isForced);
  const notes = findNotes(decided.choice, obstacle);
  const file = path.join(root, configFile);
  tell({ root, file, backup, findings, notes, ...decided }, input, context);
  return exitCodes.ok;
}

const defaultLimit = '2m';

function tryLimit(input: CommandInput): number {
  const given = option(input, 'try-limit') ?? defaultLimit;
  const limitMs = parseDuration(given);
  if (limitMs !== null && limitMs > 0) return limitMs;
  throw usageError(`--try-limit takes a duration such as 90s or 5m, not “${given}”`);
}

function rootOf(repository: Repository | null, cwd: string): string {
  if (repository === null) return path.resolve(cwd);
  if (repository.main.workTree !== null) return repository.main.workTree;
  throw new LoopwrightError(
    'init.bare',
    `${repository.main.gitDir} is a bare repository: there is no checkout to write to`,
    {
      hint: 'run `loopwright init` in a clone of it',
    },
  );
}

type Place = {
  readonly root: string;
  readonly repository: Repository | null;
  readonly findings: Findings;
  /** Why no worktree can be made here; null when one can. */
  readonly obstacle: 'no-repository' | 'no-commit' | null;
};

type Decided = Pick<Setup, 'choice' | 'agentTrial' | 'trial'>;

/** Proposals, answers and what was tried. Null when it was interrupted or given up; nothing is left behind then. */
async function decide(
  input: CommandInput,
  context: CliContext,
  place: Place,
  limitMs: number,
): Promise<Decided | null> {
  await using supervisor = createSupervisor({ clock: context.clock });
  const stop = new AbortController();
  const given = { agent: option(input, 'agent'), validation: option(input, 'validate') };
  const proposal = await proposeChoice(place.findings, given, supervisor, place.root);
  const isTerminal = context.stdinIsTerminal && context.out.isTerminal;
  const isAsked = isTerminal && !isGiven(input, 'yes') && !wantsJson(input);
  const isTried = !isGiven(input, 'no-try');
  let agentTrial: AgentTrial = { version: null, fault: null };
  const askVersion = async (spec: string): Promise<AgentTrial> => {
    if (!isTried) return agentTrial;
    await using _line = new StatusLine(context.err, context.clock, () => `starting ${spec}`);
    using _signals = context.onSignal(() => stop.abort());
    agentTrial = await tryAgent(spec, context.env, supervisor, stop.signal);
    return agentTrial;
  };
  const choice = isAsked
    ? await askForChoice({
        name: path.basename(place.root),
        findings: place.findings,
        proposal,
        settled: { agent: given.agent !== null, validation: given.validation !== null },
        supervisor,
        folder: place.root,
        isRepository: place.repository !== null,
        columns: context.out.columns,
        tryAgent: askVersion,
      })
    : proposal;
  if (choice === null) return null;
  if (!isAsked && choice.agent !== null) await askVersion(choice.agent.spec);
  if (stop.signal.aborted) return giveUp(context);
  const tried = await tryCheck({ context, place, choice, isTried, isAsked, limitMs });
  if (tried === null) return null;
  if (isAsked) await endAsking();
  return { choice: tried.choice, agentTrial, trial: tried.report };
}

function giveUp({ err }: CliContext): null {
  err.write('Interrupted. Nothing was written.\n');
  return null;
}

type CheckTrial = {
  readonly context: CliContext;
  readonly place: Place;
  readonly choice: Choice;
  readonly isTried: boolean;
  readonly isAsked: boolean;
  readonly limitMs: number;
};

async function tryCheck({ context, place, choice, isTried, isAsked, limitMs }: CheckTrial) {
  const { root, repository, findings, obstacle } = place;
  const skip = (why: string) => ({ choice, report: { kind: 'skipped', why } as TrialReport });
  if (choice.validation === null) return skip('there is no command to try');
  if (!isTried) return skip('--no-try was given');
  if (obstacle === 'no-commit')
    return skip('the repository has no commit yet to make a worktree of');
  if (repository === null) return skip('there are no worktrees outside of git');
  if (isAsked) {
    const isWanted = await askToTry(choice.validation);
    if (isWanted === null) return null;
    if (!isWanted) return skip('you declined it');
  }
  const stop = new AbortController();
  using _signals = context.onSignal(() => stop.abort());
  await using progress = new TrialProgress(context, limitMs);
  const result = await tryChoice({
    context,
    root,
    repository,
    findings,
    choice,
    rules: { limitMs, show: (step, command) => progress.show(step, command) },
    async accept(remedy, reason) {
      if (!isAsked) return true;
      await progress.pause();
      return askForRemedy(reason, remedyLine(remedy), context.out.columns);
    },
    signal: stop.signal,
  });
  await progress.pause();
  return result ?? giveUp(context);
}

/** What keeps a worktree from being made. */
async function findObstacle(
  repository: Repository | null,
  signal: AbortSignal,
): Promise<Place['obstacle']> {
  if (repository === null) return 'no-repository';
  return (await resolveCommit(repository, 'HEAD', signal)) === null ? 'no-commit' : null;
}

/** What still stands between this folder and a first loop. */
function findNotes(choice: Choice, obstacle: Place['obstacle']): readonly string[] {
  const notes: string[] = [];
  if (obstacle === 'no-repository') {
    notes.push(
      'This folder is not a git repository: loops work in the folder itself, one at a time, without branches. `git init` gives every loop its own branch.',
    );
  } else if (obstacle === 'no-commit') {
    notes.push(
      'The repository has no commit yet; a loop needs one to start from: `git add -A && git commit -m start`',
    );
  }
  if (choice.agent === null) {
    notes.push(
      'No agent was found: install one (`loopwright agents list`), or give --agent with every run.',
    );
  }
  if (choice.validation === null) {
    notes.push(
      `No test command was found: set \`validation.command\` in ${configFile}, or give --validate with every run.`,
    );
  }
  return notes;
}

function tell(setup: Setup, input: CommandInput, context: CliContext): void {
  if (!wantsJson(input)) {
    context.out.write(renderSetup(setup, context.out));
    return;
  }
  const { file, backup, choice, findings, notes, agentTrial } = setup;
  const { agent, ...rest } = choice;
  const result = {
    file,
    backup,
    agent: agent?.spec ?? null,
    agentCommand: agent?.command ?? null,
    agentVersion: agentTrial.version,
    agentFault: agentTrial.fault,
    ...rest,
    trial: trialResult(setup.trial),
    found: {
      agents: findings.agents.map(({ name }) => name),
      tests: findings.tests,
    },
    notes,
  };
  context.out.write(`${JSON.stringify(result)}\n`);
}
