import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { startDetached } from '../adapters/process/detached.ts';
import { LoopwrightError } from '../core/error.ts';
import type { Opened } from '../daemon/compose.ts';
import { connectDaemon, type Connected } from '../daemon/connect.ts';
import type { CliContext } from './context.ts';

const startMs = 30_000;

/** Where a daemon in the background prints. It keeps the file small itself: nobody else writes to it. */
export function daemonLog(stateDir: string): string {
  return path.join(stateDir, 'daemon.log');
}

export type Started = Connected & { readonly isNew: boolean };

/** The daemon of this repository: the one that answers, else a new one with these words of `daemon start`. */
export async function ensureDaemon(
  context: CliContext,
  { engine }: Opened,
  words: readonly string[],
): Promise<Started> {
  const { stateDir, project } = engine;
  const before = await connectDaemon(stateDir);
  if (before !== null) return { ...before, isNew: false };
  const logFile = daemonLog(stateDir);
  const [program, ...args] = [...context.program, 'daemon', 'start', '--foreground', ...words];
  const child = startDetached([program ?? '', ...args], {
    cwd: project.root,
    env: context.env,
    logFile,
  });
  const started = await answering(context, stateDir, child.ended);
  if (started !== null) return { ...started, isNew: true };
  throw new LoopwrightError(
    'daemon.not_started',
    `the daemon did not start: ${await lastWords(logFile)}`,
    {
      hint: `see ${logFile}, or try \`loopwright daemon start --foreground\``,
    },
  );
}

/** The daemon once it answers; null when it ended before, or is silent for too long. */
async function answering(
  { clock }: CliContext,
  stateDir: string,
  ended: Promise<number | null>,
): Promise<Connected | null> {
  let isGone = false;
  void ended.then(() => {
    isGone = true;
  });
  const deadline = clock.monotonic() + startMs;
  for (;;) {
    const wasGone = isGone;
    const connected = await connectDaemon(stateDir);
    if (connected !== null) return connected;
    // One that was started at the same moment may have been quicker: it answers, or will soon.
    if (wasGone || clock.monotonic() > deadline) return null;
    await clock.sleep(50, AbortSignal.timeout(startMs));
  }
}

async function lastWords(logFile: string): Promise<string> {
  const text = await readFile(logFile, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-3).join(' ').slice(0, 500) || 'it said nothing';
}
