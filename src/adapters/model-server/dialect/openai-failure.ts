import type { Failure } from './dialect.ts';

const codes: Readonly<Record<number, readonly [type: string, code: string]>> = {
  400: ['invalid_request_error', 'invalid_request'],
  401: ['invalid_request_error', 'invalid_api_key'],
  403: ['invalid_request_error', 'permission_denied'],
  404: ['invalid_request_error', 'model_not_found'],
  429: ['requests', 'rate_limit_exceeded'],
};

/** OpenAI's errors, the same for both of its interfaces. */
export function openaiFailure({ status, problem, resetAtMs }: Failure) {
  const [type, code] = codes[status] ?? ['server_error', 'server_error'];
  if (problem === 'context') {
    const message =
      "This model's maximum context length is 200000 tokens: your input exceeds the context window of this model.";
    return {
      headers: {},
      body: { error: { message, type, code: 'context_length_exceeded', param: 'input' } },
    };
  }
  if (problem === 'usage') {
    const error = {
      type: 'usage_limit_reached',
      code: 'usage_limit_reached',
      message: 'The usage limit has been reached',
      plan_type: 'plus',
      resets_at: Math.floor(resetAtMs / 1000),
    };
    return { headers: {}, body: { error } };
  }
  return {
    headers: {},
    body: { error: { message: `Scripted status ${status}.`, type, code, param: null } },
  };
}
