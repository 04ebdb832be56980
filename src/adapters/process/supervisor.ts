import { open, type FileHandle } from 'node:fs/promises';
import { LoopwrightError } from '../../core/error.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  ProcessControl,
  ProcessEnd,
  ProcessIdentity,
  ProcessResult,
  ProcessSink,
  ProcessSpec,
  Supervisor,
} from '../../ports/process.ts';
import { createSystemClock } from '../clock/system-clock.ts';
import { captureStream, type Capture } from './capture.ts';
import { findObstacle } from './executable.ts';
import { startBehindGate, type Exit, type GatedProcess, type NotStarted } from './gate.ts';
import { identify, isAlive, markOf } from './identity.ts';
import { runMarks } from './mark.ts';
import { createGroupTree, createProcessTree, endTree, type ProcessTree } from './tree.ts';
import { createWatchdog, type Watchdog } from './watchdog.ts';

export type SupervisorOptions = { readonly clock?: Clock };

/** What background processes get to tidy up when their leader has ended by itself. */
const leftoverGraceMs = 1000;

/**
 * One per engine process, from the main thread. Disposing it ends its watchdog; without that the watchdog ends
 * together with this process.
 */
export function createSupervisor(options: SupervisorOptions = {}): Supervisor & AsyncDisposable {
  const clock = options.clock ?? createSystemClock();
  const self = identify(process.pid);
  const watchdog = createWatchdog(markOf(self));
  const owner = { clock, watchdog, mark: markOf(self) };
  return {
    run: (spec, sink, signal, control) => run(owner, spec, sink, signal, control ?? null),
    self: () => Promise.resolve(self),
    isAlive: (identity) => Promise.resolve(isAlive(identity)),
    endLeftover: (identity, graceMs) => endLeftover(self, identity, graceMs, clock),
    [Symbol.asyncDispose]: () => watchdog[Symbol.asyncDispose](),
  };
}

type Owner = { readonly clock: Clock; readonly watchdog: Watchdog; readonly mark: string };

/** Why a run is ended from outside; the first one stands. */
type Cause =
  | Extract<ProcessEnd, { kind: 'timed-out' | 'cancelled' | 'ended-after-result' }>
  | { readonly kind: 'broken'; readonly error: unknown };

async function run(
  owner: Owner,
  spec: ProcessSpec,
  sink: ProcessSink,
  signal: AbortSignal,
  control: ProcessControl | null,
): Promise<ProcessResult> {
  if (signal.aborted) return withoutRun({ kind: 'cancelled' });
  const obstacle = await findObstacle(spec);
  if (obstacle !== null) return withoutRun(notStarted(obstacle));
  const files = await openFiles(spec);
  const gated = await startBehindGate(spec);
  if ('error' in gated) {
    await closeFiles(files);
    return withoutRun(notStarted(gated));
  }
  owner.watchdog.guard(gated.pid);
  try {
    const identity = identify(gated.pid);
    if (!(await mayStart(gated, identity, files, sink, signal))) {
      return withoutRun({ kind: 'cancelled' });
    }
    return await supervise(owner, gated, identity, files, spec, sink, signal, control);
  } finally {
    owner.watchdog.release(gated.pid);
  }
}

/** Tells who was started. When that fails or nobody wants it any more, the gate is closed for good. */
async function mayStart(
  gated: GatedProcess,
  identity: ProcessIdentity,
  files: StreamFiles,
  sink: ProcessSink,
  signal: AbortSignal,
): Promise<boolean> {
  let isWanted = false;
  try {
    await sink.started?.(identity);
    isWanted = !signal.aborted;
  } finally {
    if (!isWanted) {
      gated.abandon();
      await gated.exited;
      await closeFiles(files);
    }
  }
  return isWanted;
}

async function supervise(
  { clock, mark }: Owner,
  gated: GatedProcess,
  identity: ProcessIdentity,
  files: StreamFiles,
  spec: ProcessSpec,
  sink: ProcessSink,
  signal: AbortSignal,
  control: ProcessControl | null,
): Promise<ProcessResult> {
  const stop = Promise.withResolvers<Cause>();
  const faults: unknown[] = [];
  const broken = (error: unknown): void => {
    faults.push(error);
    stop.resolve({ kind: 'broken', error });
  };
  const { tailBytes } = spec;
  const line = sink.line?.bind(sink) ?? null;
  const stdout = captureStream(gated.stdout, { file: files.stdout, tailBytes, line, broken });
  const stderr = captureStream(gated.stderr, { file: files.stderr, tailBytes, line: null, broken });

  const startedAt = clock.monotonic();
  const ageMs = (): number => clock.monotonic() - startedAt;
  const runMark = markOf(identity);
  const tree = treeOf(identity, runMark, ageMs);
  const exited = gated.exited.then((exit) => ({ exit, durationMs: ageMs() }));

  const watch = watchForEnd(spec, control, signal, clock, (cause) => stop.resolve(cause));
  feed(gated, spec.stdin);
  gated.open(runMarks(mark, runMark));
  const cause = await Promise.race([exited.then(() => null), stop.promise]);
  watch.stop();

  const graceMs = cause === null ? Math.min(spec.graceMs, leftoverGraceMs) : spec.graceMs;
  await endTree(tree, graceMs, clock).catch((error: unknown) => {
    gated.abandon();
    throw error;
  });
  const { exit, durationMs } = await exited;
  gated.stdin?.destroy();
  await Promise.all([stdout.drained(clock), stderr.drained(clock)]);
  if (faults.length > 0) throw faults[0];
  return resultOf(endOf(cause, exit), durationMs, stdout, stderr);
}

/** Waits for the caller's signal, the time limit and the program's result, whichever is first. */
function watchForEnd(
  spec: ProcessSpec,
  control: ProcessControl | null,
  signal: AbortSignal,
  clock: Clock,
  end: (cause: Cause) => void,
): { stop(): void } {
  const settled = new AbortController();
  const after = (ms: number, cause: Cause): void => {
    // Rejects when the run is over before the time is.
    clock.sleep(ms, settled.signal).then(
      () => end(cause),
      () => undefined,
    );
  };
  const cancel = (): void => end({ kind: 'cancelled' });
  signal.addEventListener('abort', cancel, { once: true });
  const { timeoutMs } = spec;
  if (timeoutMs !== null) after(timeoutMs, { kind: 'timed-out', afterMs: timeoutMs });
  control?.finished.then(
    () => after(control.lingerMs, { kind: 'ended-after-result' }),
    (error: unknown) => end({ kind: 'broken', error }),
  );
  return {
    stop() {
      signal.removeEventListener('abort', cancel);
      settled.abort();
    },
  };
}

function feed(gated: GatedProcess, text: string | null): void {
  if (gated.stdin === null) return;
  // A program need not read its input: a closed pipe is no failure.
  gated.stdin.on('error', () => undefined);
  gated.stdin.end(text ?? '');
}

async function endLeftover(
  self: ProcessIdentity,
  identity: ProcessIdentity,
  graceMs: number,
  clock: Clock,
): Promise<boolean> {
  if (identity.host !== self.host || identity.bootId !== self.bootId) return false;
  if (identity.pid === self.pid && identity.startTime === self.startTime) return false;
  const isLeaderAlive = isAlive(identity);
  if (identity.startTime === null) {
    return isLeaderAlive && (await endTree(createGroupTree(identity.pid), graceMs, clock)) > 0;
  }
  const leader = isLeaderAlive ? identity.pid : null;
  const tree = createProcessTree({ leader, mark: markOf(identity), ageMs: () => Infinity });
  return (await endTree(tree, graceMs, clock)) > 0;
}

function treeOf(identity: ProcessIdentity, mark: string, ageMs: () => number): ProcessTree {
  return identity.startTime === null
    ? createGroupTree(identity.pid)
    : createProcessTree({ leader: identity.pid, mark, ageMs });
}

type StreamFiles = { readonly stdout: FileHandle | null; readonly stderr: FileHandle | null };

async function openFiles(spec: ProcessSpec): Promise<StreamFiles> {
  const stdout = await openFile(spec.stdoutFile);
  try {
    return { stdout, stderr: await openFile(spec.stderrFile) };
  } catch (error) {
    await stdout?.close();
    throw error;
  }
}

async function openFile(file: string | null): Promise<FileHandle | null> {
  if (file === null) return null;
  try {
    return await open(file, 'w');
  } catch (cause) {
    throw new LoopwrightError('process.output_file', `Cannot write the output file ${file}.`, {
      cause,
      hint: 'Check that its folder exists, is writable and has space left.',
    });
  }
}

async function closeFiles(files: StreamFiles): Promise<void> {
  await Promise.all([files.stdout?.close(), files.stderr?.close()]);
}

function endOf(cause: Cause | null, exit: Exit): ProcessEnd {
  if (cause !== null && cause.kind !== 'broken') return cause;
  if (exit.signal !== null) return { kind: 'signalled', signal: exit.signal };
  return { kind: 'exited', code: exit.code ?? 0 };
}

function notStarted({ error, code }: NotStarted): ProcessEnd {
  return { kind: 'not-started', error, code };
}

function withoutRun(end: ProcessEnd): ProcessResult {
  const empty = { stdoutTail: '', stderrTail: '', stdoutBytes: 0, stderrBytes: 0 };
  return { end, durationMs: 0, ...empty };
}

function resultOf(
  end: ProcessEnd,
  durationMs: number,
  stdout: Capture,
  stderr: Capture,
): ProcessResult {
  return {
    end,
    durationMs,
    stdoutTail: stdout.tail(),
    stderrTail: stderr.tail(),
    stdoutBytes: stdout.bytes(),
    stderrBytes: stderr.bytes(),
  };
}
