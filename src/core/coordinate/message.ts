/** What loops and people tell each other. */
export const messageKinds = [
  'alert',
  'share',
  'query',
  'answer',
  'rebase',
  'clear-progress',
  'resume',
  'approve',
  'reject',
] as const;

/**
 * - `alert`: something a receiver should know now; it is recorded with the loop and notified.
 * - `share`: a text for the receiver's next prompt, once.
 * - `query`: asks for facts about the receiver; `answer` carries them back.
 * - `rebase`: look at the base branch at the next boundary, without waiting for the next look.
 * - `clear-progress`: forget what earlier iterations did, at the next boundary.
 * - `approve`, `reject`: a person's answer to what a loop asks while it waits.
 * - `resume`: a resting loop goes on, driven by the daemon.
 *
 * Pause, stop and cancel are requests: they act during an iteration too.
 */
export type MessageKind = (typeof messageKinds)[number];

/** Who sends when it is no loop. */
export const userSender = 'user';

export type Message = {
  readonly id: string;
  /** Order of arrival over all messages. */
  readonly sequence: number;
  readonly kind: MessageKind;
  /** A loop id, or `user`. */
  readonly sender: string;
  readonly receiver: string;
  readonly body: string;
  readonly replyTo: string | null;
  /** UTC milliseconds. */
  readonly createdAt: number;
  readonly acknowledgedAt: number | null;
};
