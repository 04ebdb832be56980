import type { Tokens } from '../../../core/agent/outcome.ts';
import { listAt, numberAt, textAt, valueAt } from './json-path.ts';

/** What an answer says was used; null when it does not say. Agents differ in where they put it. */
export function tokensOf(answer: unknown): Tokens | null {
  return fromUsage(valueAt(answer, 'usage')) ?? fromQuota(valueAt(answer, '_meta', 'quota'));
}

/** Which model was used, where an agent says so in its answer only. */
export function modelOf(answer: unknown): string | null {
  return textAt(listAt(answer, '_meta', 'quota', 'model_usage')[0], 'model');
}

function fromUsage(usage: unknown): Tokens | null {
  const input = numberAt(usage, 'inputTokens');
  const output = numberAt(usage, 'outputTokens');
  if (input === null || output === null) return null;
  const cacheRead = numberAt(usage, 'cachedReadTokens') ?? 0;
  const cacheWrite = numberAt(usage, 'cachedWriteTokens') ?? 0;
  const thought = numberAt(usage, 'thoughtTokens') ?? 0;
  const total = numberAt(usage, 'totalTokens');
  // By the total one sees whether the input includes what came from the cache, and the output the thoughts.
  const isInside = total === input + output || total === input + output + thought;
  const extra = total === input + output + cacheRead + cacheWrite + thought ? thought : 0;
  return {
    input: isInside ? Math.max(0, input - cacheRead - cacheWrite) : input,
    output: output + extra,
    cacheRead,
    cacheWrite,
  };
}

function fromQuota(quota: unknown): Tokens | null {
  const input = numberAt(quota, 'token_count', 'input_tokens');
  const output = numberAt(quota, 'token_count', 'output_tokens');
  if (input === null || output === null) return null;
  return { input, output, cacheRead: 0, cacheWrite: 0 };
}
