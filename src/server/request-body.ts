import type { IncomingMessage } from 'node:http';
import { Refusal } from './refusal.ts';

/** The body as JSON. An empty one is an empty object. */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const type = request.headers['content-type'] ?? '';
  // Anything else a web page may send without asking first.
  if (!/^application\/json(?:;|$)/i.test(type.trim())) {
    throw new Refusal(415, 'http.type', 'the body must be application/json');
  }
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes: unknown = chunk;
    if (!Buffer.isBuffer(bytes)) continue;
    size += bytes.length;
    if (size > maxBytes) throw tooLarge(maxBytes);
    chunks.push(bytes);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text);
    return value;
  } catch {
    throw new Refusal(400, 'http.json', 'the body is not valid JSON');
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'http.too_large', `the body has more than ${maxBytes} bytes`, {
    // What is left of it is not read.
    headers: { connection: 'close' },
  });
}
