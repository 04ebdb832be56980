import {
  afterFailure,
  type ModelFailure,
  type RetryPolicy,
} from '../../../core/agent/native/failure.ts';
import { textOf, type ModelReply } from '../../../core/agent/native/message.ts';
import { totalTokens, type AgentOutcomeKind } from '../../../core/agent/outcome.ts';
import type { Clock, Random } from '../../../ports/clock.ts';
import type { ModelAnswer, ModelClient, ModelRequest } from '../../../ports/model-client.ts';
import type { DoorClient, Leave } from './door-client.ts';
import type { Meter } from './meter.ts';
import type { Speaker, StreamEvent } from './stream.ts';

export type AskParts = {
  readonly client: ModelClient;
  readonly retries: RetryPolicy;
  readonly meter: Meter;
  readonly clock: Clock;
  readonly door: DoorClient;
  readonly random: Random;
  readonly speaker: Speaker;
  readonly print: (event: StreamEvent) => void;
};

export type Asked =
  | { readonly kind: 'replied'; readonly reply: ModelReply }
  | {
      readonly kind: 'failed';
      readonly outcome: AgentOutcomeKind;
      readonly failure: ModelFailure;
      /** How often the request was repeated. */
      readonly retries: number;
    };

/** One reply, asked for as often as is worthwhile. A request is repeated whole: no tool of a broken reply has run. */
export async function askModel(
  parts: AskParts,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<Asked> {
  const { client, retries, meter, clock, door, random, speaker, print } = parts;
  for (let attempt = 1; ; attempt += 1) {
    const leave = await askLeave(parts, attempt, signal);
    const startedAt = clock.monotonic();
    const answer = await client.send(request, signal);
    end(leave, answer);
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
    if (next.kind === 'end') {
      return { kind: 'failed', outcome: next.outcome, failure, retries: attempt - 1 };
    }
    const { waitMs } = next;
    print({ type: 'waiting', speaker, attempt: attempt + 1, waitMs, reason: failure.message });
    // The engine was told of a 429 and holds the next request for as long: there `status` sees the wait.
    const isHeld = failure.kind === 'rate-limited' && door.hasEngine;
    await clock.sleep(isHeld ? Math.min(waitMs, toldWithinMs) : waitMs, signal);
  }
}

/** Says every now and then that it waits: for people, and as a sign of life. */
async function askLeave(
  { door, clock, speaker, print }: AskParts,
  attempt: number,
  signal: AbortSignal,
): Promise<Leave> {
  const granted = new AbortController();
  const wait = async () => {
    for (let waitMs = firstWordMs; ; waitMs = wordEveryMs) {
      await clock.sleep(waitMs, granted.signal);
      print({ type: 'waiting', speaker, attempt, waitMs: 0, reason: 'other requests go first' });
    }
  };
  const waiting = wait().catch(() => {
    // Its turn has come.
  });
  try {
    return await door.leave(signal);
  } finally {
    granted.abort();
    await waiting;
  }
}

/** The engine has read what it was told by then. */
const toldWithinMs = 500;
const firstWordMs = 2000;
const wordEveryMs = 60_000;

function end(leave: Leave, answer: ModelAnswer): void {
  if (answer.kind === 'replied') {
    const { tokens } = answer.reply;
    leave.answered(tokens === null ? 0 : totalTokens(tokens));
    return;
  }
  const { kind, retryAfterMs } = answer.failure;
  if (kind === 'rate-limited') leave.refused(retryAfterMs);
  else leave.answered(0);
}

const maxSaidChars = 100_000;

function sizeOf(value: unknown): number {
  return JSON.stringify(value).length;
}
