import { z } from 'zod';
import { lazy } from '../core/lazy.ts';
import type { Settings } from '../core/config/schema.ts';
import { redactText } from './redact-text.ts';
import type { LoopEvent, RecordedEvent } from '../core/loop/event.ts';
import type { LiveEvent } from '../ports/live.ts';
import { isoTime, isoTimeOrNull, Time } from './value.ts';

/** One line of `run --events` and `events`: the fields of the event beside these. */
export const EventLine = lazy(() =>
  z.looseObject({
    /** Position in the loop's log; null for live lines, which are never stored. */
    seq: z.number().int().nullable(),
    time: Time(),
    type: z.string(),
    /** Id of the loop; null for talk about the whole session. */
    loop: z.string().nullable(),
  }),
);
export type EventLine = z.infer<ReturnType<typeof EventLine>>;

/** A stored event. Values of variables that were set by the configuration are left out. */
export function recordedLine(loopId: string, { seq, time, event }: RecordedEvent): EventLine {
  const { type, ...fields } = publicEvent(event);
  return { seq, time: isoTime(time), type, loop: loopId, ...fields };
}

/** A live event at the moment `now`. Stored ones keep the time they were stored with. */
export function liveEventLine(event: LiveEvent, now: number): EventLine {
  const live = { seq: null, time: isoTime(now), type: event.kind };
  switch (event.kind) {
    case 'recorded':
      return recordedLine(event.loop.id, event.recorded);
    case 'activity': {
      const { loopId: loop, iteration, activity } = event;
      return { ...live, loop, iteration, ...activity };
    }
    case 'usage': {
      const { loopId: loop, tokens, costUsd, turns } = event;
      return { ...live, loop, tokens, costUsd, turns };
    }
    case 'queue':
      return { ...live, loop: null, ...event.queue };
    case 'outage': {
      const { since, nextTry, ...outage } = event.outage;
      const times = { since: isoTime(since), nextTry: isoTimeOrNull(nextTry) };
      return { ...live, loop: null, ...outage, ...times, isOver: event.isOver };
    }
    case 'notice':
      return { ...live, loop: null, text: event.text };
  }
}

type PublicEvent = { readonly type: string } & Readonly<Record<string, unknown>>;

function publicEvent(event: LoopEvent): PublicEvent {
  if (event.type === 'loop.waiting') return { ...event, until: isoTime(event.until) };
  if (!('settings' in event) || event.settings === null) return { ...event };
  return withoutKeys({ ...event, settings: publicSettings(event.settings) });
}

/** What is kept to be run again is kept as it is, and told without the keys in its commands. */
function withoutKeys(event: PublicEvent): PublicEvent {
  const clean = redactText();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same event, with other texts in it
  return JSON.parse(JSON.stringify(event), (_key, value: unknown) =>
    typeof value === 'string' ? clean(value) : value,
  ) as PublicEvent;
}

const hidden = '[set]';

/** Settings without the values of environment variables: those may be keys. */
export function publicSettings(settings: Settings): Settings {
  const agents = Object.entries(settings.agents).map(([name, agent]) => {
    return [name, { ...agent, env: hideValues(agent.env ?? {}) }] as const;
  });
  return {
    ...settings,
    env: { ...settings.env, set: hideValues(settings.env.set) },
    agents: Object.fromEntries(agents),
  };
}

function hideValues(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(values).map((name) => [name, hidden]));
}
