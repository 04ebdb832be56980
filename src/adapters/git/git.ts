import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, lstatSync } from 'node:fs';
import { LoopwrightError } from '../../core/error.ts';
import type { OwnFolders } from '../files/own-folder.ts';
import { createEnding, exitCodeOf } from './git-ending.ts';
import { runInLane } from './git-lanes.ts';
import { BoundedOutput, OutputTail } from './git-output.ts';
import { gitScript } from './git-script.ts';
import { gitTurn } from './git-turns.ts';
import { after } from '../clock/timer.ts';

/** Where git acts. Always explicit: what a `.git` file in a folder says is never followed. */
export type Checkout = {
  /** `<common>` of a main checkout, `<common>/worktrees/<name>` of a linked one. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Null in a bare repository. */
  readonly workTree: string | null;
  /** Folders of a loop: git runs only while they are those that were opened. */
  readonly own?: OwnFolders;
};

export type GitCall = {
  /** A known checkout, or a folder from which git searches upwards (only to find a project). */
  readonly at: Checkout | { readonly searchFrom: string };
  readonly args: readonly string[];
  /** The whole environment; see `environment.ts`. Nothing of the caller's is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables of this command alone. */
  readonly variables?: Readonly<Record<string, string>>;
  /** One of many with the same environment: it is started by a shell that stays for the next. */
  readonly isRecurring?: boolean;
  readonly input?: string | Uint8Array;
  /**
   * Runs when the first has succeeded, and what it prints follows. Two in one go cost little more than one: starting a process
   * takes this one, which is large, longer than most commands take.
   */
  readonly then?: FollowUp;
  /** A file that receives stdout instead of memory. */
  readonly outputFile?: string;
  /** More output ends the process; the result says `truncated`. */
  readonly maxOutputBytes?: number;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
};

type FollowUp = { readonly args: readonly string[] };

export type GitResult = {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The last few kilobytes. */
  readonly stderr: string;
  readonly truncated: boolean;
};

const defaultMaxOutputBytes = 256 * 1024 * 1024;
const defaultTimeoutMs = 10 * 60_000;
/** More would be slow to write out for a shell. */
const largestSharedInput = 64 * 1024;

/**
 * Runs git; nothing else in the product does. A non-zero exit is a value. Throws when git is missing, when the folder is gone, on timeout
 * (`git.timeout`) and on abort (the signal's reason), and only after the process group has been ended.
 */
export async function git(call: GitCall): Promise<GitResult> {
  call.signal.throwIfAborted();
  if (!('searchFrom' in call.at)) requireOwn(call.at);
  using _turn = await gitTurn(call.args, call.signal);
  using limit = createLimit(call);
  try {
    const result = (await runShared(call, limit.stop)) ?? (await runAlone(call, limit.stop));
    limit.stop.throwIfAborted();
    return result;
  } catch (error) {
    throw explainFailure(error, workingFolder(call.at));
  }
}

/** Aborted when the caller gives up or time is up, for the reason that is then thrown. */
function createLimit(call: GitCall): Disposable & { readonly stop: AbortSignal } {
  const { signal, timeoutMs = defaultTimeoutMs } = call;
  const controller = new AbortController();
  const onAbort = () => controller.abort(signal.reason);
  const timer = after(timeoutMs, () => controller.abort(timedOut(call, timeoutMs)));
  signal.addEventListener('abort', onAbort, { once: true });
  return {
    stop: controller.signal,
    [Symbol.dispose]() {
      timer[Symbol.dispose]();
      signal.removeEventListener('abort', onAbort);
    },
  };
}

/** Null when it is not one for a shared shell. */
async function runShared(call: GitCall, stop: AbortSignal): Promise<GitResult | null> {
  const { input, maxOutputBytes = defaultMaxOutputBytes } = call;
  if (call.isRecurring !== true || (input?.length ?? 0) > largestSharedInput) return null;
  const cwd = workingFolder(call.at);
  const variables = { ...call.variables, ...placeVariables(call.at) };
  const command = { script: gitScript(call), input, cwd, variables, maxOutputBytes };
  const result = await runInLane(call.env, command, stop);
  const couldNotStart = result !== null && (result.exitCode === 127 || !existsSync(cwd));
  if (result?.exitCode !== 0 && couldNotStart) throw couldNotStartIn(cwd, null);
  return result;
}

async function runAlone(call: GitCall, stop: AbortSignal): Promise<GitResult> {
  const isPlain = call.then === undefined && call.outputFile === undefined;
  const program = isPlain ? 'git' : '/bin/sh';
  const child = spawn(program, isPlain ? call.args : ['-c', gitScript(call)], {
    cwd: workingFolder(call.at),
    env: { ...call.env, ...call.variables, ...placeVariables(call.at) },
    stdio: [call.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    detached: true,
  });
  const result = await collect(child, call, stop);
  // A shell starts where git cannot be found.
  if (!isPlain && result.exitCode === 127) throw couldNotStartIn(workingFolder(call.at), null);
  return result;
}

/** Stdout of a run that must succeed and must fit; anything else is `git.failed`. */
export async function gitOutput(call: GitCall): Promise<Buffer> {
  const result = await git(call);
  if (result.exitCode !== 0 || result.truncated) throw gitFailed(call.args, result);
  return result.stdout;
}

export function gitFailed(args: readonly string[], result: GitResult): LoopwrightError {
  const reason = result.truncated ? 'its output is too large' : lastLines(result.stderr);
  const named = args.slice(0, 3).join(' ');
  return new LoopwrightError(
    'git.failed',
    `git ${named} failed (exit ${result.exitCode}): ${reason}`,
    {
      details: { args, exitCode: result.exitCode, stderr: result.stderr },
    },
  );
}

function workingFolder(at: GitCall['at']): string {
  if ('searchFrom' in at) return at.searchFrom;
  return at.workTree ?? at.gitDir;
}

/** `GIT_COMMON_DIR` too: a linked git folder names its repository in a file that an agent can rewrite. */
function placeVariables(at: GitCall['at']): Record<string, string> {
  if ('searchFrom' in at) return {};
  const variables = { GIT_DIR: at.gitDir, GIT_COMMON_DIR: at.commonDir };
  return at.workTree === null ? variables : { ...variables, GIT_WORK_TREE: at.workTree };
}

function collect(child: ChildProcess, call: GitCall, stop: AbortSignal): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const output = new BoundedOutput(call.maxOutputBytes ?? defaultMaxOutputBytes);
  const complaints = new OutputTail();
  const ending = createEnding(child);
  const onStop = () => ending.start();
  stop.addEventListener('abort', onStop, { once: true });

  child.stdout?.on('data', (chunk: Buffer) => {
    output.add(chunk);
    if (output.isTruncated) ending.start();
  });
  child.stderr?.on('data', (chunk: Buffer) => complaints.add(chunk));
  // git may exit without reading all of its input; its exit code then says why.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(call.input);

  const settle = () => {
    ending.stop();
    stop.removeEventListener('abort', onStop);
  };
  child.once('error', (error) => {
    settle();
    reject(error);
  });
  child.once('close', (code, signalName) => {
    settle();
    const exitCode = exitCodeOf(code, signalName);
    const truncated = output.isTruncated;
    resolve({ exitCode, stdout: output.bytes(), stderr: complaints.text(), truncated });
  });
  return promise;
}

function timedOut({ args }: GitCall, afterMs: number): LoopwrightError {
  const named = args.slice(0, 2).join(' ');
  return new LoopwrightError('git.timeout', `git ${named} did not finish within ${afterMs} ms`, {
    details: { args, afterMs },
  });
}

/** A missing program and a missing working folder both answer ENOENT. */
function explainFailure(error: unknown, cwd: string): unknown {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
  return isMissing ? couldNotStartIn(cwd, error) : error;
}

/** Throws `workspace.gone` when something else than what was opened is where a loop's folders were. */
export function requireOwn({ own }: Checkout): void {
  const lost = own?.firstLost() ?? null;
  if (lost !== null) throw workspaceGone(lost);
}

function workspaceGone(folder: string, cause?: unknown): LoopwrightError {
  const isReplaced = lstatSync(folder, { throwIfNoEntry: false }) !== undefined;
  const what = isReplaced
    ? "has been replaced by something that is not the loop's; it was not touched"
    : 'has been removed';
  return new LoopwrightError('workspace.gone', `The worktree is gone: ${folder} ${what}`, {
    cause,
    hint: 'Resume the loop: its worktree is made anew from its branch.',
  });
}

function couldNotStartIn(cwd: string, cause: unknown): LoopwrightError {
  if (!existsSync(cwd)) return workspaceGone(cwd, cause);
  return new LoopwrightError('git.missing', 'git is not installed or not on PATH', {
    cause,
    hint: 'Install git 2.38 or newer.',
  });
}

function lastLines(stderr: string): string {
  const lines = stderr.trim().split('\n');
  // Advice follows; the name of the lock is what helps.
  const locked = lines.find((line) => line.includes("Unable to create '"));
  if (locked !== undefined) return locked;
  return lines.slice(-3).join(' / ') || 'no message';
}
