/** Errors of OpenAI and of the many who answer like it, as agents hand them on. */
import type { AgentOutcomeKind } from '../../core/agent/outcome.ts';
import { numberAt, objectAt, readObject, textAt } from '../../core/json/fields.ts';

export type OpenaiError = {
  /** Null: its code says nothing beyond its status. */
  readonly kind: AgentOutcomeKind | null;
  readonly resetAtMs: number | null;
};

/** Reads the JSON of an error, with or without its `error` around it. */
export function readOpenaiError(json: string): OpenaiError {
  const body = readObject(json);
  const inner = objectAt(body, 'error');
  const error = Object.keys(inner).length > 0 ? inner : body;
  const code = textAt(error, 'code') || textAt(error, 'type');
  const resetsAt = numberAt(error, 'resets_at');
  return { kind: kindOfCode(code), resetAtMs: resetsAt === null ? null : resetsAt * 1000 };
}

function kindOfCode(code: string): AgentOutcomeKind | null {
  switch (code) {
    case 'context_length_exceeded':
      return 'context_full';
    case 'usage_limit_reached':
      return 'usage_limit';
    case 'insufficient_quota':
      return 'auth';
    default:
      return null;
  }
}
