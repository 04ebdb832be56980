import type { Endpoint } from '../../../ports/model-client.ts';
import type { Assignment } from './assignment.ts';

/** What the configuration says about the endpoint, in its own words. */
export type EndpointSettings = {
  readonly provider?: 'anthropic' | 'openai' | undefined;
  readonly 'base-url'?: string | undefined;
  readonly 'key-variable'?: string | undefined;
  readonly 'max-output-tokens'?: number | undefined;
  readonly 'context-window'?: number | undefined;
};

type Provider = Endpoint['provider'];
type Environment = Readonly<Record<string, string>>;

const keyVariables: Readonly<Record<Provider, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
};
const addressVariables: Readonly<Record<Provider, string>> = {
  anthropic: 'ANTHROPIC_BASE_URL',
  openai: 'OPENAI_BASE_URL',
};
const defaultModels: Readonly<Record<Provider, string>> = {
  anthropic: 'claude-sonnet-5',
  openai: 'gpt-5.5',
};
const anthropicWindow = 200_000;

/** Time without a byte after which a request has failed: models think for long, but they say so. */
const stallMs = 120_000;

/** Which variables the agent is to be given. */
export function endpointVariables(settings: EndpointSettings): readonly string[] {
  const { provider, 'key-variable': keyVariable } = settings;
  const providers: readonly Provider[] =
    provider === undefined ? ['anthropic', 'openai'] : [provider];
  const names = providers.flatMap((each) => [keyVariables[each], addressVariables[each]]);
  return keyVariable === undefined ? names : [keyVariable, ...names];
}

/** Variables that hold keys of models; commands of the agent never see them. */
export function withoutKeys(env: Environment, settings: EndpointSettings): Environment {
  const keys = new Set([
    ...Object.values(keyVariables),
    'ANTHROPIC_AUTH_TOKEN',
    settings['key-variable'] ?? '',
  ]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !keys.has(name)));
}

export type ChosenEndpoint = {
  readonly endpoint: Endpoint;
  readonly keyVariable: string;
  readonly contextWindow: number | null;
  readonly obstacle: Assignment['obstacle'];
};

/** Configuration first, then the usual variables. An endpoint of the user's own needs no key, but a model. */
export function chooseEndpoint(
  settings: EndpointSettings,
  model: string | null,
  env: Environment,
): ChosenEndpoint {
  const provider = settings.provider ?? guessProvider(env);
  const keyVariable = settings['key-variable'] ?? keyVariables[provider];
  const key = env[keyVariable]?.trim() || null;
  const baseUrl = settings['base-url'] ?? (env[addressVariables[provider]]?.trim() || null);
  const endpoint: Endpoint = {
    provider,
    baseUrl,
    key,
    model: model ?? defaultModels[provider],
    maxOutputTokens: settings['max-output-tokens'] ?? null,
    stallMs,
  };
  const window = provider === 'anthropic' ? anthropicWindow : null;
  return {
    endpoint,
    keyVariable,
    contextWindow: settings['context-window'] ?? window,
    obstacle: obstacleOf(endpoint, keyVariable, model),
  };
}

function guessProvider(env: Environment): Provider {
  const hasKey = (provider: Provider): boolean => (env[keyVariables[provider]] ?? '') !== '';
  return !hasKey('anthropic') && hasKey('openai') ? 'openai' : 'anthropic';
}

function obstacleOf(
  { provider, baseUrl, key }: Endpoint,
  keyVariable: string,
  model: string | null,
): Assignment['obstacle'] {
  if (key === null && baseUrl === null) {
    return { kind: 'auth', evidence: `there is no API key: set ${keyVariable}` };
  }
  if (provider === 'openai' && baseUrl !== null && model === null) {
    const evidence = 'there is no model: give --model, or `model` where the agent is configured';
    return { kind: 'crashed', evidence };
  }
  return null;
}
