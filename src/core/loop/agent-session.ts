/**
 * The session that an agent keeps for itself, and whether the next iteration goes on with it. Off unless asked for
 * (`session: reuse`): ordinarily every iteration starts from nothing.
 */
import { addTokens, type Tokens } from '../agent/outcome.ts';
import type { Settings } from '../config/schema.ts';
import { endedNormally } from './agent-policy.ts';
import type { AgentRecord } from './event.ts';
import { openIteration, type Iteration, type Loop } from './loop.ts';
import { plural } from '../text/plural.ts';

export type AgentSession = {
  readonly id: string;
  /** The model it was asked for, which the percent belongs to; null: the agent's own choice. */
  readonly model: string | null;
  /** How full its context is; null: the agent does not tell. */
  readonly percent: number | null;
  /** What its runs have used so far: some agents tell only sums of the session. */
  readonly tokens: Tokens | null;
  /** Why nobody goes on with it, in words; absent: the next iteration may. */
  readonly lost?: string;
};

export type SessionPlan =
  /** `why`: there was a session, and this is why it is given up; null: there was none. */
  | { readonly kind: 'fresh'; readonly why: string | null }
  | { readonly kind: 'resume'; readonly session: AgentSession; readonly percent: number }
  /** A fresh session that starts from a handoff document. */
  | { readonly kind: 'reboot'; readonly session: AgentSession; readonly percent: number };

export function reusesSession(settings: Settings): boolean {
  const own = settings.agents[settings.agent ?? '']?.session;
  return (own ?? settings.session.name) === 'reuse';
}

/** What the next agent of the loop starts from, which is asked for this model. */
export function planSession(loop: Loop, model: string | null, now: number): SessionPlan {
  const { settings, agentSession: session } = loop;
  if (!reusesSession(settings) || session === undefined) return { kind: 'fresh', why: null };
  if (session.lost !== undefined) return { kind: 'fresh', why: session.lost };
  if (session.model !== model) {
    const names = `${modelName(model)} instead of ${modelName(session.model)}`;
    return { kind: 'fresh', why: `the model of the iteration is another one: ${names}` };
  }
  const { percent } = session;
  if (percent === null) {
    return { kind: 'fresh', why: 'the agent did not tell how full its context is' };
  }
  if (percent < settings.session['reboot-percent']) return { kind: 'resume', session, percent };
  const most = settings.session['max-reboots-per-hour'];
  const lately = (loop.reboots ?? []).filter((time) => now - time < hourMs);
  if (lately.length >= most) {
    return {
      kind: 'fresh',
      why: `${plural(most, 'reboot')} within an hour (session.max-reboots-per-hour)`,
    };
  }
  return { kind: 'reboot', session, percent };
}

function modelName(model: string | null): string {
  return model ?? 'the default of the agent';
}

/** Whether the prompt of this iteration was made to continue a session that must not be continued any more. */
export function mustPromptAgain(
  { agentSession }: Pick<Loop, 'agentSession'>,
  { resumes }: Pick<Iteration, 'resumes'>,
): boolean {
  if (resumes == null) return false;
  return agentSession?.id !== resumes || agentSession.lost !== undefined;
}

const hourMs = 3_600_000;

/** An id goes into a command line: it is a name, and no option. */
const plainId = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/;

/** The loop after a run of its agent. */
export function withAgentSession(loop: Loop, record: AgentRecord): Loop {
  if (!reusesSession(loop.settings)) return loop;
  const { sessionId, kind, contextPercent, tokens } = record;
  const before = loop.agentSession;
  if (record.sessionLost === true) return withoutSession(loop, 'the agent could not resume it');
  if (sessionId === null || !plainId.test(sessionId)) {
    return withoutSession(loop, 'the agent did not name its session');
  }
  const same = before?.id === sessionId ? before : null;
  // What was given up once stays so. Its sum is kept nevertheless: the agent's own goes on from there.
  const lost = same?.lost ?? (endedNormally(kind) ? null : `its last run ended as ${kind}`);
  return {
    ...loop,
    agentSession: {
      id: sessionId,
      model: openIteration(loop)?.model ?? null,
      percent: kind === 'context_full' ? 100 : contextPercent,
      tokens: same === null ? tokens : addTokens(same.tokens, tokens),
      ...(lost === null ? {} : { lost }),
    },
  };
}

/** Nobody goes on with the session, for the first reason there is. */
export function withoutSession(loop: Loop, why: string): Loop {
  const { agentSession } = loop;
  if (agentSession === undefined || agentSession.lost !== undefined) return loop;
  return { ...loop, agentSession: { ...agentSession, lost: why } };
}

/** The first lines of the prompt of an agent that goes on with its session. */
export function sessionNote(percent: number, settings: Settings): string {
  const { 'warn-percent': warn, 'reboot-percent': reboot } = settings.session;
  const note =
    'This continues your session on the same task. The engine ran the checks since; what follows is how things stand now, and replaces what earlier prompts said.';
  if (percent < warn) return note;
  return `${note} Your context is ${percent} % full: keep what you read and write short. At ${reboot} % a new session starts from a handoff document.`;
}
