import { baseMoveText } from '../loop/base-text.ts';
import type { RecordedEvent } from '../loop/event.ts';
import type { Loop } from '../loop/loop.ts';
import { singleLine } from '../prompt/inline.ts';

/** What a person is told about a loop. One line each, without anything a terminal or a page would act upon. */
export type Notification = {
  readonly kind: 'needs-you' | 'complete' | 'failed' | 'stopped' | 'alert' | 'safety';
  readonly title: string;
  readonly text: string;
  readonly loopId: string;
  readonly taskId: string;
  /** Sent also in quiet hours, and however lately the last one was. */
  readonly isCritical: boolean;
};

/** The notification a fact is worth; null for most. */
export function notificationOf({ event }: RecordedEvent, loop: Loop): Notification | null {
  const about = { loopId: loop.id, taskId: loop.taskId, title: singleLine(loop.title, 120) };
  if (event.type === 'loop.rested') {
    // Whoever asked for a pause or an end knows of it; an interrupted loop goes on by itself.
    if (event.reason === 'user' || event.reason === 'cancelled') return null;
    if (event.status === 'paused') return null;
    const kind = event.status === 'blocked' ? 'needs-you' : event.status;
    const text = singleLine(event.text, 400);
    return { ...about, kind, text, isCritical: event.reason === 'integrity' };
  }
  if (event.type === 'loop.waiting' && event.condition === 'approval') {
    return { ...about, kind: 'needs-you', text: singleLine(event.text, 400), isCritical: false };
  }
  if (event.type === 'surroundings.changed') {
    const names = singleLine(event.names.join(', '), 300);
    const text = `something outside of its worktree was changed: ${names}`;
    return { ...about, kind: 'safety', text, isCritical: true };
  }
  if (event.type === 'base.moved') {
    const text = singleLine(baseMoveText(event), 400);
    return { ...about, kind: 'safety', text, isCritical: true };
  }
  if (event.type !== 'messages.received') return null;
  const alerts = event.messages.filter(({ kind }) => kind === 'alert');
  if (alerts.length === 0) return null;
  const text = singleLine(alerts.map((each) => `${each.from}: ${each.text}`).join('; '), 400);
  return { ...about, kind: 'alert', text, isCritical: false };
}
