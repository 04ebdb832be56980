/** Which agents there are: ad hoc by prefix, configured by name, or built in. A new adapter is one line here. */
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { nearest } from '../../core/text/nearest.ts';
import type { AgentRunner } from '../../ports/agent.ts';
import type { Supervisor } from '../../ports/process.ts';
import { createCommandAgent } from './command/command-agent.ts';
import { createAgentRunner, type AgentPreset } from './run-agent.ts';
import { createNativeAgent, type NativeSettings } from './native/native-agent.ts';
import { createScriptedAgent } from './scripted/scripted-agent.ts';
import { readScript } from './scripted/script.ts';

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
};

export type AgentSurroundings = {
  readonly supervisor: Supervisor;
  /** What relative paths of scripts start from: the user's checkout or working folder, never a worktree. */
  readonly folder: string;
};

/** Agents whose adapters do not exist yet, with what runs them as a plain command until then. */
const notBuilt = new Map([
  ['claude', 'claude -p --permission-mode acceptEdits'],
  ['codex', 'codex exec --sandbox workspace-write -'],
  ['gemini', 'gemini --approval-mode yolo'],
  ['opencode', 'opencode run'],
  ['pi', 'pi -p'],
  ['acp', 'my-agent'],
]);
const notBuiltFormats = [
  'claude-stream',
  'codex-stream',
  'gemini-stream',
  'opencode-stream',
  'pi-stream',
];

/**
 * The agent a spec names: `command:CMD`, `scripted:FILE`, or a name, of which the configured ones come first. Throws
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
    case 'command':
      requireFormat(name, settings.format ?? 'text');
      return createAgentRunner(
        createCommandAgent(name, required(settings.command, name, 'command')),
        supervisor,
        preset,
      );
    case 'scripted': {
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
      throw isNotBuilt(settings.kind) ? notBuiltYet(settings.kind) : unknown(settings.kind, agents);
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
  if (prefix === 'acp' && rest !== undefined) return { name: 'acp', kind: 'acp', command: rest };
  return { name: spec, kind: spec };
}

function kindOf(settings: AgentSettings, name: string): string {
  if (settings.kind !== undefined) return settings.kind;
  if (settings.script !== undefined) return 'scripted';
  if (settings.command !== undefined) return 'command';
  return name;
}

function required(value: string | undefined, name: string, key: string): string {
  if (value !== undefined && value !== '') return value;
  throw new LoopwrightError('agent.invalid', `The agent \`${name}\` has no ${key}.`, {
    hint: key === 'script' ? 'Write `scripted:FILE`.' : 'Write `command:CMD`.',
  });
}

function requireFormat(name: string, format: string): void {
  if (format === 'text') return;
  if (notBuiltFormats.includes(format)) {
    throw new LoopwrightError(
      'agent.not_built',
      `The output format \`${format}\` of the agent \`${name}\` is not built yet.`,
      { hint: 'Use `format: text`: what the command prints is its final message.' },
    );
  }
  throw new LoopwrightError(
    'agent.invalid',
    `The agent \`${name}\` has the unknown output format \`${format}\`.`,
    { hint: 'Use `format: text`.' },
  );
}

function isNotBuilt(kind: string): boolean {
  return notBuilt.has(kind);
}

function notBuiltYet(kind: string): LoopwrightError {
  return new LoopwrightError('agent.not_built', `The agent \`${kind}\` is not built yet.`, {
    hint: `Use a command that reads its prompt from stdin: \`--agent 'command:${notBuilt.get(kind)}'\`.`,
    details: { agent: kind },
  });
}

function unknown(name: string, agents: Readonly<Record<string, AgentSettings>>): LoopwrightError {
  const names = [...Object.keys(agents), ...notBuilt.keys(), 'native'].filter(
    (known) => known !== 'acp',
  );
  const close = nearest(name, names);
  const question = close === null ? '' : ` Did you mean \`${close}\`?`;
  return new LoopwrightError('agent.unknown', `There is no agent \`${name}\`.${question}`, {
    hint: `Agents are: ${names.join(', ')}, \`command:CMD\`, \`scripted:FILE\`.`,
    details: { agent: name, known: names },
  });
}
