/**
 * The program behind `acp:`: reads an order as JSON from stdin, starts the server, plays one session with it in the
 * current folder and prints what happens. SIGTERM cancels the session first.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  client,
  methods,
  ndJsonStream,
  RequestError,
  type AnyMessage,
  type ClientContext,
  type NewSessionResponse,
  type RequestPermissionRequest,
  type Stream,
} from '@agentclientprotocol/sdk';
import { fieldAt, isObject } from '../../../core/json/fields.ts';
import type { AcpLine, AcpOrder, AcpStep } from './acp-line.ts';
import { answerPermission } from './permission.ts';

const protocolVersion = 1;
const failedExitCode = 70;
/** What a server that has answered gets to leave by itself. */
const leaveMs = 1000;
/** Longer lines are of no use to anybody who reads along. */
const maxLineChars = 200_000;

const folder = process.cwd();

function print(line: AcpLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

async function readOrder(): Promise<AcpOrder> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

/** Sees every message as it came: the SDK hands on only what its own schema knows. */
function watched(stream: Stream): Stream {
  let promptId: unknown = null;
  const readable = stream.readable.pipeThrough(
    new TransformStream<AnyMessage, AnyMessage>({
      transform(message, controller) {
        see(message, promptId);
        controller.enqueue(message);
      },
    }),
  );
  const outgoing = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      if (fieldAt(message, 'method') === methods.agent.session.prompt) {
        promptId = fieldAt(message, 'id');
      }
      controller.enqueue(message);
    },
  });
  // A server that is gone is noticed where its answers are awaited.
  outgoing.readable.pipeTo(stream.writable).catch(() => undefined);
  return { readable, writable: outgoing.writable };
}

function see(message: AnyMessage, promptId: unknown): void {
  if (fieldAt(message, 'method') === 'session/update') {
    const update = fieldAt(fieldAt(message, 'params'), 'update');
    if (isObject(update)) print({ type: 'update', update: bounded(update) });
    return;
  }
  const answer = fieldAt(message, 'result');
  if (promptId !== null && fieldAt(message, 'id') === promptId && isObject(answer)) {
    print({ type: 'answer', answer: bounded(answer) });
  }
}

/** Without its bulk when it is long: what a tool read or printed is in the agent's own transcript. */
function bounded(value: Record<string, unknown>): Record<string, unknown> {
  if (JSON.stringify(value).length <= maxLineChars) return value;
  const { rawInput: _input, rawOutput: _output, content: _content, ...rest } = value;
  return JSON.stringify(rest).length <= maxLineChars ? rest : {};
}

function decide({ toolCall, options }: RequestPermissionRequest) {
  const places = (toolCall.locations ?? []).map((location) => location.path);
  const { granted, ...outcome } = answerPermission(options, places, folder);
  print({ type: 'permission', title: (toolCall.title ?? '').slice(0, 500), granted });
  return { outcome };
}

/** Which step is under way, for what is said when it fails. */
let step: AcpStep = 'initialize';
let sessionId: string | null = null;

async function play(agent: ClientContext, order: AcpOrder): Promise<void> {
  const about = await introduced(
    agent.request(methods.agent.initialize, {
      protocolVersion,
      clientCapabilities: {},
      clientInfo: { name: 'loopwright', version: order.version },
    }),
  );
  step = 'session/new';
  const session = await agent.request(methods.agent.session.new, { cwd: folder, mcpServers: [] });
  ({ sessionId } = session);
  step = 'model';
  const model = await chooseModel(agent, session, order.model);
  const name = about.agentInfo === undefined || about.agentInfo === null ? null : about.agentInfo;
  print({
    type: 'started',
    agent: name === null ? null : `${name.name} ${name.version}`,
    session: session.sessionId,
    cwd: folder,
    model,
  });
  step = 'session/prompt';
  await agent.request(methods.agent.session.prompt, {
    sessionId: session.sessionId,
    prompt: [{ type: 'text', text: order.prompt }],
  });
}

class Impossible extends Error {}

/** Slow servers take some seconds to start; a program that is none never answers, or does not know the question. */
const introductionMs = 60_000;

async function introduced<T>(request: Promise<T>): Promise<T> {
  const { promise: silence, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Impossible(noServer)), introductionMs);
  try {
    return await Promise.race([request, silence]);
  } catch (error) {
    const isUnknown = error instanceof RequestError && error.code === methodNotFound;
    throw isUnknown ? new Impossible(noServer) : error;
  } finally {
    clearTimeout(timer);
  }
}

const methodNotFound = -32_601;
const noServer = 'the program does not speak the Agent Client Protocol';

/** The model in use; null when the server does not say. A model it does not offer is a refusal, not a guess. */
async function chooseModel(
  agent: ClientContext,
  session: NewSessionResponse,
  wanted: string | null,
): Promise<string | null> {
  const option = session.configOptions?.find(({ category }) => category === 'model');
  const current = option?.type === 'select' ? option.currentValue : null;
  if (wanted === null || wanted === current) return current;
  if (option?.type !== 'select') {
    throw new Impossible(`the server lets nobody choose a model, so \`${wanted}\` cannot be used`);
  }
  const values = option.options.flatMap((each) =>
    'options' in each ? each.options.map(({ value }) => value) : [each.value],
  );
  if (!values.includes(wanted)) {
    const some = values.slice(0, 10).join(', ');
    throw new Impossible(`the server has no model \`${wanted}\`; it offers ${some}`);
  }
  await agent.request(methods.agent.session.setConfigOption, {
    sessionId: session.sessionId,
    configId: option.id,
    value: wanted,
  });
  return wanted;
}

function faultOf(error: unknown, server: ChildProcess): AcpLine {
  if (error instanceof Impossible) return { type: 'failed', reason: error.message };
  if (error instanceof RequestError) {
    const { code, message, data } = error;
    return { type: 'error', step, code, message, data: data ?? null };
  }
  const text = error instanceof Error ? error.message : String(error);
  const ended = endOf(server);
  return { type: 'failed', reason: ended === null ? `${step}: ${text}` : `${ended} at ${step}` };
}

function endOf({ exitCode, signalCode }: ChildProcess): string | null {
  if (exitCode !== null) return `the server ended with exit code ${exitCode}`;
  return signalCode === null ? null : `the server was ended by ${signalCode}`;
}

async function main(): Promise<void> {
  const order = await readOrder();
  // A shell that TERM ends would take the server's input with it, and with that the chance to cancel.
  const server = spawn('sh', ['-c', `trap : TERM\n${order.command}`], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const gone = new Promise<void>((resolve) => {
    server.once('exit', () => resolve());
    server.once('error', () => resolve());
  });
  const stream = ndJsonStream(Writable.toWeb(server.stdin), Readable.toWeb(server.stdout));
  const app = client({ name: 'loopwright' })
    .onRequest(methods.client.session.requestPermission, ({ params }) => decide(params))
    // Seen as they came; without a handler the SDK would complain about each.
    .onNotification(methods.client.session.update, () => undefined);
  const connection = app.connect(watched(stream));
  process.on('SIGTERM', () => {
    if (sessionId === null) process.exit(failedExitCode);
    void connection.agent.notify(methods.agent.session.cancel, { sessionId }).catch(() => {});
  });
  try {
    await Promise.race([play(connection.agent, order), gone.then(leftAlone)]);
  } catch (error) {
    // A connection that broke says less than the exit code behind it.
    const isOver = error instanceof RequestError || error instanceof Impossible;
    if (!isOver) await Promise.race([gone, sleep(leaveMs)]);
    print(faultOf(error, server));
    process.exitCode = failedExitCode;
  }
  server.stdin.end();
  await Promise.race([gone, sleep(leaveMs)]);
  // What was printed to a pipe is on its way until its reader has taken it; leaving now would lose the end, the answer with it.
  await new Promise<void>((resolve) => process.stdout.write('', () => resolve()));
  process.exit();
}

/** What a server wrote before it ended is read first; then the connection fails by itself, unless somebody holds it open. */
async function leftAlone(): Promise<never> {
  await sleep(leaveMs);
  throw new Error('the server ended');
}

await main();
