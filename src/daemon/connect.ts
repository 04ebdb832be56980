import { createClient, type Client, type Exchange } from '../protocol/http/client.ts';
import type { Health } from '../protocol/http/payload.ts';
import { readRegistration, type Registration } from './registration.ts';

export type Connected = {
  readonly client: Client;
  readonly registration: Registration;
  readonly health: Health;
};

const answerMs = 5000;
const maxBytes = 64 * 1024 * 1024;

/**
 * The daemon of a repository, if one answers. A registration alone proves nothing: its process may be gone and its
 * port somebody else's, so that it counts only once an answer carries the same id.
 */
export async function connectDaemon(stateDir: string): Promise<Connected | null> {
  const registration = await readRegistration(stateDir);
  if (registration === null) return null;
  const client = createClient(registration.token, (exchange) =>
    exchangeOver(registration.socket, exchange),
  );
  const health = await client.call('health').catch((error: unknown) => {
    if (isUnreachable(error)) return null;
    throw error;
  });
  if (health === null || health.id !== registration.id) return null;
  return { client, registration, health };
}

async function exchangeOver(
  socketPath: string,
  { method, path, headers, body }: Exchange,
): Promise<{ readonly status: number; readonly text: string }> {
  // Loading it takes as long as the rest of a short command, and most repositories have no daemon.
  const { request } = process.getBuiltinModule('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const options = {
    socketPath,
    method,
    path,
    headers: { ...headers, host: 'localhost' },
    signal: AbortSignal.timeout(answerMs),
    agent: false,
  };
  const sent = request(options, (response) => {
    const chunks: Buffer[] = [];
    let size = 0;
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) sent.destroy(new Error('the answer of the daemon is too large'));
    });
    response.on('error', reject);
    response.on('end', () =>
      resolve({
        status: response.statusCode ?? 0,
        text: Buffer.concat(chunks).toString('utf8'),
      }),
    );
  });
  sent.on('error', reject);
  sent.end(body ?? undefined);
  return promise;
}

const unreachable: ReadonlySet<unknown> = new Set([
  'ENOENT',
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTSOCK',
  'EPIPE',
]);

function isUnreachable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && unreachable.has(error.code);
}
