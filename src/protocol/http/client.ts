import { LoopwrightError } from '../../core/error.ts';
import { fillPath } from './path.ts';
import { ApiError, protocolHeader, protocolVersion, type Route } from './route.ts';
import { routes, type CallInput, type Reply, type RouteName } from './routes.ts';

/** One exchange, as the transport sees it. */
export type Exchange = {
  readonly method: Route['method'];
  /** With the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | null;
};

export type Send = (
  exchange: Exchange,
) => Promise<{ readonly status: number; readonly text: string }>;

/** Calls routes by name; requests and replies have the types of their schemas. */
export type Client = {
  call<N extends RouteName>(name: N, input?: CallInput<N>): Promise<Reply<N>>;
};

/** Replies are parsed: what does not fit the schema is an error, not a surprise further on. */
export function createClient(token: string, send: Send): Client {
  return {
    async call(name, input = {}) {
      const route: Route = routes[name];
      const given: Given = input;
      const { status, text } = await send({
        method: route.method,
        path: fillPath(route.path, given.params ?? {}) + queryText(given.query),
        headers: {
          authorization: `Bearer ${token}`,
          [protocolHeader]: String(protocolVersion),
          ...(route.body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: route.body === undefined ? null : JSON.stringify(given.body ?? {}),
      });
      const value = parseJson(text);
      if (status !== 200) throw errorOf(status, value);
      const parsed = route.reply().safeParse(value);
      if (!parsed.success) throw foreign(name);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parsed by the schema of this very route
      return parsed.data as Reply<typeof name>;
    },
  };
}

type Given = {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: unknown;
  readonly body?: unknown;
};

function queryText(query: unknown): string {
  if (typeof query !== 'object' || query === null) return '';
  const words = Object.entries(query).flatMap(([name, value]: readonly [string, unknown]) =>
    typeof value === 'string' || typeof value === 'number'
      ? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`]
      : [],
  );
  return words.length === 0 ? '' : `?${words.join('&')}`;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null;
  }
}

function errorOf(status: number, value: unknown): LoopwrightError {
  const { success, data } = ApiError().safeParse(value);
  if (!success) return foreign(`status ${status}`);
  const { code, message, hint } = data.error;
  return new LoopwrightError(code, message, hint === null ? {} : { hint });
}

function foreign(what: string): LoopwrightError {
  return new LoopwrightError(
    'daemon.foreign',
    `the daemon’s answer is not understood (${what}); it may be of another version`,
    { hint: 'start it anew: `loopwright daemon stop`, then `loopwright daemon start`' },
  );
}
