/** One command of a tool: bounded output, a time limit, and nothing that outlives it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { StringDecoder } from 'node:string_decoder';
import { createHeadAndTail } from '../../core/agent/native/head-and-tail.ts';
import type { Clock } from '../../ports/clock.ts';
import { markVariable, runMarks } from './mark.ts';
import { createGroupTree, createProcessTree, endTree, type ProcessTree } from './tree.ts';

export type ShellSpec = {
  readonly command: string;
  readonly cwd: string;
  /** The whole environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
  /** Of both outputs together; beginning and end are kept. */
  readonly maxChars: number;
};

export type ShellEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'not-started'; readonly error: string };

export type ShellResult = { readonly end: ShellEnd; readonly output: string };

const graceMs = 500;
/** How long output may take to end when every process that could be found is gone. */
const drainMs = 1000;
const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';

/** Settles when the command is over and all it started is ended. Throws the signal's reason after the same when aborted. */
export async function runShell(
  spec: ShellSpec,
  clock: Clock,
  signal: AbortSignal,
): Promise<ShellResult> {
  signal.throwIfAborted();
  const mark = randomBytes(8).toString('hex');
  const startedAt = clock.monotonic();
  const child = spawn(shell, ['-c', spec.command], {
    cwd: spec.cwd,
    env: { ...spec.env, [markVariable]: runMarks(mark) },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A session of its own: its group can be signalled without us.
    detached: true,
  });
  const output = collect(child, spec.maxChars);
  const exited = exitOf(child);
  if (child.pid === undefined) return { end: await exited, output: '' };
  const cut = await waitForEnd(exited, spec.timeoutMs, clock, signal);
  const ageMs = (): number => clock.monotonic() - startedAt;
  await endTree(treeOf(child.pid, mark, ageMs), graceMs, clock);
  const end = await exited;
  await drained(child, clock);
  signal.throwIfAborted();
  return { end: cut ? { kind: 'timed-out' } : end, output: output.text() };
}

function treeOf(leader: number, mark: string, ageMs: () => number): ProcessTree {
  const hasProc = existsSync('/proc/self/stat');
  return hasProc ? createProcessTree({ leader, mark, ageMs }) : createGroupTree(leader);
}

function collect(child: ChildProcess, maxChars: number): { text(): string } {
  const kept = createHeadAndTail(maxChars);
  for (const stream of [child.stdout, child.stderr]) {
    const decoder = new StringDecoder('utf8');
    stream?.on('data', (chunk: Buffer) => kept.push(decoder.write(chunk)));
    stream?.on('end', () => kept.push(decoder.end()));
    // A pipe that breaks has nothing more to say.
    stream?.on('error', () => undefined);
  }
  return kept;
}

function exitOf(child: ChildProcess): Promise<ShellEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not-started', error: error.message }));
    child.once('exit', (code, signal) =>
      resolve(
        signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal },
      ),
    );
  });
}

/** True when the command was still running at its limit, or when it is no longer wanted. */
async function waitForEnd(
  exited: Promise<ShellEnd>,
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const over = new AbortController();
  const stop = (): void => over.abort();
  signal.addEventListener('abort', stop, { once: true });
  // Rejects when it is cut short, by the end of the command or by the caller.
  const limit = clock.sleep(timeoutMs, over.signal).then(
    () => true,
    () => true,
  );
  const isCut = await Promise.race([exited.then(() => false), limit]);
  signal.removeEventListener('abort', stop);
  over.abort();
  return isCut;
}

async function drained(child: ChildProcess, clock: Clock): Promise<void> {
  const over = new AbortController();
  const closed = new Promise<void>((resolve) => {
    const isOpen = [child.stdout, child.stderr].some((stream) => stream?.closed === false);
    if (isOpen) child.once('close', () => resolve());
    else resolve();
  });
  await Promise.race([closed, clock.sleep(drainMs, over.signal).catch(() => undefined)]);
  over.abort();
  child.stdout?.destroy();
  child.stderr?.destroy();
}
