import type * as Clack from '@clack/prompts';
import { plainText } from '../../core/text/terminal.ts';
import type { Supervisor } from '../../ports/process.ts';
import { wrap } from '../render/wrap.ts';
import { chooseAgent, type AgentChoice, type Choice } from './choice.ts';
import { askForBudget, askForSandbox } from './ask-limits.ts';
import type { Findings } from './findings.ts';
import type { AgentTrial } from './try-agent.ts';

type Prompts = typeof Clack;

export type Asking = {
  readonly name: string;
  readonly findings: Findings;
  readonly proposal: Choice;
  /** Settled on the command line, so not asked. */
  readonly settled: { readonly agent: boolean; readonly validation: boolean };
  readonly supervisor: Supervisor;
  readonly folder: string;
  /** Loops work in worktrees here. */
  readonly isRepository: boolean;
  readonly columns: number;
  /** Starts the agent for its version. */
  tryAgent(spec: string): Promise<AgentTrial>;
};

/** Goes through the proposals with a person. Null when they gave up; nothing was written then. */
export async function askForChoice(asking: Asking): Promise<Choice | null> {
  const prompts = await import('@clack/prompts');
  const { proposal, settled } = asking;
  prompts.intro(`Setting up Loopwright in ${asking.name}`);
  const agent = settled.agent ? proposal.agent : await askForAgentSpec(prompts, asking);
  if (agent === undefined) return giveUp(prompts);
  if (agent !== null) tellAgent(prompts, await asking.tryAgent(agent.spec), asking.columns);
  const validation = settled.validation
    ? proposal.validation
    : await askForValidation(prompts, asking);
  if (validation === undefined) return giveUp(prompts);
  const workspace = await askForWorkspace(prompts, asking);
  if (workspace === undefined) return giveUp(prompts);
  const sandbox = await askForSandbox(prompts, asking);
  if (sandbox === undefined) return giveUp(prompts);
  const budget = await askForBudget(prompts);
  if (budget === undefined) return giveUp(prompts);
  return { agent, validation, ...workspace, sandbox, budget };
}

function tellAgent({ log }: Prompts, trial: AgentTrial, columns: number): void {
  if (trial.fault !== null) log.warn(lines(`It does not start: ${trial.fault}`, columns));
  else if (trial.version !== null) log.info(`It starts: version ${trial.version}`);
}

/** Behind the bar on the left. */
function lines(text: string, columns: number): string {
  return wrap(plainText(text), Math.max(20, columns - 4), '');
}

/** Whether the check may be run now; null when the person gave up. */
export async function askToTry(command: string): Promise<boolean | null> {
  const prompts = await import('@clack/prompts');
  const wanted = await prompts.confirm({
    message: `Try \`${command}\` once in a fresh worktree, which is removed again?`,
  });
  return prompts.isCancel(wanted) ? giveUp(prompts) : wanted;
}

/** Whether to add what the check lacks; null when the person gave up. */
export async function askForRemedy(
  reason: string,
  line: string,
  columns: number,
): Promise<boolean | null> {
  const prompts = await import('@clack/prompts');
  prompts.log.warn(lines(`The check could not run there: ${reason}`, columns));
  const wanted = await prompts.confirm({ message: `Add \`${line}\` and try again?` });
  return prompts.isCancel(wanted) ? null : wanted;
}

export async function endAsking(): Promise<void> {
  const prompts = await import('@clack/prompts');
  prompts.outro('That is all.');
}

function giveUp(prompts: Prompts): null {
  prompts.cancel('Nothing was written.');
  return null;
}

/** Undefined means given up, null means none. */
async function askForAgentSpec(
  prompts: Prompts,
  { findings, supervisor, folder }: Asking,
): Promise<AgentChoice | null | undefined> {
  const picked = await prompts.select({
    message: 'Which agent does the work?',
    options: [
      ...findings.agents.map(({ name, title }) => ({
        value: name,
        label: name,
        hint: `${title}, installed`,
      })),
      { value: 'command', label: 'another command', hint: 'reads its prompt from stdin' },
      { value: 'later', label: 'decide later', hint: 'give --agent with every run' },
    ],
  });
  if (prompts.isCancel(picked)) return undefined;
  if (picked === 'later') return null;
  if (picked !== 'command') return chooseAgent(picked, supervisor, folder);
  const command = await prompts.text({
    message: 'Which command?',
    placeholder: 'my-agent --auto',
    validate: (value) => (value?.trim() ? undefined : 'A command is needed.'),
  });
  return prompts.isCancel(command)
    ? undefined
    : { spec: `command:${command.trim()}`, command: null };
}

async function askForValidation(
  prompts: Prompts,
  { findings }: Asking,
): Promise<string | null | undefined> {
  const { tests } = findings;
  if (tests.length > 0) {
    const picked = await prompts.select({
      message: 'Which command proves that the work is done?',
      options: [
        ...tests.map(({ command, because }) => ({ value: command, label: command, hint: because })),
        { value: '', label: 'another command' },
      ],
    });
    if (prompts.isCancel(picked)) return undefined;
    if (picked !== '') return picked;
  }
  const typed = await prompts.text({
    message: 'Which command proves that the work is done? It must exit with 0.',
    placeholder: 'make test (leave empty to decide later)',
    defaultValue: '',
  });
  if (prompts.isCancel(typed)) return undefined;
  return typed.trim() === '' ? null : typed.trim();
}

async function askForWorkspace(
  prompts: Prompts,
  { findings, proposal }: Asking,
): Promise<Pick<Choice, 'dir' | 'link' | 'copy' | 'setup'> | undefined> {
  const { link, copy } = proposal;
  let { dir, setup } = proposal;
  if (dir !== null) {
    const outside = await prompts.confirm({
      message: `Put the worktrees of loops into ${dir}? (${findings.place?.because ?? ''})`,
    });
    if (prompts.isCancel(outside)) return undefined;
    if (!outside) dir = null;
  }
  if (setup !== null) {
    const wanted = await prompts.confirm({ message: `Run \`${setup}\` in every new worktree?` });
    if (prompts.isCancel(wanted)) return undefined;
    if (!wanted) setup = null;
  }
  const files = [...link, ...copy];
  if (files.length === 0) return { dir, setup, link, copy };
  const brought = await prompts.multiselect({
    message: 'Which ignored files does a fresh worktree need for the checks?',
    options: files.map((file) => ({
      value: file,
      label: file,
      hint: link.includes(file) ? 'linked' : 'copied',
    })),
    initialValues: files,
    required: false,
  });
  if (prompts.isCancel(brought)) return undefined;
  const isWanted = (file: string): boolean => brought.includes(file);
  return { dir, setup, link: link.filter(isWanted), copy: copy.filter(isWanted) };
}
