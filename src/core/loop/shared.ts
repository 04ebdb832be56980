import type { LoopEvent } from './event.ts';
import type { Loop } from './loop.ts';

/** What was received is told in the next prompt that has room for it. An answer that came late is read like anything else another loop has sent. */
export function withShared(
  loop: Loop,
  { messages }: Extract<LoopEvent, { type: 'messages.received' }>,
): Loop {
  const told = messages.filter(({ kind }) => !unspoken.has(kind));
  const shared = told.map(({ id, from, text, chars }) => ({
    from,
    text,
    ...(chars === undefined ? {} : { messageId: id }),
  }));
  return { ...loop, shared: [...(loop.shared ?? []), ...shared] };
}

/** They ask something of the engine, not of the agent. */
const unspoken: ReadonlySet<string> = new Set(['query', 'rebase', 'resume', 'clear-progress']);
