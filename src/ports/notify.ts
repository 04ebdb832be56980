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
