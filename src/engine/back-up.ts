import type { LiveEvent } from '../ports/live.ts';
import type { Engine } from './engine.ts';

const hourMs = 60 * 60 * 1000;
const everyMs = 24 * hourMs;

/**
 * An engine that also makes the daily copy of the store while it runs, at the start of an iteration. A run that takes less than an
 * hour is copied at its end, with what it did.
 */
export function withBackups(engine: Engine): Engine {
  const startedAt = engine.clock.monotonic();
  return {
    ...engine,
    publish(event: LiveEvent) {
      engine.publish(event);
      if (event.kind !== 'recorded' || event.recorded.event.type !== 'iteration.started') return;
      // The store waits for it before it is closed.
      if (engine.clock.monotonic() - startedAt >= hourMs) void backUpWhenDue(engine);
    },
  };
}

/** Makes a copy of the store when the last one is a day old. A failure is told; what runs goes on. */
export async function backUpWhenDue({ store, clock, publish }: Engine): Promise<void> {
  try {
    await store.backUp(clock.now() - everyMs);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    publish({ kind: 'notice', text: `warning: the store was not backed up: ${text}` });
  }
}
