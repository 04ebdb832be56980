import { planSession, type SessionPlan } from '../core/loop/agent-session.ts';
import { exceededBudget } from '../core/loop/budget.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import {
  boundedHandoff,
  handoffFromFacts,
  handoffPrompt,
  type Handoff,
} from '../core/loop/handoff.ts';
import { isLoopwrightError } from '../core/error.ts';
import type { PricedUsage } from '../core/price/price.ts';
import { askForLoop } from './aside-agent.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';

const limits = { timeoutMs: 180_000, graceMs: 2000 };

/**
 * What the agent of this iteration starts from. A session that is full is left behind: its handoff document is a fact before the
 * prompt is built, so that no crash loses it. Why a session is not continued is said once.
 */
export async function prepareSession(engine: Engine, owner: LoopOwner): Promise<SessionPlan> {
  const plan = planSession(owner.loop, owner.iteration.model, engine.clock.now());
  if (plan.kind === 'fresh') {
    if (plan.why !== null) await warnOnce(owner, `a fresh session was started: ${plan.why}`);
    return plan;
  }
  const { 'warn-percent': warn, 'reboot-percent': reboot } = owner.loop.settings.session;
  if (plan.kind === 'resume') {
    if (plan.percent >= warn) {
      await warnOnce(
        owner,
        `the agent's session has filled ${warn} % of its context; at ${reboot} % a fresh one starts from a handoff document`,
      );
    }
    return plan;
  }
  const { handoff, usage, fault } = await askForHandoff(engine, owner, plan);
  if (owner.cut.aborted) return plan;
  const spent: LoopEvent[] =
    usage === null
      ? []
      : [
          {
            type: 'usage.added',
            purpose: 'summary',
            tokens: usage.tokens,
            costUsd: usage.costUsd,
            costSource: usage.costSource,
            models: usage.models,
          },
        ];
  if (fault !== null) {
    await warnOnce(owner, `the handoff document was made from what is recorded: ${fault}`);
  }
  const { percent } = plan;
  await owner.record(...spent, { type: 'session.rebooted', percent, ...handoff });
  return { kind: 'fresh', why: null };
}

async function warnOnce(owner: LoopOwner, text: string): Promise<void> {
  if (owner.loop.warnings.includes(text)) return;
  await owner.record({ type: 'warning.raised', text });
}

type Asked = {
  readonly handoff: Handoff;
  readonly usage: PricedUsage | null;
  /** Why the agent did not write it; null: it did. */
  readonly fault: string | null;
};

async function askForHandoff(
  engine: Engine,
  owner: LoopOwner,
  { session, percent }: Extract<SessionPlan, { kind: 'reboot' }>,
): Promise<Asked> {
  const { loop, iteration } = owner;
  const maxChars = loop.settings.session['handoff-chars'];
  const fromFacts = (fault: string, usage: PricedUsage | null): Asked => ({
    handoff: { text: engine.clean(handoffFromFacts(loop, maxChars)), source: 'facts' },
    usage,
    fault,
  });
  if (percent >= 100) return fromFacts('its context is full', null);
  const exceeded = exceededBudget(loop);
  if (exceeded !== null) return fromFacts(exceeded, null);
  try {
    const dir = await engine.artifacts.namedDir(loop.id, `handoff-${iteration.number}`);
    const { result, usage } = await askForLoop(engine, owner, {
      iteration: iteration.number,
      settings: loop.settings,
      model: iteration.model,
      prompt: handoffPrompt(maxChars),
      dir,
      // Not where the work is: it has nothing to do there any more.
      cwd: dir,
      maxTurns: 2,
      limits,
      resume: { id: session.id, used: session.tokens },
    });
    const { kind, finalText, evidence } = result.outcome;
    const text = boundedHandoff(engine.clean(finalText), maxChars);
    if (kind !== 'done' || text === '') return fromFacts(evidence || kind, usage);
    return { handoff: { text, source: 'agent' }, usage, fault: null };
  } catch (error) {
    if (!isLoopwrightError(error)) throw error;
    return fromFacts(error.message, null);
  }
}
