/** What the scripted model does, as pure functions of what it is asked. */
import { fix } from './fix-scenario.ts';

export const dialects = ['anthropic', 'responses', 'chat', 'gemini'] as const;
export type Dialect = (typeof dialects)[number];

export type Tool = {
  readonly name: string;
  /** Names of its parameters. */
  readonly properties: readonly string[];
  /** Parameters that are lists of text. */
  readonly lists: readonly string[];
  /** Takes plain text instead of parameters. */
  readonly isFreeform: boolean;
};

/** One request of an agent, whatever its wire format. */
export type Ask = {
  readonly dialect: Dialect;
  readonly model: string;
  readonly isStream: boolean;
  readonly system: string;
  /** Every plain user message, in order. */
  readonly messages: readonly string[];
  /** Results of tools since the last plain user message. */
  readonly results: readonly string[];
  readonly step: number;
  readonly tools: readonly Tool[];
  /** Requests with tools that this run made before this one. */
  readonly earlier: number;
};

/** Something to be done with whatever tool the agent has for it. */
export type Act =
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly content: string;
      /** The file is not there yet, so a patch can add it. */
      readonly isNew?: boolean;
    }
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'shell'; readonly command: string }
  | { readonly kind: 'tool'; readonly name: string; readonly input: Record<string, unknown> };

export type Usage = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
};

export type RetryAfter =
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'date'; readonly inMs: number }
  | { readonly form: 'ms'; readonly ms: number };

export type Reply =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly stop: 'end' | 'max_tokens' | 'refusal';
      readonly usage?: Partial<Usage>;
    }
  | {
      readonly kind: 'acts';
      readonly acts: readonly Act[];
      readonly text?: string;
      readonly usage?: Partial<Usage>;
    }
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly retryAfter?: RetryAfter;
      readonly problem?: 'context' | 'usage';
      /** For `usage`: when the window opens again; `usageResetMs` unless given. */
      readonly resetInMs?: number;
    }
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset' }
  /** A stream that ends, or carries an error, after its first words. A plain answer is whole. */
  | { readonly kind: 'cut'; readonly text: string }
  | { readonly kind: 'mid-error'; readonly text: string };

export type Scenario = (ask: Ask) => Reply;

/** What every request costs unless its reply says otherwise. */
export const usualUsage: Usage = { input: 1000, output: 100, cacheRead: 200, cacheWrite: 0 };

export const usageResetMs = 3_600_000;

const hello: Act = { kind: 'write', path: 'hello.txt', content: 'hello\n', isNew: true };
const other: Act = { kind: 'write', path: 'other.txt', content: 'other\n', isNew: true };

export function say(text: string): Reply {
  return { kind: 'text', text, stop: 'end' };
}

function act(...acts: readonly Act[]): Reply {
  return { kind: 'acts', acts };
}

function shell(command: string): Reply {
  return act({ kind: 'shell', command });
}

/** Plays one reply per step; the last one for every further step. */
export function steps(...replies: readonly [Reply, ...Reply[]]): Scenario {
  return ({ step }) => replies[Math.min(step, replies.length - 1)] ?? replies[0];
}

/** Words that would end a loop if anybody took an agent's files and tools for its stream. */
const misleading = [
  '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"rate limit"}',
  '{"type":"turn.failed","error":{"message":"last status: 401 Unauthorized"}}',
  '{"type":"error","error":{"name":"APIError","data":{"statusCode":429}}}',
  'Error: 429 Too Many Requests, retry-after: 3600, usage limit reached, prompt is too long',
  '<task-done>t-00000001</task-done>',
].join('\n');

const done = say('Done: wrote hello.txt.');

const scenarios: Readonly<Record<string, Scenario>> = {
  ok: steps(act(hello), done),
  bash: steps(shell(`printf 'hello\\n' > hello.txt`), done),
  two: steps(act(hello), act(other), say('Done: wrote hello.txt and other.txt.')),
  loop: ({ step }) => shell(`echo turn ${step} >> turns.txt`),
  sleep: steps(shell('tail -f /dev/null'), say('Done: it ended.')),
  bgsleep: steps(
    shell(
      'setsid tail -f /dev/null > /dev/null 2>&1 & nohup tail -f /dev/null > /dev/null 2>&1 & echo left',
    ),
    done,
  ),
  outside: steps(act({ kind: 'write', path: '../outside.txt', content: 'outside\n' }), done),
  fail: steps(shell('echo failing; exit 2'), say('Done: the command failed.')),
  badtool: steps(
    act({ kind: 'tool', name: 'no_such_tool', input: { anything: 1 } }),
    act(hello),
    done,
  ),
  words: steps(
    act({ kind: 'write', path: '429 rate limit.txt', content: `${misleading}\n` }),
    shell(`cat '429 rate limit.txt'; cat '429 rate limit.txt' >&2`),
    act(hello),
    say('Done: the file speaks of a rate limit, error 429 and an expired API key.'),
  ),
  text: steps(say('Nothing needs to be done.')),
  big: steps(
    { kind: 'acts', acts: [hello], usage: { input: 198_000 } },
    { kind: 'text', text: 'Done: wrote hello.txt.', stop: 'end', usage: { input: 198_000 } },
  ),
  refusal: steps({ kind: 'text', text: 'I cannot help with that.', stop: 'refusal' }),
  maxtok: steps({ kind: 'text', text: 'This is cut o', stop: 'max_tokens' }),
  maxtok2: ({ earlier }) =>
    earlier === 0
      ? { kind: 'text', text: 'This is cut o', stop: 'max_tokens' }
      : say('ff and then continued.'),
  toolong: steps({ kind: 'status', status: 400, problem: 'context' }),
  usagelimit: steps({ kind: 'status', status: 429, problem: 'usage' }),
  hang: steps({ kind: 'hang' }),
  reset: steps({ kind: 'reset' }),
  cut: steps({ kind: 'cut', text: 'This stream never ends well.' }),
  cutonce: unlessEarlier(1, { kind: 'cut', text: 'This stream breaks.' }, steps(act(hello), done)),
  miderror: steps({ kind: 'mid-error', text: 'This stream fails.' }),
  fix,
};

/** The scenario of that name; null when there is none. */
export function findScenario(name: string): Scenario | null {
  return (Object.hasOwn(scenarios, name) ? scenarios[name] : undefined) ?? statusScenario(name);
}

function unlessEarlier(times: number, reply: Reply, then: Scenario): Scenario {
  return (ask) => (ask.earlier < times ? reply : then(ask));
}

/** `429`, `500once`, `429twicera5`, `429radate5`. */
function statusScenario(name: string): Scenario | null {
  const match = /^([1-5]\d\d)(once|twice)?(?:ra(.+))?$/.exec(name);
  if (match === null) return null;
  const [, status, times, wait] = match;
  const retryAfter = wait === undefined ? undefined : retryAfterOf(wait);
  if (retryAfter === null) return null;
  const reply: Reply = {
    kind: 'status',
    status: Number(status),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
  if (times === undefined) return () => reply;
  return unlessEarlier(times === 'once' ? 1 : 2, reply, steps(act(hello), done));
}

function retryAfterOf(form: string): RetryAfter | null {
  if (/^\d{1,9}$/.test(form)) return { form: 'text', text: form };
  const [, kind, amount] = /^(date|ms)(\d{1,9})$/.exec(form) ?? [];
  if (kind === 'date') return { form: 'date', inMs: Number(amount) * 1000 };
  if (kind === 'ms') return { form: 'ms', ms: Number(amount) };
  if (form === 'absurd') return { form: 'text', text: '3155760000' };
  if (form === 'neg') return { form: 'text', text: '-5' };
  if (form === 'junk') return { form: 'text', text: 'soon' };
  return null;
}
