/** What the player is told on stdin, and what it prints: one JSON object per line. */
import type { AgentOutcomeKind, Activity, Tokens } from '../../../core/agent/outcome.ts';
import type { ScriptIteration } from './script.ts';

/** One iteration, ready to be played: placeholders filled, steps that do not apply left out. */
export type Performance = ScriptIteration;

export type PlayerEvent =
  | { readonly type: 'started'; readonly model: string | null }
  | { readonly type: 'activity'; readonly kind: Activity['kind']; readonly text: string }
  | { readonly type: 'usage'; readonly tokens: Tokens; readonly costUsd: number | null }
  | {
      readonly type: 'result';
      readonly kind: AgentOutcomeKind;
      readonly finalText: string;
      readonly evidence: string;
      readonly retryAfterMs: number | null;
      readonly resetAtMs: number | null;
    }
  /** The script asks for something impossible; no result follows. */
  | { readonly type: 'failed'; readonly reason: string };
