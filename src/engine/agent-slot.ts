import { providerOf } from '../core/agent/provider.ts';
import type { AgentOutcome } from '../core/agent/outcome.ts';
import { endedNormally } from '../core/loop/agent-policy.ts';
import { lastIteration, openIteration, type Loop } from '../core/loop/loop.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { orderOfLoop } from './slot-place.ts';
import { endOutage } from './outages.ts';
import { modelPlan, planModel } from './plan-model.ts';
import { isShut, shutProvider } from './sign-in.ts';

const unknownResetMs = 300_000;
const limits: ReadonlySet<AgentOutcome['kind']> = new Set(['rate_limited', 'usage_limit']);

/**
 * An agent runs in a slot, for the life of its process, and within the budget of the run. False: there is none, because the signal
 * came first, the budget does not allow it, or nobody is signed in with the provider.
 */
export async function takeAgentSlot(
  engine: Engine,
  owner: LoopOwner,
  signal: AbortSignal,
): Promise<boolean> {
  const { id: key, settings } = owner.loop;
  const provider = providerOf(settings);
  const { slots, budget } = engine;
  if (slots.holds('agent', key)) return true;
  const { kind, reportsUsage = false } = await engine.resolveAgent(settings);
  const isFree = kind === 'native';
  const order = await orderOfLoop(engine, owner.loop);
  const candidate = { key: await costKey(engine, owner), reports: reportsUsage, order };
  try {
    // First the money: whoever waits for it holds no slot.
    if (!(await budget.reserve(key, candidate, signal))) return false;
    await slots.take({ kind: 'agent', key, provider, order, isFree }, signal);
  } catch (error) {
    budget.ended(key, null, false);
    if (!signal.aborted && !isShut(error)) throw error;
    return false;
  }
  // Waiting for others is not working time.
  owner.forgetTime();
  return true;
}

/** Iterations of the same agent and model cost about the same. */
async function costKey({ store, budget }: Engine, { loop }: LoopOwner): Promise<string> {
  if (!budget.isLimited) return loop.agent;
  const open = openIteration(loop);
  const model =
    open === null
      ? (await store.read(async (tx) => planModel(tx, await modelPlan(tx, loop, nextNumber(loop)))))
          .model
      : open.model;
  return JSON.stringify([loop.agent, model]);
}

function nextNumber(loop: Loop): number {
  return (lastIteration(loop)?.number ?? 0) + 1;
}

export function giveAgentSlot({ slots }: Engine, { loop }: LoopOwner): void {
  slots.give('agent', loop.id);
}

/** What one loop finds out about a provider holds for all of them. */
export async function tellProvider(
  engine: Engine,
  loop: Loop,
  outcome: AgentOutcome,
): Promise<void> {
  const { slots } = engine;
  const provider = providerOf(loop.settings);
  const { kind, retryAfterMs, resetAtMs } = outcome;
  if (kind === 'rate_limited') slots.tell({ type: 'rate-limited', provider, retryAfterMs });
  if (kind === 'usage_limit') {
    slots.tell(
      resetAtMs === null
        ? { type: 'rate-limited', provider, retryAfterMs: unknownResetMs }
        : { type: 'usage-limited', provider, until: resetAtMs },
    );
  }
  if (kind === 'auth') {
    shutProvider(engine, loop, outcome.evidence);
    return endOutage(engine, provider, false);
  }
  if (endedNormally(kind)) slots.tell({ type: 'answered', provider });
  // A limit is an answer too: what is waited for from now on is the limit, not the outage.
  if (endedNormally(kind) || limits.has(kind)) await endOutage(engine, provider);
}
