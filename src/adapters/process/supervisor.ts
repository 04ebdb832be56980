import type { Readable } from 'node:stream';
import { createRedaction, type Redaction } from '../../core/redact/redactor.ts';
import { secretsOf } from '../../core/redact/secret-values.ts';
import type { Clock } from '../../ports/clock.ts';
import type {
  Containment,
  ContainmentMode,
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
import { isNamespace, type Enclosure } from './containment.ts';
import { createEnclosureChoice, type EnclosureChoice } from './enclosure-choice.ts';
import { createRunTree, endRun } from './end-run.ts';
import { findObstacle } from './executable.ts';
import { fileGrowth } from './file-growth.ts';
import { startBehindGate, type GatedProcess } from './gate.ts';
import type { Exit } from './gate-talk.ts';
import { identify, isAlive, markOf } from './identity.ts';
import type { NotStarted } from './keeper.ts';
import { endLeftover } from './leftover.ts';
import { watchForEnd, type Cause } from './limits.ts';
import { workOf, type SignsOfLife } from './liveness.ts';
import { runMarks } from './mark.ts';
import { closeFiles, openFiles, type StreamFiles } from './output-files.ts';
import { findSandboxFault, sandboxEnclosure } from './sandbox.ts';
import { createStandbyGates, type ReadyGate, type StandbyGates } from './standby.ts';
import { createStarter, type Starter } from './starter.ts';
import { createWatchdog, type Watchdog } from './watchdog.ts';

export type SupervisorOptions = {
  readonly clock?: Clock;
  /** Takes this containment and no other. Default: the best that works. */
  readonly containment?: ContainmentMode;
  /** Hears once that processes can escape on this machine. */
  readonly weak?: (containment: Containment) => void;
  /** Hides secrets in the output of every program; learns those that any of them is given. */
  readonly redaction?: Redaction;
};

/**
 * One per engine process, from the main thread. Disposing it ends its watchdog; without that the watchdog ends
 * together with this process.
 */
export function createSupervisor(options: SupervisorOptions = {}): Supervisor & AsyncDisposable {
  const clock = options.clock ?? createSystemClock();
  const self = identify(process.pid);
  const forced = options.containment ?? null;
  const choice = createEnclosureChoice(forced, options.weak ?? (() => undefined));
  const watchdog = createWatchdog(markOf(self), () => choice.current().cgroup ?? null);
  const starter = createStarter(clock);
  const standby = createStandbyGates(clock, starter);
  const leaving = new Set<Promise<void>>();
  const redaction = options.redaction ?? createRedaction([]);
  const mark = markOf(self);
  const owner = { clock, watchdog, choice, starter, standby, leaving, mark, redaction };
  return {
    run: (spec, sink, signal, control) => run(owner, spec, sink, signal, control ?? null),
    async endStandby(group) {
      await standby.end(group);
      await Promise.all(leaving);
    },
    containment: () => choice.containment(),
    sandboxFault: () => findSandboxFault(),
    self: () => Promise.resolve(self),
    isAlive: (identity) => Promise.resolve(isAlive(identity)),
    endLeftover: (identity, graceMs) => endLeftover(self, identity, graceMs, clock),
    async [Symbol.asyncDispose]() {
      await standby.endAll();
      await Promise.all(leaving);
      await starter[Symbol.asyncDispose]();
      await watchdog[Symbol.asyncDispose]();
    },
  };
}

type Owner = {
  readonly clock: Clock;
  readonly watchdog: Watchdog;
  readonly choice: EnclosureChoice;
  readonly starter: Starter;
  readonly standby: StandbyGates;
  /** Keepers of namespaces that are empty. */
  readonly leaving: Set<Promise<void>>;
  readonly mark: string;
  readonly redaction: Redaction;
};

async function run(
  owner: Owner,
  spec: ProcessSpec,
  sink: ProcessSink,
  signal: AbortSignal,
  control: ProcessControl | null,
): Promise<ProcessResult> {
  if (signal.aborted) return withoutRun({ kind: 'cancelled' });
  const obstacle = findObstacle(spec);
  if (obstacle !== null) return withoutRun(notStarted(obstacle));
  const walls = spec.sandbox == null ? null : sandboxEnclosure(spec, spec.sandbox);
  const files = openFiles(spec);
  const ready = await (walls === null ? start(owner, spec) : startInside(owner, walls, spec));
  if ('error' in ready) {
    closeFiles(files);
    return withoutRun(notStarted(ready));
  }
  const { gated } = ready;
  // A namespace dies with us by itself.
  const isGuarded = !isNamespace(gated.mode);
  if (isGuarded) owner.watchdog.guard(gated.pid);
  try {
    const cgroup = gated.cgroup === null ? {} : { cgroup: gated.cgroup };
    const identity = { ...identify(gated.pid), containment: gated.mode, ...cgroup };
    if (!(await mayStart(gated, identity, files, sink, signal))) {
      return withoutRun({ kind: 'cancelled' });
    }
    return await supervise(owner, ready, identity, files, spec, sink, signal, control);
  } finally {
    if (isGuarded) owner.watchdog.release(gated.pid);
  }
}

/** In the best containment there is; the first program shows whether it works. */
async function start(
  { choice, standby, starter }: Owner,
  spec: ProcessSpec,
): Promise<ReadyGate | NotStarted> {
  let enclosure = choice.current();
  const ready = await standby.take(spec, enclosure);
  if (ready !== null) return ready;
  let started = await startBehindGate(spec, enclosure, starter);
  if ('noGate' in started) {
    enclosure = choice.replacement() ?? choice.current();
    started = await startBehindGate(spec, enclosure, starter);
  }
  if ('noGate' in started) {
    const error = `Cannot start \`${spec.argv[0]}\` contained by ${enclosure.mode}: ${started.noGate}.`;
    return { code: 'EGATE', error };
  }
  if (!('pid' in started)) return started;
  choice.proved(enclosure);
  return fresh(started);
}

/** With all the walls that were asked for, or not at all. */
async function startInside(
  { starter }: Owner,
  walls: Enclosure,
  spec: ProcessSpec,
): Promise<ReadyGate | NotStarted> {
  const started = await startBehindGate(spec, walls, starter);
  if (!('noGate' in started)) return 'pid' in started ? fresh(started) : started;
  return {
    code: 'ESANDBOX',
    error: `Cannot start \`${spec.argv[0]}\` in a sandbox: ${started.noGate}.`,
  };
}

function fresh(gated: GatedProcess): ReadyGate {
  return { gated, variables: [], ageMs: 0 };
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
      await gated.gone;
      closeFiles(files);
    }
  }
  return isWanted;
}

async function supervise(
  { clock, choice, starter, standby, leaving, mark, redaction }: Owner,
  { gated, variables, ageMs: standingMs }: ReadyGate,
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
  const { tailBytes, lines = 'all' } = spec;
  const line = sink.line?.bind(sink) ?? null;
  redaction.learn([...secretsOf(spec.env), ...(spec.secrets ?? [])]);
  const capture = (source: Readable, file: number | null, each: typeof line): Capture =>
    captureStream(source, {
      file,
      tailBytes,
      lines,
      line: each,
      redactor: redaction.stream(),
      broken,
    });
  const stdout = capture(gated.stdout, files.stdout, line);
  const stderr = capture(gated.stderr, files.stderr, null);

  const startedAt = clock.monotonic();
  const ageMs = (): number => clock.monotonic() - startedAt;
  const runMark = markOf(identity);
  const tree = createRunTree(identity, runMark, () => standingMs + ageMs());
  const ended = gated.ended.then((exit) => ({ exit, durationMs: ageMs() }));

  const signs: SignsOfLife = {
    printed: () => stdout.received() + stderr.received(),
    files: () => fileGrowth(spec.growing ?? []),
    work: () => workOf(tree, identity.pid),
  };
  const watch = watchForEnd({ ...spec, control, signal }, signs, clock, (cause) =>
    stop.resolve(cause),
  );
  feed(gated, spec.stdin);
  gated.open(runMarks(mark, runMark), variables);
  // Only now: the first program of all does not wait for it.
  if (isNamespace(gated.mode)) starter.prepare();
  if (spec.standby?.isLong === true) standby.prepare(spec.standby.group, choice.current());
  const cause = await Promise.race([ended.then(() => null), stop.promise]);
  watch.stop();

  const ending = { graceMs: spec.graceMs, isCut: cause !== null };
  const { left } = await endRun(gated, identity, tree, ending, clock);
  leaving.add(left);
  // One that does not leave is told when the supervisor is disposed.
  left.then(
    () => leaving.delete(left),
    () => undefined,
  );
  const { exit, durationMs } = await ended;
  gated.stdin?.destroy();
  await Promise.all([stdout.drained(clock), stderr.drained(clock)]);
  if (faults.length > 0) throw faults[0];
  return { end: endOf(cause, exit), durationMs, ...resultOf(gated, stdout, stderr) };
}

function feed(gated: GatedProcess, text: string | null): void {
  if (gated.stdin === null) return;
  // A program need not read its input: a closed pipe is no failure.
  gated.stdin.on('error', () => undefined);
  gated.stdin.end(text ?? '');
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
  return { end, durationMs: 0, containment: null, ...empty };
}

function resultOf(
  gated: GatedProcess,
  stdout: Capture,
  stderr: Capture,
): Omit<ProcessResult, 'end' | 'durationMs'> {
  return {
    containment: gated.mode,
    stdoutTail: stdout.tail(),
    stderrTail: stderr.tail(),
    stdoutBytes: stdout.bytes(),
    stderrBytes: stderr.bytes(),
  };
}
