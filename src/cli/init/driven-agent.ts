import { resolveAgent, type AgentSettings } from '../../adapters/agents/registry.ts';
import { isLoopwrightError } from '../../core/error.ts';
import type { Supervisor } from '../../ports/process.ts';

/** Whether an agent can be used, and if not, why and what to do instead. */
export type AgentAnswer =
  | { readonly kind: 'ready' }
  | { readonly kind: 'not-built'; readonly hint: string | null }
  | { readonly kind: 'broken'; readonly message: string; readonly hint: string | null };

/** Asks the registry itself, so that a new adapter is known here without a further word. Starts nothing. */
export async function askForAgent(
  spec: string,
  agents: Readonly<Record<string, AgentSettings>>,
  surroundings: { readonly supervisor: Supervisor; readonly folder: string },
): Promise<AgentAnswer> {
  try {
    await resolveAgent(spec, agents, surroundings);
    return { kind: 'ready' };
  } catch (error) {
    if (!isLoopwrightError(error)) throw error;
    if (error.code === 'agent.not_built') return { kind: 'not-built', hint: error.hint };
    return { kind: 'broken', message: error.message, hint: error.hint };
  }
}
