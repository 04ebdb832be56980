import { createLineSplitter } from '../process/line-splitter.ts';

/** One event's data is a piece of a reply; far larger ones are no chat completion. */
const maxEventBytes = 4 * 1024 * 1024;

/** The `data` of each server-sent event of a body, in order. Names, ids and comments mean nothing here. */
export async function* readServerEvents(
  body: ReadableStream<Uint8Array>,
  heard: () => void,
): AsyncGenerator<string> {
  let ready: string[] = [];
  let data: string[] = [];
  const splitter = createLineSplitter((line) => {
    if (line !== '') {
      if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
      return;
    }
    if (data.length > 0) ready.push(data.join('\n'));
    data = [];
  }, maxEventBytes);
  for await (const chunk of body) {
    heard();
    splitter.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
    const events = ready;
    ready = [];
    yield* events;
  }
  // Some servers leave out the empty line after the last event.
  splitter.end();
  if (data.length > 0) ready.push(data.join('\n'));
  yield* ready;
}
