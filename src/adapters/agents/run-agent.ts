import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
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
import { describeEnd } from './agent-outcome.ts';
import { TurnLimit } from './turn-limit.ts';

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
    ...(adapter.hasNoUsage === undefined ? {} : { hasNoUsage: adapter.hasNoUsage }),
    ...(adapter.reportsUsage === undefined ? {} : { reportsUsage: adapter.reportsUsage }),
    variables: adapter.variables ?? [],
    async run(run, files, limits, sink, signal) {
      const command = adapter.command(withPreset(run, preset));
      await writeFiles(command.files);
      using turns = new TurnLimit(run.maxTurns, signal);
      const stream = readStream(adapter, turnsInto(inFolder(sink, run.cwd), turns));
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
        turns.signal,
        { finished: stream.finished, lingerMs },
      );
      const { end, durationMs } = result;
      const printed = lastLines(result);
      const judged = adapter.finish(stream.state(), end, result.stderrTail, printed);
      const outcome = turns.judge(overruled(judged, end, stream.hasResult()));
      return { end, durationMs, outcome };
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

function turnsInto(sink: AgentSink, limit: TurnLimit): AgentSink {
  return {
    ...sink,
    turns(turns) {
      sink.turns?.(turns);
      limit.taken(turns);
    },
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

function readStream<S>(adapter: AgentAdapter<S>, sink: AgentSink): AgentStream<S> {
  const finished = Promise.withResolvers<void>();
  let hasResult = false;
  let state = adapter.start();

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
        return;
      case 'result':
        hasResult = true;
        finished.resolve();
        return;
    }
  }

  return {
    line(line) {
      const parsed = adapter.parse(line, state);
      state = parsed.state;
      for (const event of parsed.events) take(event);
    },
    state: () => state,
    hasResult: () => hasResult,
    finished: finished.promise,
  };
}

/** Our own ending of a run is stronger than what its stream says; a result delivered in time is kept. */
function overruled(outcome: AgentOutcome, end: ProcessEnd, hasResult: boolean): AgentOutcome {
  const evidence = describeEnd(end, '');
  if (end.kind === 'cancelled') return { ...outcome, kind: 'interrupted', evidence };
  if (end.kind === 'timed-out' && !hasResult) return { ...outcome, kind: 'timeout', evidence };
  if (end.kind === 'hung' && !hasResult) return { ...outcome, kind: 'hung', evidence };
  return outcome;
}
