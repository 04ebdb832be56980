import path from 'node:path';
import { providerOf } from '../core/agent/provider.ts';
import type { Loop } from '../core/loop/loop.ts';
import type { Door, DoorKeeper, RequestReport } from '../ports/door.ts';
import type { Engine } from './engine.ts';

export const noDoorWarning =
  '`loopwright` is not there for the agent: no socket can be made for it';

/** The way from an agent of this loop to its engine; null when none can be made, or nobody answers commands. */
export async function openDoor(engine: Engine, loop: Loop): Promise<Door | null> {
  const { inside, doors } = engine;
  if (inside === null) return null;
  const provider = providerOf(loop.settings);
  let asked = 0;
  const keeper: DoorKeeper = {
    command: (argv, stdin) => inside(loop.id, argv, stdin),
    async request(signal) {
      asked += 1;
      const key = `${loop.id}/${asked}`;
      const { createdAt: order } = loop;
      await engine.slots.take({ kind: 'request', key, provider, order }, signal);
      return (report) => {
        tell(engine, provider, report);
        engine.slots.give('request', key);
      };
    },
  };
  try {
    return await doors.open(loop.id, keeper);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    engine.publish({ kind: 'notice', text: `warning: ${noDoorWarning}: ${why}` });
    return null;
  }
}

/** What one request finds out about a provider holds for all loops. */
function tell({ slots }: Engine, provider: string, report: RequestReport | null): void {
  if (report === null) return;
  if (report.type === 'refused') {
    slots.tell({ type: 'rate-limited', provider, retryAfterMs: report.afterMs });
    return;
  }
  // A request that failed is over too, and has used nothing.
  if (report.tokens === 0) return;
  slots.tell({ type: 'spent', provider, tokens: report.tokens });
  slots.tell({ type: 'answered', provider });
}

/** `loopwright` is the first that is found. */
export function withDoor(
  env: Readonly<Record<string, string>>,
  door: Door | null,
): Readonly<Record<string, string>> {
  if (door === null) return env;
  const { PATH: own = '' } = env;
  return { ...env, PATH: [door.folder, own].filter((part) => part !== '').join(path.delimiter) };
}
