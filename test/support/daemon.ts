import { request, type IncomingMessage } from 'node:http';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { openProjectAt } from '../../src/daemon/compose.ts';
import { connectDaemon, type Connected } from '../../src/daemon/connect.ts';
import { readRegistration, type Registration } from '../../src/daemon/registration.ts';
import { serveDaemon, type ServeInput } from '../../src/daemon/serve.ts';
import { realCli, type RealRun } from '../cli/real-cli.ts';
import type { GitRepo } from './git-repo.ts';

/** The daemon as a real process in the foreground of a test. */
export async function realDaemon(
  repo: Pick<GitRepo, 'path' | 'env'>,
  ...argv: readonly string[]
): Promise<RealRun> {
  const run = realCli(repo.path, repo.env, ['daemon', 'start', '--foreground', ...argv]);
  // A test that fails leaves no daemon behind.
  onTestFinished(() => void run.child.kill('SIGKILL'));
  await run.printed((text) => text.includes('runs as process'));
  return run;
}

export type ServedDaemon = AsyncDisposable & {
  readonly registration: Registration;
  readonly log: string[];
  /** As a signal would. */
  signal(): void;
  readonly ended: Promise<void>;
};

/** The daemon inside the test's own process: the same code, without the start of a process. */
export async function servedDaemon(
  repo: Pick<GitRepo, 'path' | 'env'>,
  options: Partial<ServeInput> = {},
): Promise<ServedDaemon> {
  const log: string[] = [];
  const listeners = new Set<() => void>();
  const ready = Promise.withResolvers<void>();
  const ended = serveDaemon({
    open: (publish) =>
      openProjectAt({
        cwd: repo.path,
        env: repo.env,
        home: repo.env['HOME'] ?? '/nonexistent',
        version: '9.9.9',
        publish,
      }),
    onSignal(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    log: (text) => log.push(text),
    redact: (text) => text,
    ready: () => ready.resolve(),
    takesReady: true,
    port: 0,
    ...options,
  });
  const signal = () => {
    for (const listener of listeners) listener();
  };
  await Promise.race([ready.promise, ended]);
  const registration = await readRegistration(path.join(repo.path, '.loopwright'));
  if (registration === null) throw new Error('the daemon is not registered');
  return {
    registration,
    log,
    signal,
    ended,
    async [Symbol.asyncDispose]() {
      signal();
      signal();
      await ended;
    },
  };
}

/** Ends a detached daemon that a failed test has left. */
export function noDaemonLeft(repo: Pick<GitRepo, 'path'>): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      const left = await connectDaemon(path.join(repo.path, '.loopwright'));
      if (left !== null) process.kill(left.registration.pid, 'SIGKILL');
    },
  };
}

/** The daemon that answers for a repository. */
export async function connected(repo: Pick<GitRepo, 'path'>): Promise<Connected> {
  const found = await connectDaemon(path.join(repo.path, '.loopwright'));
  if (found === null) throw new Error('no daemon answers');
  return found;
}

export type Sent = {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
};

/** One plain HTTP exchange with nothing added. */
export function exchange(
  url: string,
  { method = 'GET', path: target, headers = {}, body }: Sent,
): Promise<{ readonly status: number; readonly text: string; readonly headers: object }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    text: string;
    headers: object;
  }>();
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, method, path: target, headers, agent: false }, (reply) => {
    let text = '';
    reply.setEncoding('utf8');
    reply.on('data', (chunk: string) => {
      text += chunk;
    });
    reply.on('end', () => resolve({ status: reply.statusCode ?? 0, text, headers: reply.headers }));
    reply.on('error', reject);
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

export type StreamedEvent = {
  readonly id: string | null;
  readonly event: string;
  readonly data: Record<string, unknown>;
};

export type Reader = Disposable & {
  readonly events: StreamedEvent[];
  /** Resolves when an event that fits was received. */
  until(fits: (event: StreamedEvent) => boolean): Promise<StreamedEvent>;
  readonly closed: Promise<void>;
  readonly status: Promise<number>;
  pause(): void;
  resume(): void;
};

/** A reader of the event stream that goes on after `lastId`. */
export function readEvents(
  { url, token }: Pick<Registration, 'url' | 'token'>,
  lastId: string | null = null,
  query = '',
): Reader {
  const events: StreamedEvent[] = [];
  let watchers: (() => void)[] = [];
  const closed = Promise.withResolvers<void>();
  const status = Promise.withResolvers<number>();
  const reply = Promise.withResolvers<IncomingMessage>();
  const headers = {
    authorization: `Bearer ${token}`,
    ...(lastId === null ? {} : { 'last-event-id': lastId }),
  };
  const sent = request(
    new URL(`/v1/events${query}`, url),
    { headers, agent: false },
    (response) => {
      status.resolve(response.statusCode ?? 0);
      reply.resolve(response);
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const event = parseFrame(text.slice(0, end));
          text = text.slice(end + 2);
          if (event !== null) events.push(event);
        }
        for (const watcher of watchers) watcher();
      });
      response.on('error', () => {});
      response.on('close', () => closed.resolve());
    },
  );
  sent.on('error', () => closed.resolve());
  sent.end();
  return {
    events,
    closed: closed.promise,
    status: status.promise,
    pause: () => void reply.promise.then((response) => response.pause()),
    resume: () => void reply.promise.then((response) => response.resume()),
    until: (fits) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = events.find(fits);
          if (found === undefined) return;
          watchers = watchers.filter((each) => each !== look);
          resolve(found);
        };
        watchers.push(look);
        void closed.promise.then(() => reject(new Error('the stream ended before')));
        look();
      }),
    [Symbol.dispose]: () => sent.destroy(),
  };
}

function parseFrame(frame: string): StreamedEvent | null {
  const fields = new Map(
    frame.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)] as const;
    }),
  );
  const event = fields.get('event');
  if (event === undefined) return null;
  return { id: fields.get('id') ?? null, event, data: JSON.parse(fields.get('data') ?? '{}') };
}

/** Asks again until it holds, for things of other processes that nobody announces. */
export async function eventually<T>(
  look: () => Promise<T | null | false>,
  what: string,
): Promise<T> {
  for (const end = performance.now() + 120_000; performance.now() < end;) {
    const found = await look();
    if (found !== null && found !== false) return found;
    await sleep(50);
  }
  throw new Error(`it never came to be: ${what}`);
}
