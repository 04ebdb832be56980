import type { Hooks } from '../config/section/hooks.ts';
import { isEmptyChange } from '../loop/changes.ts';
import type { RecordedEvent } from '../loop/event.ts';

/** Hooks that follow a fact. Those before and after an iteration are steps of the loop instead. */
export type FactHook = Exclude<keyof Hooks, 'pre-iteration' | 'post-iteration'>;

/** Which hooks a fact calls for, in the order they run. */
export function dueHooks({ event }: RecordedEvent): readonly FactHook[] {
  if (event.type === 'loop.started') return ['loop-start'];
  if (event.type === 'loop.rested') return ['loop-end'];
  if (event.type === 'loop.merged') return ['merge'];
  if (event.type === 'mode.switched') return ['mode-switch'];
  if (event.type === 'rebase.ended') return ['rebase'];
  if (event.type === 'snapshot.taken') return isEmptyChange(event.changes) ? [] : ['file-change'];
  if (event.type === 'verification.ended') {
    return [event.report.overall.passed ? 'test-success' : 'test-failure'];
  }
  if (event.type === 'iteration.ended') return event.outcome === 'error' ? ['error'] : [];
  if (event.type !== 'decision.made') return [];
  const { progress } = event.decision.inputs;
  return progress === null ? [] : [progress.progress ? 'progress' : 'no-progress'];
}
