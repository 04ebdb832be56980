import { createSupervisor } from '../../adapters/process/supervisor.ts';
import type { Settings } from '../../core/config/schema.ts';
import { plainText } from '../../core/text/terminal.ts';
import type { Supervisor } from '../../ports/process.ts';
import type { Command, CommandInput } from '../command.ts';
import type { CliContext } from '../context.ts';
import { exitCodes } from '../exit-code.ts';
import { wantsJson } from '../input.ts';
import { askForAgent, type AgentAnswer } from '../init/driven-agent.ts';
import {
  findInstalledAgents,
  knownAgents,
  readVersion,
} from '../../adapters/agents/installed-agents.ts';
import { createPaint, type Style } from '../render/paint.ts';
import { renderTable, type Cell } from '../render/table.ts';
import { wrap } from '../render/wrap.ts';
import { findConfig } from './config-values.ts';

export const agentsList: Command = {
  path: ['agents', 'list'],
  summary: 'Show which agents are installed and configured, and how to use them.',
  examples: [
    {
      line: 'loopwright agents list',
      does: 'Shows every agent this machine and this repository know.',
    },
    { line: 'loopwright agents list --json', does: 'The same for programs.' },
  ],
  run: runAgentsList,
};

/** An agent as one line. */
type AgentLine = {
  readonly name: string;
  readonly source: 'built-in' | 'configured';
  /** What it is, or the command behind it. */
  readonly what: string;
  /** Whether its program is on PATH; null when that is not known. */
  readonly installed: boolean | null;
  readonly version: string | null;
  /** Whether this version of Loopwright can drive it by its name. */
  readonly usable: boolean;
  /** What to write instead, or what is wrong; null when all is well. */
  readonly hint: string | null;
  /** The one loops get when nothing else is said. */
  readonly chosen: boolean;
};

async function runAgentsList(input: CommandInput, context: CliContext): Promise<number> {
  const { root, config } = await findConfig(context);
  await using supervisor = createSupervisor({ clock: context.clock });
  const builtIn = await builtInAgents(config.settings, supervisor, root, context);
  const configured = await configuredAgents(config.settings, supervisor, root, builtIn);
  // A configured agent stands in front of the built-in one of the same name.
  const names = new Set(configured.map(({ name }) => name));
  const listed = [...configured, ...builtIn.filter(({ name }) => !names.has(name))];
  const { agent } = config.settings;
  const agents = agent === null ? withDefault(listed, builtIn) : listed;
  const text = wantsJson(input)
    ? `${JSON.stringify({ agents, agent, forms })}\n`
    : renderAgents(agents, agent, context);
  context.out.write(text);
  return exitCodes.ok;
}

/** Where no agent is configured, loops get the first known one that is installed. */
function withDefault(
  agents: readonly AgentLine[],
  known: readonly AgentLine[],
): readonly AgentLine[] {
  const first = known.find(({ installed }) => installed === true)?.name;
  return agents.map((agent) => ({ ...agent, chosen: agent.name === first }));
}

async function configuredAgents(
  { agent: chosen, agents }: Settings,
  supervisor: Supervisor,
  folder: string,
  builtIn: readonly AgentLine[],
): Promise<readonly AgentLine[]> {
  const lines = Object.entries(agents).map(async ([name, settings]): Promise<AgentLine> => {
    const answer = await askForAgent(name, agents, { supervisor, folder });
    const what = settings.command ?? settings.script ?? settings.kind ?? name;
    const program = programOf(settings, name);
    const same = builtIn.find((agent) => agent.name === program);
    return {
      name,
      source: 'configured',
      what: plainText(what),
      installed: same?.installed ?? null,
      version: same?.version ?? null,
      usable: answer.kind === 'ready',
      hint: hintOf(answer, null),
      chosen: chosen === name,
    };
  });
  return Promise.all(lines);
}

/** The known agent behind a configured one: its kind, or the program its command starts with. */
function programOf({ kind, command }: Settings['agents'][string], name: string): string {
  const isOwn = kind !== undefined && kind !== 'command' && kind !== 'acp' && kind !== 'scripted';
  if (isOwn) return kind;
  const word = command?.trim().split(/\s/, 1)[0] ?? name;
  return word.slice(word.lastIndexOf('/') + 1);
}

async function builtInAgents(
  { agent: chosen, agents }: Settings,
  supervisor: Supervisor,
  folder: string,
  { env }: CliContext,
): Promise<readonly AgentLine[]> {
  const installed = new Set((await findInstalledAgents(env)).map(({ name }) => name));
  const signal = AbortSignal.timeout(10_000);
  const lines = knownAgents.map(async ({ name, title, command }): Promise<AgentLine> => {
    const isInstalled = installed.has(name);
    const [version, answer] = await Promise.all([
      isInstalled ? readVersion(name, env, supervisor, signal) : null,
      askForAgent(name, {}, { supervisor, folder }),
    ]);
    return {
      name,
      source: 'built-in',
      what: title,
      installed: isInstalled,
      version,
      usable: isInstalled && answer.kind === 'ready',
      hint: isInstalled ? hintOf(answer, `--agent 'command:${command}'`) : null,
      chosen: chosen === name && !Object.hasOwn(agents, name),
    };
  });
  return Promise.all(lines);
}

function hintOf(answer: AgentAnswer, instead: string | null): string | null {
  if (answer.kind === 'ready') return null;
  if (answer.kind === 'not-built') return instead ?? answer.hint;
  return [answer.message, answer.hint].filter((part) => part !== null).join(' ');
}

const forms = [
  { form: 'native', what: 'our own agent: an API key, and nothing to install' },
  { form: 'acp:CMD', what: 'any server of the Agent Client Protocol, such as `gemini --acp`' },
  { form: 'command:CMD', what: 'any shell command that reads its prompt from stdin' },
  { form: 'scripted:FILE', what: 'a YAML script of steps, for demos and your own tests' },
];

function renderAgents(
  agents: readonly AgentLine[],
  chosen: string | null,
  { out }: CliContext,
): string {
  const paint = createPaint(out.hasColour);
  const width = out.isTerminal ? out.columns : 100;
  const rows = agents.map((agent): readonly Cell[] => {
    const [word, style] = stateOf(agent);
    const name = agent.chosen ? `${agent.name} *` : agent.name;
    return [name, { text: word, style }, agent.version ?? '–', agent.what];
  });
  const columns = [
    { heading: 'AGENT' },
    { heading: 'STATE' },
    { heading: 'VERSION' },
    { heading: 'WHAT', flexible: true },
  ];
  const nameWidth = Math.max(...agents.map(({ name }) => name.length));
  // Never wrapped: it is there to be copied.
  const hints = agents
    .filter(({ hint }) => hint !== null)
    .map(({ name, hint }) => `  ${name.padEnd(nameWidth)}  ${plainText(hint ?? '')}`);
  const others = forms.map(({ form, what }) =>
    wrap(what, width, `  ${form.padEnd(15)}`, ' '.repeat(17)),
  );
  return [
    renderTable(columns, rows, width, paint).trimEnd(),
    ...(hints.length === 0
      ? []
      : ['', 'Not driven by name yet; use them as plain commands:', ...hints]),
    '',
    'Always there:',
    ...others,
    '',
    chosenLine(agents, chosen, paint('dim', 'next:')),
    '',
  ].join('\n');
}

function stateOf({ source, installed, usable }: AgentLine): readonly [word: string, style: Style] {
  if (source === 'configured') return usable ? ['configured', 'green'] : ['unusable', 'red'];
  if (installed !== true) return ['not found', 'dim'];
  return usable ? ['ready', 'green'] : ['found, not driven yet', 'yellow'];
}

function chosenLine(agents: readonly AgentLine[], chosen: string | null, next: string): string {
  if (chosen !== null) {
    const isListed = agents.some((agent) => agent.chosen);
    return isListed
      ? '* is what loops get when nothing else is said.'
      : `Loops get \`${plainText(chosen)}\` when nothing else is said.`;
  }
  if (agents.some((agent) => agent.chosen)) {
    return '* is what loops get: the first one installed, since none is configured.';
  }
  return `${next}  no agent is configured; \`loopwright demo\` needs none, or give --agent with a run`;
}
