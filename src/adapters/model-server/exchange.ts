/** Bodies in, documents out. */
import type { IncomingMessage, ServerResponse } from 'node:http';

const maxBodyBytes = 64 * 1024 * 1024;

export type ReadBody =
  | { readonly kind: 'read'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly reason: string };

/** An empty body is null. What is over the limit is not kept, but read to its end so that the answer arrives. */
export async function readJson(request: IncomingMessage): Promise<ReadBody> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes <= maxBodyBytes) chunks.push(part);
  }
  if (bytes > maxBodyBytes)
    return { kind: 'refused', status: 413, reason: 'The body is too large.' };
  if (bytes === 0) return { kind: 'read', value: null };
  try {
    return { kind: 'read', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    // The one who asked is told.
    return { kind: 'refused', status: 400, reason: 'The body is not JSON.' };
  }
}

export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}
