/** Which wire format a path speaks. Pure. */
import { anthropic } from './dialect/anthropic.ts';
import { chat } from './dialect/chat.ts';
import type { WireFormat } from './dialect/dialect.ts';
import { gemini } from './dialect/gemini.ts';
import { responses } from './dialect/responses.ts';

export type Route =
  | { readonly kind: 'ask'; readonly format: WireFormat }
  | { readonly kind: 'count' }
  | { readonly kind: 'models' }
  | { readonly kind: 'unknown' };

export type Address = { readonly scenario: string; readonly runId: string; readonly rest: string };

/** `/s/<scenario>/<runId>/...`; null for every other path. */
export function readAddress(path: string): Address | null {
  const [, scenario, runId, rest] = /^\/s\/([^/]+)\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (scenario === undefined || runId === undefined) return null;
  return { scenario: decoded(scenario), runId: decoded(runId), rest: rest ?? '/' };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A broken escape names no scenario, which is then said.
    return text;
  }
}

export function routeOf(method: string, rest: string): Route {
  const path = rest.replace(/^(?:\/v1(?:beta|alpha)?)+(?=\/)/, '');
  if (path.endsWith('/count_tokens') || path.endsWith(':countTokens')) return { kind: 'count' };
  if (method === 'GET' && /^\/models(?:\/|$)/.test(path)) return { kind: 'models' };
  if (method !== 'POST') return { kind: 'unknown' };
  if (path === '/messages') return { kind: 'ask', format: anthropic };
  if (path === '/responses') return { kind: 'ask', format: responses };
  if (path === '/chat/completions') return { kind: 'ask', format: chat };
  if (/:(?:streamG|g)enerateContent$/.test(path)) return { kind: 'ask', format: gemini };
  return { kind: 'unknown' };
}

/** A list of models that Anthropic's, OpenAI's and Gemini's clients can all read. */
export const modelList = {
  object: 'list',
  has_more: false,
  data: [{ id: 'scripted-model', object: 'model', type: 'model', display_name: 'Scripted' }],
  models: [{ name: 'models/scripted-model', displayName: 'Scripted' }],
} as const;

/** A token count in every provider's words. */
export const tokenCount = { input_tokens: 1000, totalTokens: 1000 } as const;
