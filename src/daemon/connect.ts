import path from 'node:path';
import { stateFolderName } from '../adapters/files/folder-state.ts';
import { folderIdentity } from '../adapters/files/own-folder.ts';
import { createClient, type Client, type Exchange } from '../protocol/http/client.ts';
import type { Health } from '../protocol/http/payload.ts';
import { readRegistration, socketBeside, type Registration } from './registration.ts';
import { builtinModule } from '../adapters/process/own-process.ts';

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
  const found = await readRegistration(stateDir);
  const registration = found === null ? null : registeredHere(found, stateDir);
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

/** A copied state folder has the registration of the original's daemon; a moved one has its socket along. */
function registeredHere(registration: Registration, stateDir: string): Registration | null {
  const { folder, socket } = registration;
  if (folder !== undefined && folder !== folderIdentity(stateDir)) return null;
  // With a long path it is in a temporary folder, which stays where it is.
  const wasBeside = path.basename(path.dirname(socket)) === stateFolderName;
  const beside = wasBeside ? socketBeside(stateDir) : null;
  return { ...registration, socket: beside ?? socket };
}

async function exchangeOver(
  socketPath: string,
  { method, path: route, headers, body }: Exchange,
): Promise<{ readonly status: number; readonly text: string }> {
  // Loading it takes as long as the rest of a short command, and most repositories have no daemon.
  const { request } = builtinModule('node:http');
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
  const options = {
    socketPath,
    method,
    path: route,
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
