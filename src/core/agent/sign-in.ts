import type { Settings } from '../config/schema.ts';
import { providerName, providerOf } from './provider.ts';

/** How people sign in with the agents that have a way of their own. */
const ways: Readonly<Record<string, string>> = {
  claude: 'run `claude` and type /login, or set ANTHROPIC_API_KEY',
  codex: 'run `codex login`, or set the key that it is configured with',
  gemini: 'run `gemini` and sign in, or set GEMINI_API_KEY',
  opencode: 'run `opencode auth login`',
  pi: 'run `pi` and sign in, or set the key of its provider',
  native: 'set a valid key, such as ANTHROPIC_API_KEY or OPENAI_API_KEY',
};

/** What a person has to do so that agents with these settings can sign in. */
export function signInText({ agent, agents }: Pick<Settings, 'agent' | 'agents'>): string {
  const configured = Object.hasOwn(agents, agent ?? '') ? agents[agent ?? ''] : undefined;
  const key = configured?.['key-variable'];
  if (key !== undefined) return `give it a valid key in ${key}`;
  const kind = configured?.kind ?? agent ?? '';
  const way = Object.hasOwn(ways, kind) ? ways[kind] : undefined;
  return way ?? 'sign in with its own program or give it a valid key';
}

/** Why a loop rests, and how it goes on. */
export function signInRest(settings: Pick<Settings, 'agent' | 'agents'>, evidence: string | null) {
  const said = evidence === null ? '' : `: ${evidence}`;
  const text = `${providerName(providerOf(settings))} wants a sign-in${said}; ${signInText(settings)}; then \`loopwright run\` goes on with it`;
  return { status: 'blocked', reason: 'auth', text } as const;
}
