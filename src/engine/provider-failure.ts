import { providerName, providerOf } from '../core/agent/provider.ts';
import type { Activity, AgentOutcome } from '../core/agent/outcome.ts';
import { failedRequests, type AfterAgentInput } from '../core/loop/agent-policy.ts';
import type { LoopEvent } from '../core/loop/event.ts';
import { afterFailure } from '../core/outage/outage.ts';
import { outageLimits } from '../core/outage/outage-view.ts';
import { headChars } from '../core/text/code-points.ts';
import { plainText } from '../core/text/terminal.ts';
import type { AgentSink } from '../ports/agent.ts';
import type { Engine } from './engine.ts';
import type { LoopOwner } from './loop-owner.ts';
import { endOutage, passOutage, publishOutage } from './outages.ts';

const keptWhy = 300;

/** Whether an agent may start now, to work or to probe. While another loop finds out about the provider this one waits. */
export async function lookAtProvider(
  engine: Engine,
  owner: LoopOwner,
): Promise<'there' | 'probe' | 'down'> {
  const look = await passOutage(engine, owner.loop);
  if (look.kind === 'over') return 'there';
  if (look.kind === 'probe') return 'probe';
  const leftMs = look.kind === 'wait' ? look.leftMs : 0;
  const provider = providerOf(owner.loop.settings);
  await owner.record(outageWait(owner.now + leftMs, `${providerName(provider)} is down`));
  await publishOutage(engine, provider);
  return 'down';
}

/** What the loop and its provider have come to, for the decision about what follows a run. */
export async function afterAgentInput(
  engine: Engine,
  owner: LoopOwner,
  outcome: AgentOutcome,
): Promise<AfterAgentInput> {
  const { iteration, loop } = owner;
  const provider = providerOf(loop.settings);
  const isFailure = outcome.kind === 'api_error';
  const before = owner.failedAt;
  owner.failedAt = isFailure ? engine.clock.monotonic() : null;
  const known = isFailure ? await engine.store.read((tx) => tx.outages.get(provider)) : null;
  return {
    apiErrors: iteration.apiErrors + failedRequests(outcome),
    hangs: iteration.hangs + (outcome.kind === 'hung' ? 1 : 0),
    apiRetries: loop.settings.limits['api-retries'],
    isDown: known !== null,
    hasAnswered: before !== null && engine.slots.hasAnsweredSince(provider, before),
    pace: outageLimits(loop.settings),
    now: owner.now,
    chance: engine.random.next(),
  };
}

/** The provider is down: that, and the loop's wait for it, become facts together. */
export async function waitForOutage(
  engine: Engine,
  owner: LoopOwner,
  evidence: string,
  events: readonly LoopEvent[],
): Promise<void> {
  const { id: loopId, settings } = owner.loop;
  const provider = providerOf(settings);
  const why = headChars(plainText(engine.clean(evidence)), keptWhy);
  const limits = outageLimits(settings);
  const { inMs, prober } = await engine.store.read(async (tx) => {
    const now = await tx.leaseTime();
    const failure = { provider, loopId, why, now, wallNow: engine.clock.now() };
    const outage = afterFailure(await tx.outages.get(provider), failure, limits);
    return { inMs: outage.nextAt - now, prober: outage.prober };
  });
  owner.hasProbed = prober === loopId;
  // What a provider that is down takes of its time is nobody's working time.
  owner.forgetTime();
  owner.failedAt = null;
  const text = `${providerName(provider)} is down: ${why}`;
  await owner.recordWith(
    async (tx) => {
      const now = await tx.leaseTime();
      const failure = { provider, loopId, why, now, wallNow: engine.clock.now() };
      await tx.outages.put(afterFailure(await tx.outages.get(provider), failure, limits));
    },
    ...events,
    outageWait(owner.now + Math.max(0, inMs), text),
  );
  engine.slots.tell({ type: 'down', provider, inMs });
  await publishOutage(engine, provider);
}

function outageWait(until: number, text: string): LoopEvent {
  return { type: 'loop.waiting', condition: 'outage', until, then: 'run-agent', text };
}

/** What an agent does only after its model has told it to. */
const deeds: ReadonlySet<Activity['kind']> = new Set(['reading', 'editing', 'running']);

/** Sees the first sign that the model has answered: others need not wait until the whole run has ended. */
export function withAnswerWatch(engine: Engine, owner: LoopOwner, sink: AgentSink): AgentSink {
  const provider = providerOf(owner.loop.settings);
  let isSeen = false;
  const see = () => {
    if (isSeen) return;
    isSeen = true;
    owner.inBackground(endOutage(engine, provider));
  };
  return {
    ...sink,
    activity(activity) {
      if (deeds.has(activity.kind)) see();
      sink.activity(activity);
    },
    usage(tokens, costUsd, model) {
      if ((tokens?.output ?? 0) > 0) see();
      sink.usage(tokens, costUsd, model);
    },
  };
}
