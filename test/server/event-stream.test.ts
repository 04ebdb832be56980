import { createServer } from 'node:http';
import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { EventFeed } from '../../src/server/event-feed.ts';
import { EventStreams } from '../../src/server/event-stream.ts';
import { sqliteFixture } from '../adapters/sqlite/sqlite-fixture.ts';
import { addLoop, append } from '../contract/store-fixture.ts';
import { eventually, readEvents } from '../support/daemon.ts';

const eventCount = 8000;

/** A store with more events than any pipe between two processes holds, and a server that streams them. */
async function streaming(patience: { ms: number }) {
  const fixture = await sqliteFixture();
  const loop = await addLoop(fixture.store, 'loop-1');
  const text = 'w'.repeat(2000);
  const warnings = Array.from({ length: eventCount }, () => {
    return { type: 'warning.raised', text } as const;
  });
  await append(fixture.store, loop, warnings);
  const closing = new AbortController();
  const clock = createSystemClock();
  const feed = new EventFeed({ store: fixture.store, now: () => 0, redact: (each) => each });
  const options = {
    feed,
    clock,
    get patienceMs() {
      return patience.ms;
    },
    maxReaders: 2,
    closing: closing.signal,
  };
  const streams = new EventStreams(options);
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    streams.serve(request, response, url).catch((error: unknown) => {
      const status = error instanceof Error && 'status' in error ? Number(error.status) : 500;
      statuses.push(status);
      response.writeHead(status).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    feed,
    streams,
    fixture,
    port: address.port,
    registration: { url: `http://127.0.0.1:${address.port}`, token: 'none' },
    async [Symbol.asyncDispose]() {
      closing.abort();
      feed.wake();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      await fixture[Symbol.asyncDispose]();
    },
  };
}

describe('a reader of the event stream', () => {
  it('is cut off when it takes nothing, and comes back to where it was', async () => {
    const patience = { ms: 100 };
    await using server = await streaming(patience);
    const socket = connect(server.port, '127.0.0.1');
    socket.write('GET /v1/events?after=0 HTTP/1.1\r\nhost: x\r\n\r\n');
    let received = '';
    socket.setEncoding('utf8');
    socket.once('data', (chunk: string) => {
      received += chunk;
      socket.pause();
    });
    await eventually(async () => server.streams.readers === 1, 'the reader is there');
    await eventually(async () => server.streams.readers === 0, 'the reader is cut off');
    socket.on('data', (chunk: string) => {
      received += chunk;
    });
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.resume();
    await closed;
    const seen = [...received.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]));
    expect(seen.length).toBeLessThan(eventCount);

    patience.ms = 60_000;
    // What was cut in the middle is no event: a reader goes on after the last whole one.
    const whole = received.slice(0, received.lastIndexOf('\n\n'));
    const last = [...whole.matchAll(/^id: (\d+)$/gm)].at(-1)?.[1] ?? '0';
    using reader = readEvents(server.registration, last);
    await reader.until(({ id }) => id === String(eventCount + 1));
    const rest = reader.events.filter(({ event }) => event === 'recorded');
    expect(Number(rest[0]?.id)).toBe(Number(last) + 1);
    expect(rest).toHaveLength(eventCount + 1 - Number(last));
  });

  it('is refused when too many are there', async () => {
    await using server = await streaming({ ms: 60_000 });
    using first = readEvents(server.registration, '1');
    using second = readEvents(server.registration, '1');
    await first.until(({ event }) => event === 'hello');
    await second.until(({ event }) => event === 'hello');
    using third = readEvents(server.registration, '1');
    expect(await third.status).toBe(503);
  });

  it('gets only what is new without an id, live lines beside it, and a reset for a foreign id', async () => {
    await using server = await streaming({ ms: 60_000 });
    using reader = readEvents(server.registration);
    await reader.until(({ event }) => event === 'hello');
    server.feed.publish({ kind: 'notice', text: 'something goes on' });
    await reader.until(({ event }) => event === 'live');
    await addLoop(server.fixture.store, 'loop-2');
    server.feed.wake();
    await reader.until(({ data }) => data['type'] === 'loop.created');
    expect(reader.events.map(({ event, id }) => ({ event, id }))).toEqual([
      { event: 'hello', id: String(eventCount + 1) },
      { event: 'live', id: null },
      { event: 'recorded', id: String(eventCount + 2) },
    ]);
    reader[Symbol.dispose]();
    using foreign = readEvents(server.registration, '999999');
    const hello = await foreign.until(({ event }) => event === 'hello');
    expect(hello.data).toEqual({ reset: true });
  });
});
