import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  addTokens,
  agentOutcomeKinds,
  type AgentOutcome,
  type Tokens,
} from '../../../core/agent/outcome.ts';
import type { AgentAdapter, AgentEvent, AgentRun } from '../../../ports/agent.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { z } from 'zod';
import { lazy } from '../../../core/lazy.ts';
import { bareOutcome, describeEnd } from '../agent-outcome.ts';
import type { Performance, PlayerEvent } from './performance.ts';
import type { Script, ScriptStep } from './script.ts';
import { nodeProgram } from '../../process/own-process.ts';

type Result = Extract<PlayerEvent, { type: 'result' }>;

export type ScriptedState = {
  readonly model: string | null;
  readonly tokens: Tokens | null;
  readonly costUsd: number | null;
  readonly result: Result | null;
  readonly failure: string | null;
};

const emptyState: ScriptedState = {
  model: null,
  tokens: null,
  costUsd: null,
  result: null,
  failure: null,
};

/**
 * Plays a script, one process per iteration. The script is read once: what the agent does to its file changes
 * nothing. For `times` the adapter counts the runs of the current iteration of each loop, in memory only: a resumed
 * loop counts anew.
 */
export function createScriptedAgent(name: string, script: Script): AgentAdapter<ScriptedState> {
  const countRun = createRunCounter();
  return {
    name,
    kind: 'cli',
    ...(tellsCost(script) ? {} : { needsPrice: true as const }),
    reportsUsage: true,
    command: (run) => ({
      argv: [nodeProgram, playerFile()],
      env: run.env,
      stdin: JSON.stringify(performanceOf(script, run, countRun(run))),
      files: {},
      readable: [path.dirname(playerFile())],
    }),
    start: () => emptyState,
    parse,
    finish,
  };
}

/** Whether the script says what it costs anywhere, or uses nothing. */
function tellsCost({ iterations }: Script): boolean {
  const uses = iterations.flatMap(({ steps }) => steps.flatMap(({ usage }) => usage ?? []));
  return uses.length === 0 || uses.some((usage) => usage['cost-usd'] !== undefined);
}

/**
 * From sources the player is the file beside this one. A build emits it as an entry of its own,
 * `scripted-player.js`, in the same folder as the bundle that holds this module.
 */
export function playerFile(): string {
  const name = import.meta.url.endsWith('.ts') ? './player.ts' : './scripted-player.js';
  return fileURLToPath(new URL(name, import.meta.url));
}

/** What the script says for this run. `runNumber` counts from 1 within the iteration. */
export function performanceOf(script: Script, run: AgentRun, runNumber: number): Performance {
  const { iterations } = script;
  const isOver = run.iteration > iterations.length && script.then === 'stop';
  const iteration = iterations[Math.min(run.iteration, iterations.length) - 1];
  if (isOver || iteration === undefined) {
    return { steps: [], final: 'The script is over.', linger: 0 };
  }
  const applies = ({ outcome }: ScriptStep): boolean =>
    outcome?.times === undefined || runNumber <= outcome.times;
  return filled({ ...iteration, steps: iteration.steps.filter(applies) }, run);
}

/** Fills the placeholders of every text in one pass, so that what is filled in is never expanded again. */
function filled(performance: Performance, run: AgentRun): Performance {
  const values: Readonly<Record<string, string>> = {
    'task-id': run.taskId,
    'loop-id': run.loopId,
    iteration: String(run.iteration),
  };
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(task-id|loop-id|iteration)\}\}/g, (_, key: string) => values[key] ?? '');
  return {
    ...performance,
    final: fill(performance.final),
    steps: performance.steps.map((step) => filledStep(step, fill)),
  };
}

function filledStep(step: ScriptStep, fill: (text: string) => string): ScriptStep {
  if (step.say !== undefined) return { say: fill(step.say) };
  if (step.think !== undefined) return { think: fill(step.think) };
  if (step.run !== undefined) return { run: fill(step.run) };
  if (step.write !== undefined)
    return { write: { ...step.write, content: fill(step.write.content) } };
  if (step.append !== undefined) {
    return { append: { ...step.append, content: fill(step.append.content) } };
  }
  if (step.edit !== undefined) return { edit: { ...step.edit, replace: fill(step.edit.replace) } };
  return step;
}

function createRunCounter(): (run: AgentRun) => number {
  const latest = new Map<string, { readonly iteration: number; readonly runs: number }>();
  return ({ loopId, iteration }) => {
    const before = latest.get(loopId);
    const runs = before?.iteration === iteration ? before.runs + 1 : 1;
    latest.set(loopId, { iteration, runs });
    return runs;
  };
}

const Count = lazy(() => z.number());
const EventLine = lazy(
  () =>
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('started'), model: z.string().nullable() }),
      z.object({
        type: z.literal('activity'),
        kind: z.enum([
          'thinking',
          'reading',
          'editing',
          'running',
          'waiting',
          'saying',
          'finished',
        ]),
        text: z.string(),
      }),
      z.object({
        type: z.literal('usage'),
        tokens: z.object({
          input: Count(),
          output: Count(),
          cacheRead: Count(),
          cacheWrite: Count(),
        }),
        costUsd: z.number().nullable(),
      }),
      z.object({
        type: z.literal('result'),
        kind: z.enum(agentOutcomeKinds),
        finalText: z.string(),
        evidence: z.string(),
        retryAfterMs: z.number().nullable(),
        resetAtMs: z.number().nullable(),
      }),
      z.object({ type: z.literal('failed'), reason: z.string() }),
    ]) satisfies z.ZodType<PlayerEvent>,
);

const maxActivityChars = 500;

function parse(
  line: string,
  state: ScriptedState,
): { readonly state: ScriptedState; readonly events: readonly AgentEvent[] } {
  const event = readEvent(line);
  switch (event?.type) {
    case undefined:
      return { state, events: [] };
    case 'started':
      return { state: { ...state, model: event.model }, events: [] };
    case 'activity': {
      const text = event.text.slice(0, maxActivityChars).toWellFormed();
      return { state, events: [{ type: 'activity', activity: { kind: event.kind, text } }] };
    }
    case 'usage': {
      const tokens = addTokens(state.tokens, event.tokens);
      const costUsd = event.costUsd === null ? state.costUsd : (state.costUsd ?? 0) + event.costUsd;
      return { state: { ...state, tokens, costUsd }, events: [{ type: 'usage', tokens, costUsd }] };
    }
    case 'result':
      return { state: { ...state, result: event }, events: [{ type: 'result' }] };
    case 'failed':
      return { state: { ...state, failure: event.reason }, events: [] };
  }
}

function readEvent(line: string): PlayerEvent | null {
  try {
    return EventLine().safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // Not JSON, so not an event.
    return null;
  }
}

function finish(state: ScriptedState, end: ProcessEnd, stderrTail: string): AgentOutcome {
  const { model, tokens, costUsd, result } = state;
  const known = { model, tokens, costUsd };
  if (result === null) {
    const reason = state.failure ?? `ended without a result: ${describeEnd(end, stderrTail)}`;
    return { ...bareOutcome('crashed', reason), ...known };
  }
  const { kind, finalText, evidence, retryAfterMs, resetAtMs } = result;
  return { ...bareOutcome(kind, evidence), ...known, finalText, retryAfterMs, resetAtMs };
}
