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

/** How the evidence of an agent begins that knows which key it used; the variable follows. */
export const refusedKey = 'the key in ';

/** What a person has to do so that agents with these settings can sign in. */
function signInText(
  { agent, agents }: Pick<Settings, 'agent' | 'agents'>,
  evidence: string | null,
): string {
  if (evidence?.startsWith(refusedKey) === true) return 'correct it';
  const configured = Object.hasOwn(agents, agent ?? '') ? agents[agent ?? ''] : undefined;
  const key = configured?.['key-variable'];
  if (key !== undefined) return `give it a valid key in ${key}`;
  const kind = configured?.kind ?? agent ?? '';
  const way = Object.hasOwn(ways, kind) ? ways[kind] : undefined;
  return way ?? 'sign in with its own program or give it a valid key';
}

/** Which provider refused, what it said, and what to do: `native wants a sign-in (...): correct it, then \`loopwright run\``. */
export function signInNotice(
  settings: Pick<Settings, 'agent' | 'agents'>,
  evidence: string | null,
): string {
  const said = evidence === null ? '' : ` (${evidence})`;
  return `${providerName(providerOf(settings))} wants a sign-in${said}: ${signInText(settings, evidence)}, then \`loopwright run\``;
}

/** Why a loop rests, and how it continues. */
export function signInRest(settings: Pick<Settings, 'agent' | 'agents'>, evidence: string | null) {
  return { status: 'blocked', reason: 'auth', text: signInNotice(settings, evidence) } as const;
}
