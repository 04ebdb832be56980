import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Assignment } from '../../../../src/adapters/agents/native/assignment.ts';
import type { Ending } from '../../../../src/adapters/agents/native/conversation.ts';
import type { StreamEvent } from '../../../../src/adapters/agents/native/stream.ts';
import { work } from '../../../../src/adapters/agents/native/work.ts';
import { createSystemClock } from '../../../../src/adapters/clock/system-clock.ts';
import type {
  LoggedRequest,
  ModelServer,
} from '../../../../src/adapters/model-server/model-server.ts';
import { defaultTools } from '../../../../src/core/agent/native/tool.ts';
import { tempDir } from '../../../support/temp-dir.ts';

export const providers = ['anthropic', 'openai'] as const;
export type Provider = (typeof providers)[number];

/** Looks like nobody's key, so that only its value can give it away. */
export const secretKey = 'correct-horse-battery-staple-4711';

export type Worked = AsyncDisposable & {
  readonly ending: Ending;
  readonly events: readonly StreamEvent[];
  readonly requests: readonly LoggedRequest[];
  readonly folder: string;
};

export type WorkOptions = {
  readonly assignment?: Partial<Assignment>;
  readonly stallMs?: number;
  readonly prepare?: (folder: string) => Promise<void>;
  readonly printed?: (event: StreamEvent) => void;
  readonly signal?: AbortSignal;
};

let runs = 0;

/** One iteration in this very process, against a scenario, in a fresh folder. Its pauses are short. */
export async function workOn(
  server: ModelServer,
  provider: Provider,
  scenario: string,
  options: WorkOptions = {},
): Promise<Worked> {
  const dir = await tempDir();
  const folder = path.join(dir.path, 'work');
  await mkdir(folder);
  await options.prepare?.(folder);
  runs += 1;
  const runId = `${provider}-${runs}`;
  const events: StreamEvent[] = [];
  const assignment: Assignment = {
    obstacle: null,
    keyVariable: 'KEY_OF_TEST',
    endpoint: {
      provider,
      baseUrl: addressOf(server, provider, scenario, runId),
      key: secretKey,
      model: 'scripted-model',
      maxOutputTokens: null,
      stallMs: options.stallMs ?? 120_000,
    },
    prompt: 'Do the work.',
    systemPrompt: null,
    taskId: 't-00000001',
    maxTurns: 50,
    tools: defaultTools,
    denied: [],
    door: null,
    contextWindow: 200_000,
    maxContextTokens: null,
    retries: { retries: 2, firstMs: 1, longestMs: 30_000 },
    ...options.assignment,
  };
  const surroundings = {
    folder,
    env: { PATH: process.env['PATH'] },
    clock: createSystemClock(),
    random: { next: () => 0.5 },
    print(event: StreamEvent) {
      events.push(event);
      options.printed?.(event);
    },
  };
  const signal = options.signal ?? new AbortController().signal;
  const ending = await work(assignment, surroundings, signal);
  return {
    ending,
    events,
    requests: server.requests(runId),
    folder,
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

export function addressOf(
  server: ModelServer,
  provider: Provider,
  scenario: string,
  runId: string,
): string {
  const base = server.base(scenario, runId);
  return provider === 'anthropic' ? base : `${base}/v1`;
}
