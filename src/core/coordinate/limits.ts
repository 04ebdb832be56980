import { LoopwrightError } from '../error.ts';

/** Beyond these the sender gets an error; nothing is dropped in silence. */
export const messageLimits = {
  perSecond: 100,
  maxBytes: 1_048_576,
  maxUnread: 1000,
  /** How long a query may wait for its answer. */
  queryMs: 30_000,
} as const;

export type Traffic = {
  readonly bytes: number;
  /** Sent by this sender within the last second. */
  readonly sentLately: number;
  /** Not yet read by the receiver, or read and not yet told to its agent. */
  readonly unread: number;
};

/** Why a message is not taken; null when it is. */
export function overLimit(receiver: string, traffic: Traffic): LoopwrightError | null {
  const { perSecond, maxBytes, maxUnread } = messageLimits;
  if (traffic.bytes > maxBytes) {
    return new LoopwrightError(
      'message.too_large',
      `the message has ${traffic.bytes} bytes, more than ${maxBytes}`,
      { hint: 'write it to a file and send its path' },
    );
  }
  if (traffic.sentLately >= perSecond) {
    return new LoopwrightError(
      'message.too_many',
      `more than ${perSecond} messages in one second`,
      { hint: 'wait a second and send it again' },
    );
  }
  if (traffic.unread >= maxUnread) {
    return new LoopwrightError(
      'message.unread',
      `${receiver} has ${traffic.unread} messages that its agent has not been told`,
      { hint: 'it is told some of them with every iteration; send it again later' },
    );
  }
  return null;
}
