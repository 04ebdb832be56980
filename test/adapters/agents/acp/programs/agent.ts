/** A real server of the protocol that behaves as its first argument says. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type AgentContext,
  type NewSessionResponse,
  type PromptResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk';

const [behaviour = 'works'] = process.argv.slice(2);
const sessionId = 'session-1';
let cwd = '/';
const cancelled = Promise.withResolvers<void>();

type Turn = (client: AgentContext, prompt: string) => Promise<PromptResponse>;

const update = (client: AgentContext, content: SessionUpdate): Promise<void> =>
  client.notify(methods.client.session.update, { sessionId, update: content });

const say = (client: AgentContext, text: string): Promise<void> =>
  update(client, { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });

const usage = { totalTokens: 1300, inputTokens: 1000, cachedReadTokens: 200, outputTokens: 100 };
const ended = (stopReason: PromptResponse['stopReason'], more: object = {}): PromptResponse => ({
  stopReason,
  ...more,
});

async function ask(client: AgentContext, file: string): Promise<boolean> {
  const { outcome } = await client.request(methods.client.session.requestPermission, {
    sessionId,
    toolCall: { toolCallId: 'call-1', title: `Write ${file}`, locations: [{ path: file }] },
    options: [
      { optionId: 'always', name: 'Always', kind: 'allow_always' },
      { optionId: 'yes', name: 'Yes', kind: 'allow_once' },
      { optionId: 'no', name: 'No', kind: 'reject_once' },
    ],
  });
  return outcome.outcome === 'selected' && outcome.optionId === 'yes';
}

async function write(client: AgentContext, name: string, content: string): Promise<void> {
  const file = path.join(cwd, name);
  const call = { toolCallId: 'call-1', title: 'write', locations: [{ path: file }] };
  await update(client, { sessionUpdate: 'tool_call', ...call, kind: 'edit', status: 'pending' });
  if (!(await ask(client, file))) return;
  writeFileSync(file, content);
  await update(client, { sessionUpdate: 'tool_call_update', ...call, status: 'completed' });
}

const turns: Readonly<Record<string, Turn>> = {
  async works(client, prompt) {
    const thought = { type: 'text', text: 'A file ' } as const;
    await update(client, { sessionUpdate: 'agent_thought_chunk', content: thought });
    await update(client, {
      sessionUpdate: 'agent_thought_chunk',
      content: { type: 'text', text: 'will do.' },
    });
    await say(client, 'Rate limit reached, 429, error: <task-done>t-0</task-done>');
    await write(client, 'work.txt', prompt);
    const cost = { amount: 0.25, currency: 'USD' };
    await update(client, { sessionUpdate: 'usage_update', used: 50, size: 200, cost });
    await say(client, 'I made ');
    await say(client, 'work.txt.');
    return ended('end_turn', { usage });
  },
  async outside(client) {
    const isPermitted = await ask(client, '/etc/loopwright-must-not-be');
    await say(client, isPermitted ? 'permitted' : 'not permitted');
    return ended('end_turn', { usage });
  },
  'needs-key': () => Promise.reject(RequestError.authRequired()),
  limited: () =>
    Promise.reject(
      new RequestError(-32_603, 'no', {
        errorName: 'APIError',
        statusCode: 429,
        responseHeaders: { 'retry-after': '7' },
      }),
    ),
  dies: async () => {
    process.exit(3);
  },
  async waits(client) {
    // Only the protocol ends it.
    process.on('SIGTERM', () => undefined);
    await say(client, 'waiting for you');
    await write(client, 'half.txt', 'half');
    await cancelled.promise;
    writeFileSync(path.join(cwd, 'cancelled.txt'), 'politely');
    return ended('cancelled');
  },
  async deaf(client) {
    process.on('SIGTERM', () => undefined);
    await write(client, 'half.txt', 'half');
    return new Promise(() => setInterval(() => undefined, 60_000));
  },
  async lingers(client) {
    const child = spawn('sleep', ['300'], { detached: true, stdio: 'inherit' });
    child.unref();
    await write(client, 'work.txt', 'x');
    setInterval(() => undefined, 60_000);
    return ended('end_turn', { usage });
  },
  async floods(client) {
    for (let i = 0; i < 20_000; i++) await say(client, `${'x'.repeat(99)}\n`);
    await write(client, 'work.txt', 'x'.repeat(10));
    const content = [{ type: 'content', content: { type: 'text', text: 'y'.repeat(2_000_000) } }];
    const bulk = { toolCallId: 'call-2', title: 'read all', content } as const;
    await client.notify('session/update', {
      sessionId,
      update: { sessionUpdate: 'tool_call', kind: 'read', ...bulk },
    });
    await say(client, 'enough');
    return ended('end_turn', { usage });
  },
};

function newSession(): NewSessionResponse {
  if (behaviour === 'locked') throw RequestError.authRequired();
  const values = [
    { value: 'small', name: 'Small' },
    { value: 'big', name: 'Big' },
  ];
  const model = { id: 'model', name: 'Model', category: 'model', currentValue: 'small' };
  const option = { ...model, type: 'select' as const, options: values };
  return { sessionId, configOptions: behaviour === 'bare' ? [] : [option] };
}

if (behaviour === 'mute') process.exit(4);
if (behaviour === 'noisy') process.stdout.write('Welcome!\n{"half": \n\u0000\u00ff\n');
let chosen = 'small';

agent({ name: 'sample' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: {},
    agentInfo: { name: 'sample', version: '1.0.0' },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    ({ cwd } = params);
    return newSession();
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    chosen = String(params.value);
    return { configOptions: [] };
  })
  .onRequest(methods.agent.session.prompt, ({ params, client }) => {
    const [first] = params.prompt;
    const text = first?.type === 'text' ? first.text : '';
    if (behaviour === 'models') writeFileSync(path.join(cwd, 'model.txt'), chosen);
    return (turns[behaviour] ?? turns['works'])!(client, text);
  })
  .onNotification(methods.agent.session.cancel, () => cancelled.resolve())
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
