/** Which agents there are: ad hoc by prefix, configured by name, or built in. A new adapter is one line here. */
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { AgentRunner } from '../../ports/agent.ts';
import type { Supervisor } from '../../ports/process.ts';
import { createAcpAgent } from './acp/acp-agent.ts';
import type { CliSettings } from './cli-agent.ts';
import {
  agentOfFormat,
  cliAgents,
  cliAgentsWithAddress,
  createStreamingCommand,
  isCliAgent,
  withCliAgent,
  type CliAgent,
} from './cli-registry.ts';
import { createCommandAgent } from './command/command-agent.ts';
import { createAgentRunner, type AgentPreset } from './run-agent.ts';
import type { ModelSource } from './model-question.ts';
import { opencodeQuestion } from './opencode/opencode-models.ts';
import { piQuestion } from './pi/pi-models.ts';
import { createNativeAgent, type NativeSettings } from './native/native-agent.ts';
import { createScriptedAgent } from './scripted/scripted-agent.ts';
import { isRoot } from '../process/own-process.ts';

/** An entry of the configuration's `agents`, as far as this registry reads it. */
export type AgentSettings = NativeSettings & {
  /** The adapter; without one, a `command` makes it `command` and a `script` makes it `scripted`. */
  readonly kind?: string | undefined;
  readonly command?: string | undefined;
  readonly script?: string | undefined;
  /** How a command's output is read. */
  readonly format?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly model?: string | undefined;
  readonly args?: readonly string[] | undefined;
  readonly 'base-url'?: string | undefined;
  readonly 'key-variable'?: string | undefined;
};

export type AgentSurroundings = {
  readonly supervisor: Supervisor;
  /** What relative paths of scripts start from: the user's checkout or working folder, never a worktree. */
  readonly folder: string;
};

/**
 * The agent a spec names: `acp:CMD`, `command:CMD`, `scripted:FILE`, or a name, of which the configured ones come first. Throws
 * `agent.unknown`, `agent.not_built`, `agent.invalid`, or what is wrong with its script.
 */
export async function resolveAgent(
  spec: string,
  agents: Readonly<Record<string, AgentSettings>>,
  surroundings: AgentSurroundings,
): Promise<AgentRunner> {
  const settings = settingsOf(spec, agents);
  const { name } = settings;
  const preset: AgentPreset = { model: settings.model ?? null, env: settings.env ?? {} };
  const { supervisor, folder } = surroundings;
  switch (settings.kind) {
    case 'command': {
      const command = required(settings.command, name, 'command');
      const agent = agentOfStream(name, settings.format ?? 'text');
      return agent === null
        ? createAgentRunner(createCommandAgent(name, command), supervisor, preset)
        : createStreamingCommand(name, command, agent, supervisor, preset);
    }
    case 'acp':
      return createAgentRunner(
        createAcpAgent(name, required(settings.command, name, 'server')),
        supervisor,
        preset,
      );
    case 'scripted': {
      const { readScript } = await import('./scripted/script.ts');
      const file = path.resolve(folder, required(settings.script, name, 'script'));
      return createAgentRunner(
        createScriptedAgent(name, await readScript(file)),
        supervisor,
        preset,
      );
    }
    case 'native':
      return createAgentRunner(createNativeAgent(name, settings), supervisor, preset);
    default:
      if (isCliAgent(settings.kind)) {
        return withCliAgent(settings.kind, cliSettings(settings.kind, settings), (adapter) =>
          createAgentRunner(adapter, supervisor, preset),
        );
      }
      throw unknown(settings.kind, agents);
  }
}

/** What an agent is started as: a program, a text for a shell, or nothing that could be missing. */
export type AgentStart =
  | { readonly kind: 'program'; readonly name: string }
  | { readonly kind: 'shell'; readonly text: string };

export function startOf(
  spec: string,
  agents: Readonly<Record<string, AgentSettings>>,
): (AgentStart & Pick<AgentSettings, 'env'>) | null {
  const { kind, command, env } = settingsOf(spec, agents);
  if (isCliAgent(kind)) return { kind: 'program', name: command ?? kind, env };
  const isShell = kind === 'command' || kind === 'acp';
  return isShell && command !== undefined ? { kind: 'shell', text: command, env } : null;
}

/** Where an agent can say whether it knows a model; null: it cannot, or it takes names that it does not list. */
export function modelSourceOf(
  spec: string,
  agents: Readonly<Record<string, AgentSettings>>,
  model: string,
): ModelSource | null {
  const settings = settingsOf(spec, agents);
  switch (settings.kind) {
    case 'opencode':
      return {
        kind: 'program',
        question: opencodeQuestion(cliSettings('opencode', settings), model),
      };
    case 'pi':
      return { kind: 'program', question: piQuestion(cliSettings('pi', settings), model) };
    case 'native':
      return { kind: 'endpoint', settings };
    default:
      return null;
  }
}

type NamedSettings = AgentSettings & { readonly name: string; readonly kind: string };

function settingsOf(spec: string, agents: Readonly<Record<string, AgentSettings>>): NamedSettings {
  const configured = Object.hasOwn(agents, spec) ? agents[spec] : undefined;
  if (configured !== undefined)
    return { ...configured, name: spec, kind: kindOf(configured, spec) };
  const colon = spec.indexOf(':');
  const prefix = colon === -1 ? spec : spec.slice(0, colon);
  const rest = colon === -1 ? undefined : spec.slice(colon + 1).trim();
  if (prefix === 'command') return { name: 'command', kind: 'command', command: rest };
  if (prefix === 'scripted') return { name: 'scripted', kind: 'scripted', script: rest };
  if (prefix === 'acp') return { name: 'acp', kind: 'acp', command: rest };
  return { name: spec, kind: spec };
}

function kindOf(settings: AgentSettings, name: string): string {
  if (settings.kind !== undefined) return settings.kind;
  if (settings.script !== undefined) return 'scripted';
  if (settings.command !== undefined) return 'command';
  return name;
}

const hints = {
  script: 'Write `scripted:FILE`.',
  command: 'Write `command:CMD`.',
  server: 'Write `acp:CMD`.',
};

function required(value: string | undefined, name: string, key: keyof typeof hints): string {
  if (value !== undefined && value !== '') return value;
  throw new LoopwrightError('agent.invalid', `The agent \`${name}\` has no ${key}.`, {
    hint: hints[key],
  });
}

/** The agent whose stream a command prints; null when it prints text. */
function agentOfStream(name: string, format: string): CliAgent | null {
  if (format === 'text') return null;
  const agent = agentOfFormat(format);
  if (agent !== null) return agent;
  const known = ['text', ...cliAgents.map((each) => `${each}-stream`)];
  throw new LoopwrightError(
    'agent.invalid',
    `The agent \`${name}\` has the unknown output format \`${format}\`.`,
    { hint: `Formats are: ${known.join(', ')}.` },
  );
}

function cliSettings(kind: CliAgent, settings: NamedSettings): CliSettings {
  const baseUrl = settings['base-url'] ?? null;
  const keyVariable = settings['key-variable'] ?? null;
  if ((baseUrl ?? keyVariable) !== null && !cliAgentsWithAddress.includes(kind)) {
    throw new LoopwrightError(
      'agent.invalid',
      `The agent \`${settings.name}\` takes no \`base-url\` and no \`key-variable\`.`,
      { hint: `Set them in the configuration of ${kind} itself.` },
    );
  }
  return {
    name: settings.name,
    program: settings.command ?? kind,
    args: settings.args ?? [],
    baseUrl,
    keyVariable,
    isRoot,
  };
}

function unknown(name: string, agents: Readonly<Record<string, AgentSettings>>): LoopwrightError {
  const names = [...Object.keys(agents), ...cliAgents, 'native'];
  const close = nearest(name, names);
  const question = close === null ? '' : ` Did you mean \`${close}\`?`;
  return new LoopwrightError('agent.unknown', `There is no agent \`${name}\`.${question}`, {
    hint: `Agents are: ${names.join(', ')}, \`acp:CMD\`, \`command:CMD\`, \`scripted:FILE\`.`,
    details: { agent: name, known: names },
  });
}
