import type { Settings } from '../config/schema.ts';
import type { LoopEvent } from './event.ts';

/** The fact that a loop has another mode from now on; none when it stays. */
export function modeSwitch(before: Settings, after: Settings): readonly LoopEvent[] {
  const [from, to] = [before.mode.name, after.mode.name];
  return from === to ? [] : [{ type: 'mode.switched', from, to }];
}
