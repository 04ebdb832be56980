import { chmod, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { smallText } from '../adapters/files/small-file.ts';
import { lazy } from '../core/lazy.ts';

/** Where the daemon is and how to speak with it. Readable by its user only; believed only after it has answered. */
export const Registration = lazy(() =>
  z.object({
    /** Of this daemon's life. */
    id: z.string(),
    version: z.string(),
    protocol: z.number().int(),
    /** `http://127.0.0.1:PORT`. */
    url: z.string(),
    /** Path of the unix socket. */
    socket: z.string(),
    /** Device and inode of the state folder it works in; in a copy of that folder it means nothing. Absent in older versions. */
    folder: z.string().exactOptional(),
    /** `Authorization: Bearer TOKEN`. */
    token: z.string(),
    pid: z.number().int(),
    /** Of the process, in clock ticks since boot; null where the platform has none. */
    startTime: z.string().nullable(),
    startedAt: z.string(),
  }),
);
export type Registration = z.infer<ReturnType<typeof Registration>>;

const name = 'daemon.json';

const longestSocketPath = 100;

/** The socket in the state folder; null when its path is longer than the system takes for sockets. */
export function socketBeside(stateDir: string): string | null {
  const beside = path.join(stateDir, 'daemon.sock');
  return Buffer.byteLength(beside) <= longestSocketPath ? beside : null;
}

export async function writeRegistration(
  stateDir: string,
  registration: Registration,
): Promise<void> {
  const file = path.join(stateDir, name);
  const partial = `${file}.${registration.id}.tmp`;
  await writeFile(partial, `${JSON.stringify(registration, null, 2)}\n`, { mode: 0o600 });
  // A mask of the user's may have taken bits away, never added any; an old file may have more.
  await chmod(partial, 0o600);
  await rename(partial, file);
}

/** Null when there is none, or none that can be read. */
export async function readRegistration(stateDir: string): Promise<Registration | null> {
  try {
    const value: unknown = JSON.parse(smallText(path.join(stateDir, name)) ?? '');
    return Registration().safeParse(value).data ?? null;
  } catch {
    // Missing, half a file of another tool, not ours to read: there is no daemon to be found this way.
    return null;
  }
}

/** Removes it if it is still this daemon's. */
export async function removeRegistration(stateDir: string, id: string): Promise<void> {
  if ((await readRegistration(stateDir))?.id !== id) return;
  await rm(path.join(stateDir, name), { force: true });
}
