import { builtInAgents } from '../config/section/agents.ts';
import type { Settings } from '../config/schema.ts';

/**
 * Whose limits a loop with these settings is under: agents that speak to the same service share them, whatever they are called.
 * An agent that is only a command is its own.
 */
export function providerOf({ agent, agents }: Pick<Settings, 'agent' | 'agents'>): string {
  const name = agent ?? '';
  const configured = Object.hasOwn(agents, name) ? agents[name] : undefined;
  const kind = configured?.kind ?? builtInAgents.find((builtIn) => builtIn === name);
  if (kind === undefined || !builtInAgents.some((builtIn) => builtIn === kind)) return name;
  return configured?.['base-url'] ?? configured?.provider ?? kind;
}
