/** Turns a reply into bytes of its wire format. */
import type { ServerResponse } from 'node:http';
import { sendJson } from './exchange.ts';
import type { Failure, Message, ServerSent, WireFormat } from './dialect/dialect.ts';
import { usageResetMs, usualUsage, type Ask, type Reply, type RetryAfter } from './scenario.ts';
import { chooseTool } from './tool-choice.ts';

export type Exchange = {
  readonly response: ServerResponse;
  readonly format: WireFormat;
  readonly ask: Ask;
  readonly reply: Reply;
  readonly nowMs: number;
};

export function answer(exchange: Exchange): void {
  const { response, reply } = exchange;
  switch (reply.kind) {
    case 'hang':
      return;
    case 'reset':
      response.socket?.resetAndDestroy();
      return;
    case 'status':
      return answerFailure(exchange, reply);
    case 'text':
    case 'acts':
      return answerMessage(exchange, messageOf(exchange.ask, reply));
    case 'cut':
    case 'mid-error':
      return answerBroken(exchange, reply);
  }
}

function answerMessage({ response, format, ask }: Exchange, message: Message): void {
  if (!ask.isStream) return sendJson(response, 200, format.plain(message));
  beginStream(response);
  for (const event of format.stream(message)) response.write(rendered(event));
  response.end(format.closing);
}

/** Half the events of a good stream, then an error event or nothing at all. */
function answerBroken(exchange: Exchange, reply: Extract<Reply, { text: string }>): void {
  const { response, format, ask } = exchange;
  const message = messageOf(ask, { kind: 'text', text: reply.text, stop: 'end' });
  if (!ask.isStream) return sendJson(response, 200, format.plain(message));
  beginStream(response);
  const events = format.stream(message);
  const begun = events
    .slice(0, Math.ceil(events.length / 2))
    .map(rendered)
    .join('');
  if (reply.kind === 'mid-error') {
    response.end(begun + rendered(format.streamError()));
    return;
  }
  // The bytes must be out before the connection is dropped, else the client sees no stream at all.
  response.write(begun, () => response.socket?.destroy());
}

function beginStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

function rendered({ name, data }: ServerSent): string {
  const named = name === null ? '' : `event: ${name}\n`;
  return `${named}data: ${JSON.stringify(data)}\n\n`;
}

function messageOf(ask: Ask, reply: Extract<Reply, { kind: 'text' | 'acts' }>): Message {
  const shared = {
    id: `${ask.earlier}_${ask.step}`,
    model: ask.model,
    usage: { ...usualUsage, ...reply.usage },
  };
  if (reply.kind === 'text') return { ...shared, text: reply.text, calls: [], stop: reply.stop };
  const calls = reply.acts.map((act) => chooseTool(act, ask.tools));
  const missing = reply.acts.find((_, index) => calls[index] === null);
  if (missing !== undefined) {
    const names = ask.tools.map(({ name }) => name).join(', ');
    return { ...shared, text: `No tool can ${missing.kind}: ${names}`, calls: [], stop: 'end' };
  }
  return {
    ...shared,
    text: reply.text ?? '',
    calls: calls.filter((call) => call !== null),
    stop: 'end',
  };
}

function answerFailure(exchange: Exchange, reply: Extract<Reply, { kind: 'status' }>): void {
  const { response, format, nowMs } = exchange;
  const wait = reply.retryAfter;
  const failure: Failure = {
    status: reply.status,
    problem: reply.problem ?? null,
    retryAfterSeconds: wait?.form === 'text' && /^\d+$/.test(wait.text) ? Number(wait.text) : null,
    resetAtMs: nowMs + (reply.resetInMs ?? usageResetMs),
  };
  const { body, headers } = format.failure(failure);
  sendJson(response, reply.status, body, { ...headers, ...retryHeaders(wait, nowMs) });
}

function retryHeaders(wait: RetryAfter | undefined, nowMs: number): Record<string, string> {
  switch (wait?.form) {
    case undefined:
      return {};
    case 'text':
      return { 'retry-after': wait.text };
    case 'date':
      return { 'retry-after': new Date(nowMs + wait.inMs).toUTCString() };
    case 'ms':
      return { 'retry-after-ms': String(wait.ms) };
  }
}
