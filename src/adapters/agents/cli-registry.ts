/** The agents that are programs of their own, and the formats of their streams. A new one is one line in each list. */
import type { AgentAdapter, AgentRunner } from '../../ports/agent.ts';
import type { Supervisor } from '../../ports/process.ts';
import { createClaudeAgent } from './claude/claude-agent.ts';
import type { CliSettings } from './cli-agent.ts';
import { createCodexAgent } from './codex/codex-agent.ts';
import { createCommandAgent } from './command/command-agent.ts';
import { createGeminiAgent } from './gemini/gemini-agent.ts';
import { createOpencodeAgent } from './opencode/opencode-agent.ts';
import { createPiAgent } from './pi/pi-agent.ts';
import { createAgentRunner, type AgentPreset } from './run-agent.ts';

export const cliAgents = ['claude', 'codex', 'gemini', 'opencode', 'pi'] as const;
export type CliAgent = (typeof cliAgents)[number];

/** Those that can be told the address of their model's API here; the others have files for it. */
export const cliAgentsWithAddress: readonly CliAgent[] = ['claude', 'codex', 'gemini'];

export function isCliAgent(name: string): name is CliAgent {
  return cliAgents.some((known) => known === name);
}

/** What is done with an adapter, whatever its state is. */
type Use<T> = <S>(adapter: AgentAdapter<S>) => T;

export function withCliAgent<T>(agent: CliAgent, settings: CliSettings, use: Use<T>): T {
  switch (agent) {
    case 'claude':
      return use(createClaudeAgent(settings));
    case 'codex':
      return use(createCodexAgent(settings));
    case 'gemini':
      return use(createGeminiAgent(settings));
    case 'opencode':
      return use(createOpencodeAgent(settings));
    case 'pi':
      return use(createPiAgent(settings));
  }
}

/** The agent whose stream a format names: `claude-stream` is what claude prints. */
export function agentOfFormat(format: string): CliAgent | null {
  return cliAgents.find((agent) => format === `${agent}-stream`) ?? null;
}

/** A command that prints the stream of a known agent: a wrapper around it, or another program that speaks like it. */
export function createStreamingCommand(
  name: string,
  command: string,
  agent: CliAgent,
  supervisor: Supervisor,
  preset: AgentPreset,
): AgentRunner {
  const settings: CliSettings = {
    name,
    program: agent,
    args: [],
    baseUrl: null,
    keyVariable: null,
    isRoot: false,
  };
  const plain = createCommandAgent(name, command);
  return withCliAgent(agent, settings, ({ canResume: _unknown, ...adapter }) =>
    // Nobody knows how such a program is told to go on with a session.
    createAgentRunner({ ...adapter, command: (run) => plain.command(run) }, supervisor, preset),
  );
}
