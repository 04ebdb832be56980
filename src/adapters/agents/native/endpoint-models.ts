import type { ModelKnowledge } from '../../../core/preflight/model-knowledge.ts';
import { listAt, objectAt, readObject, textAt } from '../../../core/json/fields.ts';
import { chooseEndpoint, type EndpointSettings } from './endpoint.ts';

type Environment = Readonly<Record<string, string>>;

const addresses = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com/v1',
} as const;

const maxAnswerChars = 2 * 1024 * 1024;

/**
 * Asks the endpoint for the model itself: a list need not hold every name that is accepted (aliases, variants). Only the
 * answer that providers give for a model that does not exist counts; another 404 may mean that there is no such address.
 */
export async function askEndpoint(
  settings: EndpointSettings,
  model: string,
  env: Environment,
  signal: AbortSignal,
): Promise<ModelKnowledge> {
  const { endpoint, obstacle } = chooseEndpoint(settings, model, env);
  if (obstacle !== null) return { kind: 'unsure' };
  const { provider, key } = endpoint;
  const base = (endpoint.baseUrl ?? addresses[provider]).replace(/\/+$/, '');
  const list = provider === 'anthropic' ? `${base}/v1/models` : `${base}/models`;
  const headers = headersFor(provider, key);
  const name = model.split('/').map(encodeURIComponent).join('/');
  const one = await get(`${list}/${name}`, headers, signal);
  if (one === null) return { kind: 'unsure' };
  if (one.status === 200) return { kind: 'known' };
  const said = one.status === 404 ? refusalIn(one.body) : null;
  if (said === null) return { kind: 'unsure' };
  const all = await get(list, headers, signal);
  return { kind: 'unknown', asked: list, said, models: all === null ? [] : namesIn(all.body) };
}

function headersFor(provider: keyof typeof addresses, key: string | null): Record<string, string> {
  if (provider === 'openai') return key === null ? {} : { authorization: `Bearer ${key}` };
  const version = { 'anthropic-version': '2023-06-01' };
  return key === null ? version : { ...version, 'x-api-key': key };
}

type Got = { readonly status: number; readonly body: string };

/** Null when there was no answer in time. */
async function get(
  url: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Got | null> {
  try {
    // A key never follows a redirect to another server.
    const response = await fetch(url, { headers, signal, redirect: 'error' });
    return { status: response.status, body: await boundedText(response) };
  } catch {
    // Offline, refused or too slow: then nothing is known, and the agent itself will say what is wrong.
    return null;
  }
}

async function boundedText({ body }: Response): Promise<string> {
  if (body === null) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxAnswerChars) break;
  }
  return text;
}

/** What a provider says of a model that it does not have; null for any other answer. */
function refusalIn(body: string): string | null {
  const error = objectAt(readObject(body), 'error');
  const isNamed =
    textAt(error, 'code') === 'model_not_found' || textAt(error, 'type') === 'not_found_error';
  return isNamed ? textAt(error, 'message') || 'model not found' : null;
}

function namesIn(body: string): readonly string[] {
  return listAt(readObject(body), 'data')
    .map((each) => textAt(each, 'id'))
    .filter((id) => id !== '');
}
