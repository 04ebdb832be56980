import type { AgentOutcomeKind } from '../agent/outcome.ts';
import type { Iteration } from '../loop/loop.ts';

/** Ends of an agent that are a cause of failure by themselves, whatever the checks say of the files it left. */
export type Cause = Exclude<AgentOutcomeKind, 'done' | 'interrupted'>;

/** Why the agent of an attempt did not come to the end of its work; null when it did, or was cut short on request. */
export function causeOf({ agent, status }: Pick<Iteration, 'agent' | 'status'>): Cause | null {
  if (agent === null) return status === 'timed_out' ? 'timeout' : null;
  return agent.kind === 'done' || agent.kind === 'interrupted' ? null : agent.kind;
}

const texts: Readonly<Record<Cause, string>> = {
  refused: 'the agent refused the work',
  max_tokens: 'the agent reached the token limit of an answer',
  max_turns: 'the agent reached its turn limit',
  budget: 'the budget was used up',
  context_full: 'the context of the agent was full',
  rate_limited: 'the provider limited the rate of requests',
  usage_limit: 'the usage limit was reached',
  auth: 'the agent was not signed in',
  api_error: 'a request to the model failed',
  denied: 'the agent was denied a permission',
  timeout: 'the agent timed out',
  hung: 'the agent hung and was ended',
  crashed: 'the agent crashed',
};

/** The cause in words, for people and prompts. */
export function causeText(cause: Cause): string {
  return texts[cause];
}
