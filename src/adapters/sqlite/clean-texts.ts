import { cleanEvent } from '../../core/loop/clean-event.ts';
import { stripEscapes } from '../../core/text/terminal.ts';
import type { StoreTx } from '../../ports/store.ts';

/**
 * The same transaction, in which neither a secret nor an escape sequence reaches a text that people, agents or programs give: it
 * is stored without.
 */
export function withCleanTexts(tx: StoreTx, clean: (text: string) => string): StoreTx {
  const { tasks, loops, messages } = tx;
  return {
    ...tx,
    loops: {
      ...loops,
      create: (event, time) => loops.create(cleaned(event, clean), time),
      append({ events, ...input }) {
        return loops.append({ ...input, events: events.map((event) => cleanEvent(event, clean)) });
      },
    },
    tasks: {
      ...tasks,
      add: (id, task, now) => tasks.add(id, cleaned(task, clean), now),
      edit: (id, change, now) => tasks.edit(id, cleaned(change, clean), now),
      transition: (id, to, change) => tasks.transition(id, to, cleaned(change, clean)),
      guide: (id, text, now) => tasks.guide(id, clean(stripEscapes(text)), now),
    },
    messages: {
      ...messages,
      add: (message) => messages.add(cleaned(message, clean)),
    },
  };
}

const textFields = ['title', 'description', 'reason', 'body'] as const;

function cleaned<T extends object>(value: T, clean: (text: string) => string): T {
  const texts = textFields.flatMap((field) => {
    const text: unknown = Reflect.get(value, field);
    return typeof text === 'string' ? [[field, clean(stripEscapes(text))] as const] : [];
  });
  return { ...value, ...Object.fromEntries(texts) };
}
