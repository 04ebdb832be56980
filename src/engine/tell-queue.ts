import { QueueReport, reportQueue } from '../core/schedule/queue-report.ts';
import type { SessionQueue } from '../ports/overview.ts';
import type { Session } from '../ports/store.ts';
import type { Engine } from './engine.ts';
import { isSessionAlive } from './session.ts';

const everyMs = 1000;

/** Writes down who waits for the slots of this engine, and why, for as long as its session lasts. A short one writes nothing. */
export function tellQueue(engine: Engine, session: Session): AsyncDisposable {
  const ending = new AbortController();
  const told = keepTelling(engine, session, ending.signal).catch((error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    engine.publish({ kind: 'notice', text: `warning: \`status\` cannot tell who waits: ${text}` });
  });
  return {
    async [Symbol.asyncDispose]() {
      ending.abort();
      await told;
      await engine.queueBoard.remove(session.id).catch(() => {
        // The next session removes what this one has left.
      });
    },
  };
}

async function keepTelling(engine: Engine, { id }: Session, signal: AbortSignal): Promise<void> {
  const { clock, queueBoard, slots } = engine;
  let told = '';
  let isFirst = true;
  for (;;) {
    const isOver = await clock.sleep(everyMs, signal).then(
      () => false,
      () => true,
    );
    if (isOver) return;
    const text = JSON.stringify(reportQueue(slots.queue, slots.statistics));
    if (text !== told) await queueBoard.write(id, text);
    told = text;
    if (isFirst) await removeLeft(engine);
    isFirst = false;
  }
}

async function removeLeft(engine: Engine): Promise<void> {
  for (const id of await engine.queueBoard.sessions()) {
    if (!(await isSessionAlive(engine, id))) await engine.queueBoard.remove(id);
  }
}

/** The queues of all engines that run now, as they were at most a second ago. */
export async function readQueues(engine: Engine): Promise<readonly SessionQueue[]> {
  const queues: SessionQueue[] = [];
  for (const id of await engine.queueBoard.sessions()) {
    const session = await engine.store.read((tx) => tx.sessions.get(id));
    if (session === null || !(await isSessionAlive(engine, id))) continue;
    const report = parseReport(await engine.queueBoard.read(id));
    const { kind, process } = session;
    if (report !== null) queues.push({ session: id, kind, pid: process.pid, ...report });
  }
  return queues;
}

/** Null: half written, or by another version. */
function parseReport(text: string | null): QueueReport | null {
  if (text === null) return null;
  try {
    return QueueReport().safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
