import { builtInAgents } from '../config/section/agents.ts';
import { headChars } from '../text/code-points.ts';
import { plainText } from '../text/terminal.ts';
import type { Settings } from '../config/schema.ts';

/** A provider as people are told of it: the host of an address, the program of a command line. */
export function providerName(provider: string): string {
  const [, host] = /^[a-z]+:\/\/(?:[^/@\s]*@)?([^/?#\s]+)/i.exec(provider) ?? [];
  if (host !== undefined) return host;
  const [, program] = /^(?:command|acp|scripted):\s*(\S+)/.exec(provider) ?? [];
  const name = program?.split('/').at(-1) ?? provider;
  return headChars(plainText(name === '' ? 'the agent' : name), maxNameChars);
}

const maxNameChars = 60;

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
