import { realpathSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentOutcome } from '../../../core/agent/outcome.ts';
import { packageVersion } from '../../../package-version.ts';
import type { AgentAdapter, AgentEvent } from '../../../ports/agent.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { stateFolders } from '../state-folders.ts';
import { activity, toolActivity } from './acp-activity.ts';
import { AcpLine, type AcpOrder } from './acp-line.ts';
import { judgeSession, type AcpEnding } from './acp-outcome.ts';
import { modelOf, tokensOf } from './acp-usage.ts';
import { numberAt, textAt, valueAt } from './json-path.ts';
import { nodeProgram } from '../../process/own-process.ts';

export type AcpState = AcpEnding & {
  readonly cwd: string;
  readonly session: string | null;
  readonly model: string | null;
  readonly costUsd: number | null;
  readonly contextPercent: number | null;
  /** A failure the agent was about to try again after: it tells the status of one that follows. */
  readonly retried: AcpEnding['fault'];
  /** Words or thoughts of which the end is not seen yet, for the live line. */
  readonly open: { readonly kind: 'saying' | 'thinking'; readonly text: string } | null;
  /** Tool calls that were announced, the newest last. */
  readonly announced: readonly string[];
};

const emptyState: AcpState = {
  cwd: '/',
  session: null,
  model: null,
  answer: null,
  error: null,
  failure: null,
  fault: null,
  toolCalls: 0,
  finalText: '',
  tokens: null,
  costUsd: null,
  contextPercent: null,
  retried: null,
  open: null,
  announced: [],
};

const maxFinalChars = 256 * 1024;
const rememberedCalls = 50;

/** Any server of the Agent Client Protocol. Permissions are granted within the worktree: nobody is there to be asked. */
export function createAcpAgent(name: string, command: string): AgentAdapter<AcpState> {
  return {
    name,
    kind: 'cli',
    permissions: 'bypassed',
    command(run) {
      const prompt =
        run.systemPrompt === null ? run.prompt : `${run.prompt}\n\n${run.systemPrompt}`;
      const order: AcpOrder = { command, prompt, model: run.model, version: packageVersion() };
      return {
        argv: [nodeProgram, clientFile()],
        env: run.env,
        stdin: JSON.stringify(order),
        files: {},
        readable: clientFolders(),
        state: stateFolders(command),
      };
    },
    start: () => emptyState,
    parse,
    finish,
  };
}

const isSource = import.meta.url.endsWith('.ts');

/** From sources the client is the file beside this one; a build emits it as `acp-client.js` beside its bundle. */
function clientFile(): string {
  return fileURLToPath(new URL(isSource ? './client.ts' : './acp-client.js', import.meta.url));
}

function clientFolders(): readonly string[] {
  if (!isSource) return [path.dirname(clientFile())];
  const root = fileURLToPath(new URL('../../../..', import.meta.url));
  return [root, realpathSync(path.join(root, 'node_modules'))];
}

type Parsed = { readonly state: AcpState; readonly events: readonly AgentEvent[] };

function parse(line: string, state: AcpState): Parsed {
  const read = readLine(line);
  if (read === null) return { state, events: [] };
  switch (read.type) {
    case 'started': {
      const { session, cwd, model } = read;
      return { state: { ...state, session, cwd, model }, events: [] };
    }
    case 'update':
      return afterUpdate(read.update, state);
    case 'permission': {
      const said = read.granted ? [] : [activity('saying', `refused to permit: ${read.title}`)];
      return { state: { ...state, toolCalls: state.toolCalls + 1 }, events: said.map(live) };
    }
    case 'answer':
      return afterAnswer(read.answer, state);
    case 'error':
      return { state: { ...state, error: read }, events: [{ type: 'result' }] };
    case 'failed':
      return { state: { ...state, failure: read.reason }, events: [] };
  }
}

function afterUpdate(update: Readonly<Record<string, unknown>>, state: AcpState): Parsed {
  switch (textAt(update, 'sessionUpdate') ?? '') {
    case 'agent_message_chunk':
      return withWords('saying', update, state);
    case 'agent_thought_chunk':
      return withWords('thinking', update, state);
    case 'tool_call':
    case 'tool_call_update':
      return withTool(update, state);
    case 'usage_update':
      return withUsage(update, state);
    case 'session_info_update':
      return withFault(update, state);
    default:
      return { state, events: [] };
  }
}

/** The final message is what was said after the last tool call. */
function withWords(kind: 'saying' | 'thinking', update: unknown, before: AcpState): Parsed {
  const chunk = textAt(update, 'content', 'text') ?? '';
  const isSame = before.open?.kind === kind;
  const { state, events } = isSame ? { state: before, events: [] } : closeWords(before);
  const text = (state.open?.text ?? '') + chunk;
  const finalText = kind === 'saying' ? withTail(state.finalText, chunk) : state.finalText;
  return { state: { ...state, finalText, open: { kind, text: text.slice(0, 500) } }, events };
}

/** Cuts only when twice the limit is held, so that long messages cost linear time. */
function withTail(text: string, chunk: string): string {
  const whole = text + chunk;
  return whole.length > 2 * maxFinalChars ? whole.slice(-maxFinalChars) : whole;
}

function closeWords(state: AcpState): Parsed {
  const { open } = state;
  const isEmpty = open === null || open.text.trim() === '';
  const events = isEmpty ? [] : [live(activity(open.kind, open.text.trim()))];
  return { state: { ...state, open: null }, events };
}

function withTool(update: unknown, before: AcpState): Parsed {
  const { state, events } = closeWords(before);
  const id = textAt(update, 'toolCallId') ?? '';
  const isNew = textAt(update, 'sessionUpdate') === 'tool_call' || !state.announced.includes(id);
  const doing = state.announced.includes(id) ? null : toolActivity(update, state.cwd);
  return {
    state: {
      ...state,
      finalText: '',
      toolCalls: state.toolCalls + (isNew ? 1 : 0),
      announced:
        doing === null ? state.announced : [...state.announced, id].slice(-rememberedCalls),
    },
    events: doing === null ? events : [...events, live(doing)],
  };
}

/** `used` is how full the context is; the cost is that of the session, which is this run's alone. */
function withUsage(update: unknown, state: AcpState): Parsed {
  const used = numberAt(update, 'used');
  const size = numberAt(update, 'size');
  const isUsd = textAt(update, 'cost', 'currency') === 'USD';
  const costUsd = (isUsd ? numberAt(update, 'cost', 'amount') : null) ?? state.costUsd;
  const percent = used === null || size === null || size <= 0 ? null : (100 * used) / size;
  const contextPercent = percent === null ? state.contextPercent : Math.round(percent);
  const { tokens, model } = state;
  const events: AgentEvent[] =
    costUsd === state.costUsd ? [] : [{ type: 'usage', tokens, costUsd, model }];
  return { state: { ...state, costUsd, contextPercent }, events };
}

/** codex-acp answers `end_turn` to failures and reports them here. */
function withFault(update: unknown, state: AcpState): Parsed {
  const error = valueAt(update, '_meta', 'codex', 'error');
  const isDown = textAt(update, '_meta', 'codex', 'threadStatus', 'type') === 'systemError';
  if (error === undefined && !isDown) return { state, events: [] };
  const earlier = state.fault ?? state.retried;
  const status = statusIn(valueAt(error, 'codexErrorInfo')) ?? earlier?.status ?? null;
  const words = textAt(error, 'additionalDetails') ?? textAt(error, 'message');
  const text = (words ?? earlier?.text ?? 'system error').slice(0, 300).toWellFormed();
  if (valueAt(error, 'willRetry') === true) {
    const wait = `for the API${status === null ? '' : ` (status ${status})`}: ${textAt(error, 'message') ?? ''}`;
    return {
      state: { ...state, retried: { status, text } },
      events: [live(activity('waiting', wait))],
    };
  }
  return { state: { ...state, fault: { status, text } }, events: [] };
}

function statusIn(info: unknown): number | null {
  if (typeof info !== 'object' || info === null) return null;
  const found = Object.values(info).map((each) => numberAt(each, 'httpStatusCode'));
  return found.find((status) => status !== null) ?? null;
}

function afterAnswer(answer: Readonly<Record<string, unknown>>, before: AcpState): Parsed {
  const { state, events } = closeWords(before);
  const tokens = tokensOf(answer);
  const { costUsd } = state;
  const model = state.model ?? modelOf(answer);
  const usage: AgentEvent[] = tokens === null ? [] : [{ type: 'usage', tokens, costUsd, model }];
  const done = live(activity('finished', textAt(answer, 'stopReason') ?? ''));
  return {
    state: { ...state, answer, tokens, model },
    events: [...events, ...usage, done, { type: 'result' }],
  };
}

function live(doing: ReturnType<typeof activity>): AgentEvent {
  return { type: 'activity', activity: doing };
}

function readLine(line: string): AcpLine | null {
  try {
    return AcpLine().safeParse(JSON.parse(line)).data ?? null;
  } catch {
    // Not JSON, so not a line of the client.
    return null;
  }
}

function finish(state: AcpState, end: ProcessEnd, stderrTail: string): AgentOutcome {
  const { finalText, session, tokens, costUsd, model, contextPercent } = state;
  return {
    ...judgeSession(state, end, stderrTail),
    finalText: finalText.slice(-maxFinalChars).toWellFormed().trim(),
    sessionId: session,
    tokens,
    costUsd,
    model,
    contextPercent,
  };
}
