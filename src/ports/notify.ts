import type { Allowance } from '../core/notify/allowance.ts';
import type { Settings } from '../core/config/schema.ts';
import type { Notification } from '../core/notify/notification.ts';

/** One way to reach a person. */
export interface NotifyChannel {
  /** For messages about failures. */
  readonly name: string;
  send(notification: Notification, signal: AbortSignal): Promise<void>;
}

/** The ways a loop's settings name. */
export type NotifyChannels = (settings: Settings['notify']) => readonly NotifyChannel[];

/** What was sent lately, over all processes of the project: limits hold for a person, not for a process. */
export type AllowanceKeeper = {
  /** Changes what is stored; nobody else does meanwhile. Answers with the rest of what `decide` said. */
  change<R extends object>(
    decide: (allowance: Allowance) => R & { readonly allowance: Allowance },
    signal: AbortSignal,
  ): Promise<Omit<R, 'allowance'>>;
};
