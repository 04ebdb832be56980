/** A scripted model on the loopback interface. docs/design/model-server.md tells the whole story. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LoopwrightError } from '../../core/error.ts';
import type { Clock } from '../../ports/clock.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { answer } from './answer.ts';
import { readJson, sendJson } from './exchange.ts';
import { modelList, readAddress, routeOf, tokenCount, type Address } from './route.ts';
import { findScenario, say, type Ask, type Reply, type Scenario } from './scenario.ts';

/** One request of a run, as it was understood. */
export type LoggedRequest = {
  /** `side` has no tools: a title, a summary. */
  readonly kind: 'ask' | 'side' | 'count' | 'models' | 'unknown';
  readonly method: string;
  /** Below the run's base URL, without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly ask: Ask | null;
  readonly reply: Reply | null;
};

export type ModelServer = AsyncDisposable & {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string;
  /** The base URL of one run, without a slash at its end. */
  base(scenario: string, runId: string): string;
  /** What a run asked so far, in order. */
  requests(runId: string): readonly LoggedRequest[];
};

export type ModelServerOptions = {
  /** Further scenarios by name; they come before the built-in ones. */
  readonly scenarios?: Readonly<Record<string, Scenario>>;
  /** 0 or absent: any free one. */
  readonly port?: number;
  readonly clock?: Pick<Clock, 'now'>;
};

/** Starts the server; disposing it drops every connection. */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  const logs = new Map<string, LoggedRequest[]>();
  const context: Context = {
    logs,
    clock: options.clock ?? createSystemClock(),
    find: (name) => options.scenarios?.[name] ?? findScenario(name),
  };
  const server = createServer((request, response) => {
    handle(request, response, context).catch((error: unknown) => response.destroy(asError(error)));
  });
  await listen(server, options.port ?? 0);
  const url = `http://127.0.0.1:${portOf(server.address())}`;
  return {
    url,
    base: (scenario, runId) =>
      `${url}/s/${encodeURIComponent(scenario)}/${encodeURIComponent(runId)}`,
    requests: (runId) => logs.get(runId) ?? [],
    async [Symbol.asyncDispose]() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

type Context = {
  readonly logs: Map<string, LoggedRequest[]>;
  readonly clock: Pick<Clock, 'now'>;
  find(name: string): Scenario | null;
};

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  context: Context,
): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const path = url.split('?', 1)[0] ?? '/';
  const address = readAddress(path);
  const body = await readJson(request);
  if (address === null)
    return sendJson(response, 404, problem('No such path. Use /s/<scenario>/<runId>/...'));
  if (body.kind === 'refused') return sendJson(response, body.status, problem(body.reason));
  const known = { method, path: address.rest, headers: plainHeaders(request), body: body.value };
  const note = noteIn(context.logs, address.runId);
  const route = routeOf(method, address.rest);
  switch (route.kind) {
    case 'count':
      note({ ...known, kind: 'count', ask: null, reply: null });
      return sendJson(response, 200, tokenCount);
    case 'models':
      note({ ...known, kind: 'models', ask: null, reply: null });
      return sendJson(response, 200, modelList);
    case 'unknown':
      note({ ...known, kind: 'unknown', ask: null, reply: null });
      return sendJson(
        response,
        method === 'HEAD' ? 200 : 404,
        problem(`Nothing is at ${address.rest}.`),
      );
    case 'ask': {
      const scenario = context.find(address.scenario);
      if (scenario === null)
        return sendJson(response, 404, problem(`There is no scenario ${address.scenario}.`));
      const read = route.format.read(body.value, address.rest);
      const ask = { ...read, dialect: route.format.dialect, earlier: asksSoFar(context, address) };
      const isSide = ask.tools.length === 0;
      const reply = isSide ? say('A scripted title') : scenario(ask);
      note({ ...known, kind: isSide ? 'side' : 'ask', ask, reply });
      return answer({ response, format: route.format, ask, reply, nowMs: context.clock.now() });
    }
  }
}

function asksSoFar({ logs }: Context, { runId }: Address): number {
  return (logs.get(runId) ?? []).filter(({ kind }) => kind === 'ask').length;
}

function noteIn(logs: Map<string, LoggedRequest[]>, runId: string): (entry: LoggedRequest) => void {
  return (entry) => {
    const log = logs.get(runId) ?? [];
    log.push(entry);
    logs.set(runId, log);
  };
}

function problem(message: string): unknown {
  return { error: { message } };
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]),
  );
}

function listen(server: ReturnType<typeof createServer>, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(address: string | AddressInfo | null): number {
  if (typeof address === 'object' && address !== null) return address.port;
  throw new LoopwrightError('model_server.no_port', 'The scripted model server has no port.');
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}
