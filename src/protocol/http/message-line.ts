import type { Message } from '../../core/coordinate/message.ts';
import { isoTime, isoTimeOrNull } from '../value.ts';
import type { MessageLine } from './payload.ts';

export function messageLine(message: Message): MessageLine {
  return {
    id: message.id,
    kind: message.kind,
    from: message.sender,
    to: message.receiver,
    body: message.body,
    replyTo: message.replyTo,
    sentAt: isoTime(message.createdAt),
    acknowledgedAt: isoTimeOrNull(message.acknowledgedAt),
  };
}
