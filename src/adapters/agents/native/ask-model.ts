import {
  afterFailure,
  type ModelFailure,
  type RetryPolicy,
} from '../../../core/agent/native/failure.ts';
import { textOf, type ModelReply } from '../../../core/agent/native/message.ts';
import type { AgentOutcomeKind } from '../../../core/agent/outcome.ts';
import type { Clock, Random } from '../../../ports/clock.ts';
import type { ModelClient, ModelRequest } from '../../../ports/model-client.ts';
import type { Meter } from './meter.ts';
import type { Speaker, StreamEvent } from './stream.ts';

export type AskParts = {
  readonly client: ModelClient;
  readonly retries: RetryPolicy;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly random: Random;
  readonly speaker: Speaker;
  readonly print: (event: StreamEvent) => void;
};

export type Asked =
  | { readonly kind: 'replied'; readonly reply: ModelReply }
  | { readonly kind: 'failed'; readonly outcome: AgentOutcomeKind; readonly failure: ModelFailure };

/** One reply, asked for as often as is worthwhile. A request is repeated whole: no tool of a broken reply has run. */
export async function askModel(
  parts: AskParts,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Asked> {
  const { client, retries, meter, clock, random, speaker, print } = parts;
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = clock.monotonic();
    const answer = await client.send(request, signal);
    if (answer.kind === 'replied') {
      const { reply } = answer;
      const durationMs = Math.round(clock.monotonic() - startedAt);
      const [sent, received] = [sizeOf(request), sizeOf(reply.content)];
      print({ type: 'replied', speaker, stop: reply.stopWord, durationMs, sent, received });
      meter.spent(reply.tokens, speaker);
      const text = textOf(reply).trim();
      if (text !== '')
        print({ type: 'said', speaker, text: text.slice(0, maxSaidChars).toWellFormed() });
      return { kind: 'replied', reply };
    }
    const { failure } = answer;
    const next = afterFailure(failure, attempt, retries, random.next());
    if (next.kind === 'end') return { kind: 'failed', outcome: next.outcome, failure };
    const { waitMs } = next;
    print({ type: 'waiting', speaker, attempt: attempt + 1, waitMs, reason: failure.message });
    await clock.sleep(waitMs, signal);
  }
}

const maxSaidChars = 100_000;

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
