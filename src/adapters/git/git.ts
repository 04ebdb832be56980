import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { existsSync } from 'node:fs';
import { LoopwrightError } from '../../core/error.ts';
import { gitTurn } from './git-turns.ts';

/** Where git acts. Always explicit: what a `.git` file in a folder says is never followed. */
export type Checkout = {
  /** `<common>` of a main checkout, `<common>/worktrees/<name>` of a linked one. */
  readonly gitDir: string;
  readonly commonDir: string;
  /** Null in a bare repository. */
  readonly workTree: string | null;
};

export type GitCall = {
  /** A known checkout, or a folder from which git searches upwards (only to find a project). */
  readonly at: Checkout | { readonly searchFrom: string };
  readonly args: readonly string[];
  /** The whole environment; see `environment.ts`. Nothing of the caller's is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /**
   * Runs when the first has succeeded, and what it prints follows. Two in one go cost little more than one: starting a process
   * takes this one, which is large, longer than most commands take.
   */
  readonly then?: FollowUp;
  /** An open file that receives stdout instead of memory. */
  readonly outputFd?: number;
  /** More output ends the process; the result says `truncated`. */
  readonly maxOutputBytes?: number;
  readonly timeoutMs?: number;
  readonly signal: AbortSignal;
};

/** Stands for what the first command has printed, without its last line break. No name of a ref contains it. */
export const firstOutput = '~';

export type FollowUp = {
  readonly args: readonly string[];
  /** Its input, which may contain `firstOutput`. */
  readonly lines?: readonly string[];
};

export type GitResult = {
  readonly exitCode: number;
  readonly stdout: Buffer;
  /** The last few kilobytes. */
  readonly stderr: string;
  readonly truncated: boolean;
};

const defaultMaxOutputBytes = 256 * 1024 * 1024;
const defaultTimeoutMs = 10 * 60_000;
const killGraceMs = 2_000;
const stderrTailBytes = 8 * 1024;

/**
 * Runs git; nothing else in the product does. A non-zero exit is a value. Throws when git is missing, when the folder is gone, on timeout
 * (`git.timeout`) and on abort (the signal's reason), and only after the process group has been ended.
 */
export async function git(call: GitCall): Promise<GitResult> {
  call.signal.throwIfAborted();
  using _turn = await gitTurn(call.args, call.signal);
  const cwd = workingFolder(call.at);
  const [program, ...args] = commandLine(call);
  const child = spawn(program, args, {
    cwd,
    env: { ...call.env, ...placeVariables(call.at) },
    stdio: [call.input === undefined ? 'ignore' : 'pipe', call.outputFd ?? 'pipe', 'pipe'],
    detached: true,
  });
  const running = collect(child, call);
  try {
    return await running;
  } catch (error) {
    throw explainSpawnFailure(error, cwd);
  }
}

function commandLine({ args, then }: GitCall): readonly [string, ...string[]] {
  if (then === undefined) return ['git', ...args];
  const words = (list: readonly string[]): string => list.map(quoted).join(' ');
  const lines = (then.lines ?? []).join('\n').split(firstOutput).map(quoted).join('"$out"');
  // The shell becomes the second command, and what a here-document expands to is not looked at again.
  const script = `out=$(${words(['git', ...args])}) && printf '%s\\n' "$out" || exit
in=${lines}
exec ${words(['git', ...then.args])} ${then.lines === undefined ? '</dev/null' : '<<.\n$in\n.'}
`;
  return ['/bin/sh', '-c', script];
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
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

function collect(child: ChildProcess, call: GitCall): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const limit = call.maxOutputBytes ?? defaultMaxOutputBytes;
  const chunks: Buffer[] = [];
  let size = 0;
  let truncated = false;
  let stderr = Buffer.alloc(0);
  let failure: unknown = null;

  const ending = createEnding(child);
  const onAbort = () => {
    failure = call.signal.reason;
    ending.start();
  };
  const timer = setTimeout(() => {
    failure = timedOut(call);
    ending.start();
  }, call.timeoutMs ?? defaultTimeoutMs);
  call.signal.addEventListener('abort', onAbort, { once: true });

  child.stdout?.on('data', (chunk: Buffer) => {
    const room = limit - size;
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += chunk.length;
    if (size <= limit || truncated) return;
    truncated = true;
    ending.start();
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    stderr = Buffer.concat([stderr, chunk]).subarray(-stderrTailBytes);
  });
  // git may exit without reading all of its input; its exit code then says why.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(call.input);

  const settle = () => {
    clearTimeout(timer);
    ending.stop();
    call.signal.removeEventListener('abort', onAbort);
  };
  child.once('error', (error) => {
    settle();
    reject(error);
  });
  child.once('close', (code, signalName) => {
    settle();
    if (failure !== null) {
      reject(failure);
      return;
    }
    const exitCode = code ?? 128 + (signalName === null ? 0 : constants.signals[signalName]);
    const stdout = Buffer.concat(chunks);
    resolve({ exitCode, stdout, stderr: stderr.toString('utf8'), truncated });
  });
  return promise;
}

/** TERM lets git remove its lock files; KILL follows, and the pipes are let go in case something outside the group holds them. */
function createEnding(child: ChildProcess): { start(): void; stop(): void } {
  let timer: NodeJS.Timeout | null = null;
  return {
    start() {
      if (timer !== null) return;
      killGroup(child, 'SIGTERM');
      timer = setTimeout(() => {
        killGroup(child, 'SIGKILL');
        child.stdout?.destroy();
        child.stderr?.destroy();
      }, killGraceMs);
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, signal);
  } catch {
    // The group has ended by itself.
  }
}

function timedOut(call: GitCall): LoopwrightError {
  const afterMs = call.timeoutMs ?? defaultTimeoutMs;
  const named = call.args.slice(0, 2).join(' ');
  return new LoopwrightError('git.timeout', `git ${named} did not finish within ${afterMs} ms`, {
    details: { args: call.args, afterMs },
  });
}

/** A missing program and a missing working folder both answer ENOENT. */
function explainSpawnFailure(error: unknown, cwd: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'ENOENT') return error;
  if (!existsSync(cwd)) {
    return new LoopwrightError('workspace.gone', `The folder ${cwd} does not exist any more`, {
      cause: error,
      hint: 'Resume the loop: its worktree is made anew from its branch.',
    });
  }
  return new LoopwrightError('git.missing', 'git is not installed or not on PATH', {
    cause: error,
    hint: 'Install git 2.38 or newer.',
  });
}

function lastLines(stderr: string): string {
  const lines = stderr.trim().split('\n');
  return lines.slice(-3).join(' / ') || 'no message';
}
