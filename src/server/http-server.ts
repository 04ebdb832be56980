import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { z } from 'zod';
import { LoopwrightError } from '../core/error.ts';
import { openApiDocument } from '../protocol/http/openapi.ts';
import { defaultMaxBytes, type Route } from '../protocol/http/route.ts';
import { matchPath } from '../protocol/http/path.ts';
import { routes, type RouteName } from '../protocol/http/routes.ts';
import type { Backend } from './backend.ts';
import type { EventStreams } from './event-stream.ts';
import { Guard, securityHeaders, type GuardOptions } from './guard.ts';
import { handlers } from './handlers.ts';
import { answerOf, Refusal } from './refusal.ts';
import { readJsonBody } from './request-body.ts';

export type ServerOptions = Omit<GuardOptions, 'port'> & {
  readonly backend: Backend;
  readonly streams: EventStreams;
  readonly redact: (text: string) => string;
  /** What could not be answered because of a mistake here. */
  mistake(error: unknown): void;
};

/** Where a server listens. */
export type Listening = AsyncDisposable & { readonly port: number | null };

/** Listens on a loopback port (0: any free one) or on a unix socket. */
export async function listen(
  options: ServerOptions,
  where: { readonly port: number } | { readonly socket: string },
): Promise<Listening> {
  const isSocket = 'socket' in where;
  const guard = new Guard({ ...options, port: () => (isSocket ? null : portOf(server)) });
  const server = createServer({ requestTimeout: 30_000, headersTimeout: 10_000 }, (req, res) => {
    void handle(req, res, guard, options);
  });
  server.maxConnections = 500;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    const listening = () => {
      server.off('error', reject);
      resolve();
    };
    if (isSocket) server.listen(where.socket, listening);
    else server.listen(where.port, '127.0.0.1', listening);
  });
  return {
    port: isSocket ? null : portOf(server),
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  guard: Guard,
  options: ServerOptions,
): Promise<void> {
  response.on('error', () => {
    // The client has gone: nobody is left to answer.
  });
  try {
    guard.check(request);
    const url = new URL(request.url ?? '/', 'http://localhost');
    if (url.pathname === '/v1/events') await options.streams.serve(request, response, url);
    else send(response, 200, await answer(request, url, options), options);
  } catch (error) {
    const told = answerOf(error);
    if (told.status === 500) options.mistake(error);
    if (response.headersSent) response.destroy();
    else send(response, told.status, told.body, options, told.headers);
  }
}

async function answer(
  request: IncomingMessage,
  url: URL,
  { backend }: ServerOptions,
): Promise<unknown> {
  if (url.pathname === '/v1/openapi.json') return openApiDocument();
  const { name, params } = findRoute(request.method ?? 'GET', url.pathname);
  const route: Route = routes[name];
  const query = parse(route.query, Object.fromEntries(url.searchParams), 'the query');
  const body =
    route.body === undefined
      ? undefined
      : parse(
          route.body,
          await readJsonBody(request, route.maxBytes ?? defaultMaxBytes),
          'the body',
        );
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the schemas of this very route
  const handler = handlers[name] as (input: unknown, backend: Backend) => Promise<unknown>;
  return handler({ params, query, body }, backend);
}

function findRoute(
  method: string,
  pathname: string,
): { readonly name: RouteName; readonly params: Readonly<Record<string, string>> } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of the record
  const names = Object.keys(routes) as RouteName[];
  const fitting = names.flatMap((name) => {
    const params = matchPath(routes[name].path, pathname);
    return params === null ? [] : [{ name, params }];
  });
  if (fitting.length === 0) {
    throw new Refusal(404, 'http.not_found', 'there is nothing at this path', {
      hint: 'GET /v1/openapi.json lists what there is',
    });
  }
  const found = fitting.find(({ name }) => routes[name].method === method);
  if (found !== undefined) return found;
  const allow = fitting.map(({ name }) => routes[name].method).join(', ');
  throw new Refusal(405, 'http.method', `this path takes ${allow}`, { headers: { allow } });
}

function parse(schema: Route['query'] | Route['body'], value: unknown, what: string): unknown {
  if (schema === undefined) return undefined;
  const parsed = schema().safeParse(value);
  if (parsed.success) return parsed.data;
  const text = z.prettifyError(parsed.error).slice(0, 2000);
  throw new Refusal(400, 'http.schema', `${what} does not fit: ${text}`);
}

function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  { redact }: ServerOptions,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = redact(JSON.stringify(body));
  response.writeHead(status, {
    ...securityHeaders,
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function portOf(server: Server): number {
  const address = server.address();
  if (typeof address === 'object' && address !== null) return address.port;
  throw new LoopwrightError('daemon.no_port', 'the server has no port');
}
