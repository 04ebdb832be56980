/** What each scenario must come to, for every agent CLI: the same table for recordings and for real runs. */
import type { CliAgent } from '../../../src/adapters/agents/cli-registry.ts';
import type { AgentOutcome, Tokens } from '../../../src/core/agent/outcome.ts';
import { refused, type Trial } from './trial.ts';

export type Expected = Partial<AgentOutcome>;

type Row = Omit<Trial, 'agent'> & {
  readonly outcome: Expected;
  /** Where an agent cannot tell, or does something else. */
  readonly except?: Partial<Readonly<Record<CliAgent, Expected>>>;
  /** Agents that never come to an end, or take minutes, with this. */
  readonly not?: readonly CliAgent[];
  /** `git status --porcelain` afterwards. */
  readonly changes?: readonly string[];
  /** How often it asks its model in one run; not looked at where absent. */
  readonly requests?: Partial<Readonly<Record<CliAgent, number>>>;
  /** Only in `npm run test:full`, for all or for some. */
  readonly isSlow?: boolean | readonly CliAgent[];
};

function turns(count: number): Tokens {
  return { input: 1000 * count, output: 100 * count, cacheRead: 200 * count, cacheWrite: 0 };
}

const wrote = ['?? hello.txt'];
const done: Expected = {
  kind: 'done',
  finalText: 'Done: wrote hello.txt.',
  turns: 2,
  tokens: turns(2),
};

export const rows: readonly Row[] = [
  { scenario: 'ok', outcome: done, changes: wrote },
  { scenario: 'bash', outcome: done, changes: wrote, isSlow: true },
  {
    scenario: 'text',
    outcome: { kind: 'done', finalText: 'Nothing needs to be done.', turns: 1, tokens: turns(1) },
    isSlow: true,
  },
  {
    scenario: 'words',
    outcome: {
      kind: 'done',
      finalText: 'Done: the file speaks of a rate limit, error 429 and an expired API key.',
      turns: 4,
      tokens: turns(4),
      retryAfterMs: null,
    },
    changes: ['?? "429 rate limit.txt"', '?? hello.txt'],
  },
  {
    scenario: 'fail',
    outcome: { kind: 'done', finalText: 'Done: the command failed.' },
    isSlow: true,
  },
  {
    scenario: 'badtool',
    outcome: { ...done, turns: 3, tokens: turns(3) },
    except: { codex: { ...done, tokens: turns(3) } },
    changes: wrote,
    isSlow: true,
  },
  { scenario: 'bgsleep', outcome: { kind: 'done', turns: 2 } },
  { scenario: '401', outcome: { kind: 'auth' } },
  { scenario: '403', outcome: { kind: 'auth' }, isSlow: true },
  {
    scenario: '429ra1',
    outcome: { kind: 'rate_limited', retryAfterMs: null },
    except: {
      claude: { kind: 'rate_limited', retryAfterMs: 1000 },
      gemini: { kind: 'rate_limited', retryAfterMs: 1000 },
      opencode: { kind: 'rate_limited', retryAfterMs: 1000 },
    },
    // It tries three times more by itself.
    isSlow: ['pi'],
  },
  { scenario: '429', outcome: { kind: 'rate_limited', retryAfterMs: null }, isSlow: true },
  {
    scenario: '429radate3',
    outcome: { kind: 'rate_limited', retryAfterMs: null },
    except: { opencode: { kind: 'rate_limited' } },
    isSlow: true,
  },
  {
    scenario: '429raabsurd',
    outcome: { kind: 'rate_limited', retryAfterMs: null },
    not: ['opencode'],
    isSlow: true,
  },
  { scenario: '429raneg', outcome: { kind: 'rate_limited', retryAfterMs: null }, isSlow: true },
  { scenario: '429rajunk', outcome: { kind: 'rate_limited', retryAfterMs: null }, isSlow: true },
  {
    scenario: '429once',
    outcome: done,
    except: { codex: { kind: 'rate_limited' }, gemini: { kind: 'rate_limited' } },
    isSlow: true,
  },
  {
    scenario: 'usagelimit',
    outcome: { kind: 'usage_limit' },
    // With a key instead of a sign-in claude does not look at the reset time; gemini is told nothing but a status.
    except: { claude: { kind: 'rate_limited' }, gemini: { kind: 'rate_limited' } },
    isSlow: true,
  },
  { scenario: '500', outcome: { kind: 'api_error' }, not: ['opencode'], isSlow: true },
  {
    scenario: '529',
    timeoutMs: 300_000,
    outcome: { kind: 'api_error', retries: 1 },
    except: {
      gemini: { kind: 'api_error' },
      opencode: { kind: 'api_error', retries: 5 },
      pi: { kind: 'api_error', retries: 3 },
    },
    requests: { claude: 2, codex: 2, gemini: 1, opencode: 6, pi: 4 },
    isSlow: true,
  },
  // One that probes asks once, and its own retry is cut off where it tells of it.
  {
    scenario: '503',
    apiRetries: 0,
    outcome: { kind: 'api_error', retries: 0 },
    except: { gemini: { kind: 'api_error' } },
    not: ['opencode'],
    requests: { claude: 1, codex: 1, gemini: 1, pi: 1 },
  },
  {
    scenario: refused,
    apiRetries: 0,
    timeoutMs: 300_000,
    outcome: { kind: 'api_error', retries: 0 },
    except: {
      gemini: { kind: 'api_error' },
      opencode: { kind: 'api_error', retries: 5 },
    },
  },
  // A model that the API does not know, and a request that it does not understand: nobody's outage.
  { scenario: '404', outcome: { kind: 'api_error', fault: 'request' } },
  { scenario: '400', outcome: { kind: 'api_error', fault: 'request' }, isSlow: true },
  { scenario: 'toolong', outcome: { kind: 'context_full' }, not: ['opencode'] },
  { scenario: 'refusal', outcome: { kind: 'refused' } },
  { scenario: 'maxtok', outcome: { kind: 'max_tokens' }, except: { gemini: { kind: 'done' } } },
  {
    scenario: 'cutonce',
    outcome: { kind: 'done', finalText: 'Done: wrote hello.txt.' },
    // It is told not to try again: the engine does.
    except: { gemini: { kind: 'api_error' } },
    changes: wrote,
    isSlow: true,
  },
  // claude asks once more without a stream, which the server answers.
  {
    scenario: 'cut',
    outcome: { kind: 'api_error' },
    except: { claude: { kind: 'done' } },
    not: ['gemini', 'opencode'],
    isSlow: true,
  },
  {
    scenario: 'miderror',
    outcome: { kind: 'api_error' },
    except: { claude: { kind: 'done' } },
    not: ['opencode'],
    isSlow: true,
  },
  { scenario: 'loop', maxTurns: 3, outcome: { kind: 'max_turns', turns: 3 } },
];

export type Case = {
  readonly trial: Trial;
  readonly expected: Expected;
  readonly changes?: readonly string[];
  readonly requests?: number;
  readonly isSlow: boolean;
};

export function casesOf(agent: CliAgent): readonly Case[] {
  return rows
    .filter(({ not }) => not?.includes(agent) !== true)
    .map(({ outcome, except, not: _not, changes, requests, isSlow, ...trial }) => ({
      trial: { ...trial, agent },
      expected: except?.[agent] ?? outcome,
      ...(changes === undefined ? {} : { changes }),
      ...(requests?.[agent] === undefined ? {} : { requests: requests[agent] }),
      isSlow: Array.isArray(isSlow) ? isSlow.includes(agent) : isSlow === true,
    }));
}
