import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';

export type RawServer = AsyncDisposable & {
  readonly url: string;
  readonly asked: {
    readonly url: string;
    readonly headers: IncomingHttpHeaders;
    readonly body: any;
  }[];
};

/** Answers every request in exactly this way: for what no well-meaning server does. */
export async function rawServer(answer: (response: ServerResponse) => unknown): Promise<RawServer> {
  const asked: RawServer['asked'] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || 'null');
      asked.push({ url: request.url ?? '', headers: request.headers, body });
      answer(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A stream of these events, each line a `data` of its own, written in pieces of so many bytes. */
export function streamed(
  events: readonly (string | object)[],
  pieceBytes = 1 << 20,
  named = false,
) {
  return async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
    const text = events.map((event) => eventText(event, named)).join('');
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      await new Promise((resolve) => response.write(piece, resolve));
    }
    response.end();
  };
}

function eventText(event: string | object, named: boolean): string {
  if (typeof event === 'string') return `data: ${event}\n\n`;
  const name = named && 'type' in event ? `event: ${String(event.type)}\n` : '';
  return `${name}data: ${JSON.stringify(event)}\n\n`;
}
