import path from 'node:path';
import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import type { ProcessIdentity } from '../ports/process.ts';
import type { Engine } from './engine.ts';

const Identity = lazy(() =>
  z.object({
    pid: z.number().int(),
    startTime: z.string().nullable(),
    bootId: z.string().nullable(),
    host: z.string(),
    containment: z.enum(['bubblewrap', 'unshare', 'cgroup', 'process-group']).exactOptional(),
    cgroup: z.string().exactOptional(),
  }),
);
const Entry = lazy(() => z.object({ engine: Identity(), agent: Identity() }));

/** Where agents beside loops are written down while they run: no loop's log has a place for them. */
const place = ['aside', 'processes'] as const;
const graceMs = 2000;

export type AsideRecord = AsyncDisposable & {
  /** Written before the agent may act. */
  started(agent: ProcessIdentity): Promise<void>;
};

/** The record of one agent, removed when it has ended. */
export function recordAside({ artifacts, supervisor, ids }: Engine): AsideRecord {
  let file: string | null = null;
  return {
    async started(agent) {
      file = path.join(await artifacts.namedDir(...place), `${ids.token().slice(0, 12)}.json`);
      const entry = { engine: await supervisor.self(), agent };
      await artifacts.write(file, JSON.stringify(entry));
    },
    async [Symbol.asyncDispose]() {
      if (file !== null) await artifacts.removeFile(file);
    },
  };
}

/** Ends agents whose engine is gone. Called by whoever starts a session; says how many were ended. */
export async function endLeftAsides({ artifacts, supervisor }: Engine): Promise<number> {
  const folder = path.join(artifacts.loopDir(place[0]), place[1]);
  let ended = 0;
  for (const name of await artifacts.namesIn(folder)) {
    const file = path.join(folder, name);
    const entry = readEntry(await artifacts.readTail(file, 10_000));
    if (entry !== null && (await supervisor.isAlive(entry.engine))) continue;
    if (entry !== null && (await supervisor.endLeftover(entry.agent, graceMs))) ended += 1;
    await artifacts.removeFile(file);
  }
  return ended;
}

/** Null for what is half written or somebody else's. */
function readEntry(text: string | null): z.infer<ReturnType<typeof Entry>> | null {
  try {
    const parsed = Entry().safeParse(JSON.parse(text ?? ''));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
