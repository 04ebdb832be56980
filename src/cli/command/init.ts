import path from 'node:path';
import { discoverRepository } from '../../adapters/git/discover.ts';
import { resolveCommit, type Repository } from '../../adapters/git/repository.ts';
import { createSupervisor } from '../../adapters/process/supervisor.ts';
import { LoopwrightError } from '../../core/error.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { isGiven, option, wantsJson } from '../input.ts';
import { askForChoice } from '../init/ask.ts';
import { proposeChoice, type Choice } from '../init/choice.ts';
import { assertNoConfig, writeConfig } from '../init/config-file.ts';
import { lookAround, type Findings } from '../init/findings.ts';
import { configFile, renderConfig } from '../init/render-config.ts';
import { renderSetup, type Setup } from '../init/render-setup.ts';

export const init: Command = {
  path: ['init'],
  summary: 'Look at this repository and write a loopwright.yml for it.',
  details: [
    'Finds installed agents, the test command, and what a fresh worktree needs (dependency folders, files git ignores), and writes it down with comments. Nothing is executed. On a terminal it asks; without one, or with --yes, it takes every proposal.',
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
  const signal = AbortSignal.timeout(lookMs);
  const repository = await discoverRepository(context.cwd, context.env, signal);
  const root = rootOf(repository, context.cwd);
  const isForced = isGiven(input, 'force');
  if (!isForced) await assertNoConfig(root);
  const findings = await lookAround(root, repository, context.env, signal);
  const choice = await choose(input, context, root, findings);
  if (choice === null) return exitCodes.interrupted;
  const text = renderConfig(choice, findings);
  const backup = await writeConfig(root, text, isForced);
  const notes = await findNotes(repository, choice, signal);
  tell(
    { root, file: path.join(root, configFile), backup, choice, findings, notes },
    input,
    context,
  );
  return exitCodes.ok;
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

async function choose(
  input: CommandInput,
  context: CliContext,
  root: string,
  findings: Findings,
): Promise<Choice | null> {
  await using supervisor = createSupervisor({ clock: context.clock });
  const given = { agent: option(input, 'agent'), validation: option(input, 'validate') };
  const proposal = await proposeChoice(findings, given, supervisor, root);
  const isAsked = context.stdinIsTerminal && context.out.isTerminal && !isGiven(input, 'yes');
  if (!isAsked || wantsJson(input)) return proposal;
  return askForChoice({
    name: path.basename(root),
    findings,
    proposal,
    settled: { agent: given.agent !== null, validation: given.validation !== null },
    supervisor,
    folder: root,
  });
}

/** What still stands between this folder and a first loop. */
async function findNotes(
  repository: Repository | null,
  choice: Choice,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const notes: string[] = [];
  if (repository === null) {
    notes.push(
      'This folder is no git repository: loops work in the folder itself, one at a time, without branches. `git init` gives every loop its own branch.',
    );
  } else if ((await resolveCommit(repository, 'HEAD', signal)) === null) {
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
  const { file, backup, choice, findings, notes } = setup;
  const { agent, ...rest } = choice;
  const result = {
    file,
    backup,
    agent: agent?.spec ?? null,
    agentCommand: agent?.command ?? null,
    ...rest,
    found: {
      agents: findings.agents.map(({ name }) => name),
      tests: findings.tests,
    },
    notes,
  };
  context.out.write(`${JSON.stringify(result)}\n`);
}
