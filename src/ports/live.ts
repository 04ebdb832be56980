import type { Activity, AgentOutcome } from '../core/agent/outcome.ts';
import type { RecordedEvent } from '../core/loop/event.ts';
import type { OutageState } from '../core/outage/outage-view.ts';
import type { QueueSnapshot } from '../core/schedule/queue-view.ts';
import type { Loop } from '../core/loop/loop.ts';

/** What people and programs can watch: stored facts with their sequence, and live lines that are never stored. */
export type LiveEvent =
  | { readonly kind: 'recorded'; readonly loop: Loop; readonly recorded: RecordedEvent }
  | {
      readonly kind: 'activity';
      readonly loopId: string;
      readonly iteration: number;
      readonly activity: Activity;
    }
  | {
      readonly kind: 'usage';
      readonly loopId: string;
      /** Totals of the run under way. */
      readonly tokens: AgentOutcome['tokens'];
      readonly costUsd: number | null;
      /** Null: the agent does not say. */
      readonly turns: number | null;
    }
  /** Who waits for a slot, whenever that changes. */
  | { readonly kind: 'queue'; readonly queue: QueueSnapshot }
  /** A provider is down, was tried in vain, or answers again. */
  | { readonly kind: 'outage'; readonly outage: OutageState; readonly isOver: boolean }
  /** Talk about the session as a whole. */
  | { readonly kind: 'notice'; readonly text: string };

export type LiveListener = (event: LiveEvent) => void;
