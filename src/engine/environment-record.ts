import { createHash } from 'node:crypto';
import os from 'node:os';
import type { Loop } from '../core/loop/loop.ts';
import type { EnvironmentRecord } from '../core/verdict/report.ts';
import type { Engine } from './engine.ts';
import type { JudgedFiles } from './judged-files.ts';
import { environmentOfChecks } from './run-command.ts';

/** Where checks ran: enough to see that another run had other surroundings, without keeping any value. */
export function environmentRecord(
  engine: Engine,
  loop: Loop,
  { room }: Pick<JudgedFiles, 'room'>,
): EnvironmentRecord {
  const given = room?.env ?? environmentOfChecks(engine, loop);
  const platform = `${os.platform()} ${os.arch()} ${os.release()}`;
  const variables = Object.keys(given)
    .filter((name) => !isOwn(name))
    .toSorted();
  const values = variables.map((name) => `${name}=${given[name] ?? ''}`);
  const hash = createHash('sha256').update(JSON.stringify([platform, values]));
  return {
    fingerprint: hash.digest('hex').slice(0, 16),
    platform,
    version: engine.version,
    cleanRoom: room !== undefined,
    variables,
  };
}

/** Says which loop and iteration this is, or which folder was made for it: different each time, and no matter. */
function isOwn(name: string): boolean {
  return name.startsWith('LOOPWRIGHT_') || name === 'TMPDIR';
}
