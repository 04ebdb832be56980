import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { defaultDenied } from '../../../core/agent/native/denied-command.ts';
import { defaultRetries, type RetryPolicy } from '../../../core/agent/native/failure.ts';
import { defaultTools, talkingTools, type ToolName } from '../../../core/agent/native/tool.ts';
import type { Activity, AgentOutcome, Tokens } from '../../../core/agent/outcome.ts';
import { headChars } from '../../../core/text/code-points.ts';
import type { AgentAdapter, AgentEvent } from '../../../ports/agent.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { bareOutcome, describeEnd } from '../agent-outcome.ts';
import type { Assignment } from './assignment.ts';
import {
  chooseEndpoint,
  endpointVariables,
  withoutKeys,
  type EndpointSettings,
} from './endpoint.ts';
import { StreamEvent } from './stream.ts';
import { nodeProgram } from '../../process/own-process.ts';

export type NativeSettings = EndpointSettings & {
  readonly tools?: readonly ToolName[] | undefined;
  readonly 'deny-commands'?: readonly string[] | undefined;
};

/** What tests change: nobody configures it. */
export type NativePace = { readonly retries?: RetryPolicy; readonly stallMs?: number };

type Result = Extract<StreamEvent, { type: 'result' }>;

export type NativeState = {
  readonly model: string | null;
  readonly turns: number;
  readonly tokens: Tokens | null;
  readonly context: number | null;
  readonly result: Result | null;
  readonly stoppedBy: string | null;
};

const emptyState: NativeState = {
  model: null,
  turns: 0,
  tokens: null,
  context: null,
  result: null,
  stoppedBy: null,
};

/** Our own tool loop over a model's API, as a process of its own. */
export function createNativeAgent(
  name: string,
  settings: NativeSettings,
  pace: NativePace = {},
): AgentAdapter<NativeState> {
  const tools = settings.tools ?? defaultTools;
  return {
    name,
    kind: 'native',
    hasSystemPrompt: true,
    permissions: 'bypassed',
    needsPrice: true,
    reportsUsage: true,
    variables: endpointVariables(settings),
    command(run) {
      const chosen = chooseEndpoint(settings, run.model, run.env);
      const { endpoint, keyVariable, contextWindow, obstacle } = chosen;
      const assignment: Assignment = {
        obstacle,
        endpoint: { ...endpoint, stallMs: pace.stallMs ?? endpoint.stallMs },
        keyVariable,
        prompt: run.prompt,
        systemPrompt: run.systemPrompt,
        taskId: run.taskId,
        maxTurns: run.maxTurns === 0 ? Number.MAX_SAFE_INTEGER : run.maxTurns,
        // Nobody would answer them.
        tools: tools.filter((tool) => run.door !== undefined || !talkingTools.includes(tool)),
        denied: settings['deny-commands'] ?? defaultDenied,
        door: run.door ?? null,
        contextWindow,
        maxContextTokens: settings['context-window'] ?? null,
        retries: pace.retries ?? {
          ...defaultRetries,
          retries: run.apiRetries ?? defaultRetries.retries,
        },
      };
      return {
        argv: [nodeProgram, programFile()],
        env: { ...withoutKeys(run.env, settings), ...proxySwitch(run.env) },
        stdin: JSON.stringify(assignment),
        secrets: endpoint.key === null ? [] : [endpoint.key],
        files: {},
        readable: programFolders(),
      };
    },
    start: () => emptyState,
    parse,
    finish,
  };
}

/** Node reads the variables of a proxy only when told to. */
function proxySwitch(env: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'];
  return names.some((name) => (env[name] ?? '') !== '') ? { NODE_USE_ENV_PROXY: '1' } : {};
}

/**
 * From sources the program is the file beside this one. A build emits it as an entry of its own, `native-agent.js`,
 * in the same folder as the bundle that holds this module.
 */
function programFile(): string {
  const name = import.meta.url.endsWith('.ts') ? './program.ts' : './native-agent.js';
  return fileURLToPath(new URL(name, import.meta.url));
}

/** What the program loads: its bundle, or the sources and the packages they use. */
function programFolders(): readonly string[] {
  const folder = path.dirname(programFile());
  if (!import.meta.url.endsWith('.ts')) return [folder];
  const root = path.resolve(folder, '../../../..');
  return [root, realpathSync(path.join(root, 'node_modules'))];
}

const maxActivityChars = 500;

type Parsed = { readonly state: NativeState; readonly events: readonly AgentEvent[] };

function parse(line: string, state: NativeState): Parsed {
  const event = readEvent(line);
  switch (event?.type) {
    case undefined:
    case 'replied':
    case 'called':
    case 'notice':
      return { state, events: [] };
    case 'started':
      return { state: { ...state, model: event.model }, events: [] };
    case 'turn': {
      if (event.speaker !== 'main') return { state, events: [] };
      const turns = Math.max(state.turns, event.number);
      const events = [{ type: 'turn', turns } as const, activity('thinking', `turn ${turns}`)];
      return { state: { ...state, turns }, events };
    }
    case 'said':
      return { state, events: event.speaker === 'main' ? [activity('saying', event.text)] : [] };
    case 'waiting': {
      const { attempt, waitMs } = event;
      const text =
        waitMs === 0
          ? 'for its turn to ask the API'
          : `for the API (attempt ${attempt}, retry in ${Math.ceil(waitMs / 1000)} s)`;
      return { state, events: [activity('waiting', text)] };
    }
    case 'call':
      return { state, events: [activity(event.activity.kind, event.activity.text)] };
    case 'usage': {
      const { tokens, context } = event;
      const { model } = state;
      const events = [{ type: 'usage', tokens, costUsd: null, model }] as const;
      return { state: { ...state, tokens, context }, events };
    }
    case 'result':
      return { state: { ...state, result: event }, events: [{ type: 'result' }] };
    case 'stopped':
      return { state: { ...state, stoppedBy: event.signal }, events: [] };
  }
}

function activity(kind: Activity['kind'], text: string): AgentEvent {
  return { type: 'activity', activity: { kind, text: headChars(text, maxActivityChars) } };
}

function readEvent(line: string): StreamEvent | null {
  try {
    return StreamEvent().safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // Half a line, or not ours.
    return null;
  }
}

function finish(state: NativeState, end: ProcessEnd, stderrTail: string): AgentOutcome {
  const { model, tokens, context, turns, result, stoppedBy } = state;
  const known = { model, tokens, contextPercent: context };
  if (result !== null) {
    const { kind, finalText, evidence, retryAfterMs, resetAtMs } = result;
    const told = { finalText, retryAfterMs, resetAtMs, turns: result.turns };
    const failed = kind === 'api_error' ? failureOf(result) : {};
    return { ...bareOutcome(kind, evidence), ...known, ...told, ...failed };
  }
  const ending =
    stoppedBy === null
      ? bareOutcome('crashed', `ended without a result: ${describeEnd(end, stderrTail)}`)
      : bareOutcome('interrupted', `stopped by ${stoppedBy}`);
  return { ...ending, ...known, turns };
}

function failureOf({ retries, fault }: Result): Pick<AgentOutcome, 'retries' | 'fault'> {
  return {
    ...(retries === undefined ? {} : { retries }),
    ...(fault === undefined ? {} : { fault }),
  };
}
