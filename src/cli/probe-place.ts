import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createShippedPrices } from '../adapters/prices/shipped-prices.ts';
import { callerBasics } from '../adapters/git/environment.ts';
import { gitOutput } from '../adapters/git/git.ts';
import { environmentContains, listPids, readCommand } from '../adapters/process/proc.ts';
import type { ProbePlace } from '../engine/probe-agent.ts';
import { ownPid } from '../adapters/process/own-process.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Makes the probe's processes recognisable, wherever they hide. */
const markVariable = '__LOOPWRIGHT_PROBE';

export type OpenedProbePlace = AsyncDisposable &
  Pick<ProbePlace, 'folder' | 'logs' | 'prices' | 'env' | 'list' | 'read' | 'save' | 'left'>;

/** A repository with one commit in a temporary folder, which is removed with all that is in it. */
export async function openProbePlace(
  agentEnv: Readonly<Record<string, string>>,
  callerEnv: Environment,
  signal: AbortSignal,
): Promise<OpenedProbePlace> {
  const above = await mkdtemp(path.join(await realpath(tmpdir()), `loopwright-check-${ownPid}-`));
  const folder = path.join(above, 'repository');
  const logs = path.join(above, 'logs');
  await mkdir(folder);
  await mkdir(logs);
  await startRepository(folder, callerEnv, signal);
  const mark = randomUUID();
  return {
    folder,
    logs,
    prices: createShippedPrices(),
    env: { ...agentEnv, [markVariable]: mark },
    list: async () => (await readdir(folder)).filter((name) => name !== '.git').toSorted(),
    read: (name) => readFile(path.join(folder, name), 'utf8').catch(() => null),
    save: (file, text) => writeFile(file, text),
    left: async () => leftWith(mark),
    [Symbol.asyncDispose]: () => rm(above, { recursive: true, force: true, maxRetries: 3 }),
  };
}

async function startRepository(
  folder: string,
  env: Environment,
  signal: AbortSignal,
): Promise<void> {
  const own = {
    ...callerBasics(env),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'Loopwright',
    GIT_AUTHOR_EMAIL: 'loopwright@localhost',
    GIT_COMMITTER_NAME: 'Loopwright',
    GIT_COMMITTER_EMAIL: 'loopwright@localhost',
  };
  for (const args of [
    ['init', '--quiet', '--initial-branch=main', '--template='],
    ['commit', '--quiet', '--allow-empty', '--message=start'],
  ]) {
    await gitOutput({ at: { searchFrom: folder }, args, env: own, signal });
  }
}

function leftWith(mark: string): readonly string[] | null {
  const pids = listPids();
  if (pids.length === 0) return null;
  return pids
    .filter((pid) => environmentContains(pid, mark))
    .map((pid) => (readCommand(pid) ?? `process ${pid}`).replaceAll('\0', ' ').trim());
}
