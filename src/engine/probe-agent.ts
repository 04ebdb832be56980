import path from 'node:path';
import type { Activity } from '../core/agent/outcome.ts';
import type { ProbeFindings, StopRun, WriteRun } from '../core/agent/probe.ts';
import { priceUsage } from '../core/price/price.ts';
import type { Settings } from '../core/config/schema.ts';
import type { AgentRun, AgentRunner, AgentRunResult, AgentSink } from '../ports/agent.ts';
import type { Clock } from '../ports/clock.ts';
import type { ShippedPrices } from '../ports/prices.ts';

/** Where the probe takes place, and what it acts through. */
export type ProbePlace = {
  readonly runner: AgentRunner;
  readonly clock: Clock;
  readonly prices: ShippedPrices;
  /** An empty repository, and a folder beside it for the streams. Absolute. */
  readonly folder: string;
  readonly logs: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: string | null;
  readonly configured: Settings['prices'];
  /** The names of the files in `folder`. */
  list(): Promise<readonly string[]>;
  /** Null when there is no such file. */
  read(name: string): Promise<string | null>;
  save(file: string, text: string): Promise<void>;
  /** Commands of processes that came from the probe and still run; null: cannot be looked up. */
  left(): Promise<readonly string[] | null>;
  /** Every action as it happens. */
  show(activity: Activity): void;
};

const fileName = 'probe.txt';
/** Whose gates stand ready during the probe. */
export const probeLoopId = 'loop-00000000';
const limits = { timeoutMs: 300_000, graceMs: 5000 };
/** When an agent is told to end that does not say that it runs the command. */
const afterActivityMs = 5000;
const afterStartMs = 30_000;

/** Runs the agent twice: once to write a file, once to be ended. `token` makes the file's content unique. */
export async function probeAgent(
  place: ProbePlace,
  token: string,
  signal: AbortSignal,
): Promise<ProbeFindings> {
  const write = await askToWrite(place, `loopwright ${token}`, signal);
  const isUsable = write.isStarted && write.outcome.kind !== 'auth' && !signal.aborted;
  const stop = isUsable ? await tellToStop(place, signal) : null;
  return { write, stop, left: await place.left() };
}

async function askToWrite(
  place: ProbePlace,
  wanted: string,
  signal: AbortSignal,
): Promise<WriteRun> {
  const prompt = `Create a file named ${fileName} in the current folder that contains exactly this one line:\n\n${wanted}\n\nDo nothing else, then say that it is done.\n`;
  const activities: Activity[] = [];
  let isStarted = false;
  let isLive = false;
  const sink: AgentSink = {
    started: async () => {
      isStarted = true;
    },
    activity(activity) {
      activities.push(activity);
      isLive ||= activity.kind !== 'finished';
      place.show(activity);
    },
    usage: () => {},
  };
  const { outcome, end } = await runOnce(place, 'write', prompt, sink, signal);
  const files = (await place.list()).filter((name) => name !== fileName);
  return {
    outcome,
    isStarted: isStarted && end.kind !== 'not-started',
    obstacle: end.kind === 'not-started' ? end.error : null,
    activities,
    isLive,
    costUsd: await costOf(place, outcome),
    written: await place.read(fileName),
    wanted,
    otherFiles: files,
  };
}

async function costOf(
  { prices, configured, model }: ProbePlace,
  outcome: AgentRunResult['outcome'],
): Promise<number | null> {
  const usage = { ...outcome, model: outcome.model ?? model };
  return priceUsage(usage, configured, await prices.load()).costUsd;
}

async function tellToStop(place: ProbePlace, signal: AbortSignal): Promise<StopRun> {
  const prompt =
    'Run this shell command in the current folder and wait until it ends:\n\ntail -f /dev/null\n';
  const stop = new AbortController();
  const over = new AbortController();
  let toldAt: number | null = null;
  const tell = () => {
    toldAt ??= place.clock.monotonic();
    stop.abort();
  };
  const tellAfter = (ms: number): void => {
    place.clock.sleep(ms, over.signal).then(tell, () => {});
  };
  signal.addEventListener('abort', tell, { once: true });
  let isFirst = true;
  const sink: AgentSink = {
    started: async () => tellAfter(afterStartMs),
    activity(activity) {
      place.show(activity);
      if (activity.kind === 'running') tell();
      else if (isFirst) tellAfter(afterActivityMs);
      isFirst = false;
    },
    usage: () => {},
  };
  try {
    const { end } = await runOnce(place, 'stop', prompt, sink, stop.signal);
    const tookMs = toldAt === null ? 0 : place.clock.monotonic() - toldAt;
    return { wasTold: end.kind === 'cancelled', tookMs, graceMs: limits.graceMs };
  } finally {
    over.abort();
    signal.removeEventListener('abort', tell);
  }
}

async function runOnce(
  place: ProbePlace,
  name: string,
  prompt: string,
  sink: AgentSink,
  signal: AbortSignal,
): Promise<AgentRunResult> {
  const { runner, folder, logs, env, model } = place;
  const run: AgentRun = {
    loopId: probeLoopId,
    taskId: 't-00000000',
    iteration: 1,
    maxIterations: 1,
    model,
    systemPrompt: null,
    prompt,
    promptFile: path.join(logs, `${name}.md`),
    cwd: folder,
    env,
    maxTurns: 20,
  };
  await place.save(run.promptFile, prompt);
  const files = { stdout: path.join(logs, `${name}.out`), stderr: path.join(logs, `${name}.err`) };
  return runner.run(run, files, limits, sink, signal);
}
