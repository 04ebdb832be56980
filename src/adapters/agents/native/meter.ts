import { addTokens, totalTokens, type Tokens } from '../../../core/agent/outcome.ts';
import type { Speaker, StreamEvent } from './stream.ts';

/** Adds up what a run uses, and says so after every reply. */
export type Meter = { spent(tokens: Tokens | null, speaker: Speaker): void };

export function createMeter(
  contextWindow: number | null,
  print: (event: StreamEvent) => void,
): Meter {
  let total: Tokens | null = null;
  let context: number | null = null;
  return {
    spent(tokens, speaker) {
      if (tokens === null) return;
      total = addTokens(total, tokens) ?? tokens;
      if (speaker === 'main' && contextWindow !== null) {
        context = Math.round((totalTokens(tokens) / contextWindow) * 1000) / 10;
      }
      print({ type: 'usage', tokens: total, context });
    },
  };
}
