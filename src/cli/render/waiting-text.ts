import type { DaemonStatus } from '../../protocol/http/payload.ts';
import { formatDuration } from './format.ts';

/** `waits for a place: all 4 loop slots are in use · 2nd in line, about 3m 00s`. */
export function waitingForPlace({
  position,
  reason,
  estimateMs,
}: Omit<DaemonStatus['waiting'][number], 'task'>): string {
  const time = estimateMs === null ? '' : `, about ${formatDuration(estimateMs)}`;
  return `waits for a place: ${reason} · number ${position} in line${time}`;
}
