import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createSystemClock } from '../clock/system-clock.ts';
import { writeOwnFile } from '../files/own-file.ts';
import type { AgentOutcome } from '../../core/agent/outcome.ts';
import { reservedVariables } from '../../core/env/reserved.ts';
import type {
  AgentAdapter,
  AgentCommand,
  AgentEvent,
  AgentFiles,
  AgentLimits,
  AgentRun,
  AgentRunner,
  AgentSink,
} from '../../ports/agent.ts';
import type {
  ProcessEnd,
  ProcessResult,
  ProcessSpec,
  Sandbox,
  Supervisor,
} from '../../ports/process.ts';
import { contextOf } from './session-context.ts';
import { describeEnd } from './agent-outcome.ts';
import { RunLimits } from './run-limits.ts';

/** What is said about an agent where it is configured, for every adapter alike. */
export type AgentPreset = {
  /** Used whatever the run says; null: the run's. */
  readonly model: string | null;
  readonly env: Readonly<Record<string, string>>;
};

const noPreset: AgentPreset = { model: null, env: {} };

/** An agent that delivered its result and does not exit, since a grandchild holds its output, is ended after this. */
const lingerMs = 5000;
const tailBytes = 256 * 1024;
const clock = createSystemClock();

/** Makes an agent out of an adapter. One runner may run any number of iterations, also at once. */
export function createAgentRunner<S>(
  adapter: AgentAdapter<S>,
  supervisor: Supervisor,
  preset: AgentPreset = noPreset,
): AgentRunner {
  return {
    name: adapter.name,
    kind: adapter.kind,
    ...(adapter.permissions === undefined ? {} : { permissions: adapter.permissions }),
    ...(adapter.needsPrice === undefined ? {} : { needsPrice: adapter.needsPrice }),
    ...(adapter.canResume === undefined ? {} : { canResume: adapter.canResume }),
    ...(adapter.hasNoUsage === undefined ? {} : { hasNoUsage: adapter.hasNoUsage }),
    ...(adapter.reportsUsage === undefined ? {} : { reportsUsage: adapter.reportsUsage }),
    ...(adapter.hasSystemPrompt === undefined ? {} : { hasSystemPrompt: adapter.hasSystemPrompt }),
    variables: adapter.variables ?? [],
    async run(run, files, limits, sink, signal) {
      const command = adapter.command(withPreset(run, preset));
      await writeFiles(command.files);
      const { maxTurns, apiRetries = null } = run;
      using own = new RunLimits({ maxTurns, apiRetries }, signal, clock);
      const stream = readStream(adapter, run, inFolder(sink, run.cwd), own);
      const result = await supervisor.run(
        {
          ...specOf(run, files, limits),
          argv: command.argv,
          env: command.env,
          stdin: command.stdin,
          secrets: command.secrets ?? [],
          lines: adapter.lines ?? 'all',
          growing: adapter.transcripts?.(run) ?? [],
          sandbox: sandboxOf(run, command),
        },
        { started: (identity) => sink.started(identity), line: (line) => stream.line(line) },
        own.signal,
        { finished: stream.finished, lingerMs },
      );
      const { end, durationMs } = result;
      const printed = lastLines(result);
      const { stderrTail } = result;
      const judged = adapter.finish(stream.state(), end, stderrTail, printed, clock.now());
      const outcome = own.judge(judged, overruled(judged, end, stream.hasResult()));
      return { end, durationMs, outcome: await withSession(adapter, run, outcome) };
    },
  };
}

/** Paths below the working folder are told as the agent would write them. */
function inFolder(sink: AgentSink, cwd: string): AgentSink {
  const prefix = cwd.endsWith('/') ? cwd : `${cwd}/`;
  return {
    ...sink,
    activity: ({ kind, text }) => sink.activity({ kind, text: text.replaceAll(prefix, '') }),
  };
}

/** Cut in the middle of a line, the rest of it must not pass for a line of its own. */
function lastLines({ stdoutTail, stdoutBytes }: ProcessResult): string {
  if (stdoutBytes <= tailBytes) return stdoutTail.trimEnd();
  const firstEnd = stdoutTail.indexOf('\n');
  const isOneLine = firstEnd === -1 || firstEnd === stdoutTail.length - 1;
  return (isOneLine ? `…${stdoutTail}` : stdoutTail.slice(firstEnd + 1)).trimEnd();
}

function withPreset(run: AgentRun, preset: AgentPreset): AgentRun {
  const model = preset.model ?? run.model;
  const reserved = reservedVariables({ ...run, model, home: null });
  return { ...run, model, env: { ...run.env, ...preset.env, ...reserved } };
}

function specOf(
  run: AgentRun,
  files: AgentFiles,
  limits: AgentLimits,
): Omit<ProcessSpec, 'argv' | 'env' | 'stdin'> {
  return {
    cwd: run.cwd,
    stdoutFile: files.stdout,
    stderrFile: files.stderr,
    tailBytes,
    timeoutMs: limits.timeoutMs,
    idleMs: limits.idleMs ?? 0,
    graceMs: limits.graceMs,
    standby: { group: run.loopId, isLong: true },
  };
}

/** The walls of the run, with doors for what the agent itself needs. */
function sandboxOf({ sandbox, promptFile, env }: AgentRun, command: AgentCommand): Sandbox | null {
  if (sandbox == null) return null;
  const home = env['HOME'];
  const state =
    home === undefined ? [] : (command.state ?? []).map((name) => path.join(home, name));
  return {
    ...sandbox,
    readable: [
      ...sandbox.readable,
      promptFile,
      ...Object.keys(command.files),
      ...(command.readable ?? []),
    ],
    writable: [...sandbox.writable, ...state.filter((file) => existsSync(file))],
  };
}

async function writeFiles(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [file, content] of Object.entries(files)) {
    await mkdir(path.dirname(file), { recursive: true });
    writeOwnFile(file, content);
  }
}

type AgentStream<S> = {
  line(line: string): void;
  state(): S;
  hasResult(): boolean;
  readonly finished: Promise<void>;
};

function readStream<S>(
  adapter: AgentAdapter<S>,
  run: AgentRun,
  sink: AgentSink,
  limits: RunLimits,
): AgentStream<S> {
  const finished = Promise.withResolvers<void>();
  let hasResult = false;
  let state = adapter.start(run);

  function take(event: AgentEvent): void {
    switch (event.type) {
      case 'activity':
        sink.activity(event.activity);
        return;
      case 'usage':
        sink.usage(event.tokens, event.costUsd, event.model ?? null);
        return;
      case 'turn':
        sink.turns?.(event.turns);
        limits.taken(event.turns);
        return;
      case 'retry':
        limits.repeats(event.retries, event.waitMs);
        return;
      case 'result':
        hasResult = true;
        finished.resolve();
        return;
    }
  }

  return {
    line(line) {
      limits.heard();
      const parsed = adapter.parse(line, state);
      state = parsed.state;
      for (const event of parsed.events) take(event);
    },
    state: () => state,
    hasResult: () => hasResult,
    finished: finished.promise,
  };
}

/** What is to be known of a session that a run went on with, or that a later one may go on with. */
async function withSession<S>(
  adapter: AgentAdapter<S>,
  run: AgentRun,
  outcome: AgentOutcome,
): Promise<AgentOutcome> {
  // An agent that knows no such session ends before it asks a model anything.
  const isLost = run.resume !== undefined && outcome.kind === 'crashed' && outcome.turns === null;
  if (isLost) return { ...outcome, sessionLost: true };
  const { contextIn } = adapter;
  const { sessionId, contextPercent } = outcome;
  if (run.keepsSession !== true || contextPercent !== null || sessionId === null) return outcome;
  if (contextIn === undefined) return outcome;
  const patterns = adapter.transcripts?.(run) ?? [];
  return { ...outcome, contextPercent: await contextOf(patterns, sessionId, contextIn) };
}

/** Our own ending of a run is stronger than what its stream says; a result delivered in time is kept. */
function overruled(outcome: AgentOutcome, end: ProcessEnd, hasResult: boolean): AgentOutcome {
  const evidence = describeEnd(end, '');
  if (end.kind === 'cancelled') return { ...outcome, kind: 'interrupted', evidence };
  if (end.kind === 'timed-out' && !hasResult) return { ...outcome, kind: 'timeout', evidence };
  if (end.kind === 'hung' && !hasResult) return { ...outcome, kind: 'hung', evidence };
  return outcome;
}
