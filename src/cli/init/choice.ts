import { LoopwrightError } from '../../core/error.ts';
import type { Supervisor } from '../../ports/process.ts';
import { askForAgent } from './driven-agent.ts';
import type { Findings } from './findings.ts';
import { knownAgents } from '../../adapters/agents/installed-agents.ts';

/** What goes into the file. */
export type Choice = {
  readonly agent: AgentChoice | null;
  readonly validation: string | null;
  readonly dir: string | null;
  readonly link: readonly string[];
  readonly copy: readonly string[];
  readonly setup: string | null;
  readonly sandbox: SandboxLevel;
  /** US dollars; null: no limit. */
  readonly budget: { readonly loop: number | null; readonly run: number | null };
};

/** Isolation that this version can give. */
export type SandboxLevel = 'off' | 'worktree' | 'bubblewrap';

export type AgentChoice = {
  /** A name, `command:CMD` or `scripted:FILE`. */
  readonly spec: string;
  /** Defines the name as a plain command; null when it needs no definition. */
  readonly command: string | null;
};

export type Given = { readonly agent: string | null; readonly validation: string | null };

/** Every proposal, except where the command line says otherwise. */
export async function proposeChoice(
  findings: Findings,
  given: Given,
  supervisor: Supervisor,
  folder: string,
): Promise<Choice> {
  const { place, files, tests } = findings;
  const spec = given.agent ?? findings.agents[0]?.name ?? null;
  return {
    agent: spec === null ? null : await chooseAgent(spec, supervisor, folder),
    validation: given.validation ?? tests[0]?.command ?? null,
    dir: place?.dir ?? null,
    link: files.link,
    copy: files.copy,
    setup: files.setup,
    sandbox: 'off',
    budget: { loop: null, run: null },
  };
}

/**
 * A known agent without an adapter is written down as the command that runs it. Throws `init.agent` for one that
 * cannot be used.
 */
export async function chooseAgent(
  spec: string,
  supervisor: Supervisor,
  folder: string,
): Promise<AgentChoice> {
  const answer = await askForAgent(spec, {}, { supervisor, folder });
  if (answer.kind === 'ready') return { spec, command: null };
  const known = knownAgents.find(({ name }) => name === spec);
  if (answer.kind === 'not-built' && known !== undefined) return { spec, command: known.command };
  const message =
    answer.kind === 'broken' ? answer.message : `The agent \`${spec}\` is not built yet.`;
  throw new LoopwrightError(
    'init.agent',
    message,
    answer.hint === null ? {} : { hint: answer.hint },
  );
}
