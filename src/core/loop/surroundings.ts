import type { Rest } from './judge.ts';
import { lastIteration, type Iteration, type Loop } from './loop.ts';

/** What changed around a workspace, for people. */
export function tamperedText({ names, count }: NonNullable<Iteration['tampered']>): string {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `changed outside of the workspace: ${names.join(', ')}${more}`;
}

/** With `sandbox: worktree` nothing but the worktree may change. */
export function guardsSurroundings(loop: Loop): boolean {
  return loop.settings.sandbox.level === 'worktree';
}

/** How a loop rests whose last iteration broke that rule; null when it did not. */
export function breachOf(loop: Loop): Rest | null {
  const tampered = lastIteration(loop)?.tampered;
  if (tampered === undefined || !guardsSurroundings(loop)) return null;
  return breach(tamperedText(tampered));
}

export function breach(text: string): Rest {
  return {
    status: 'blocked',
    reason: 'integrity',
    text: `sandbox: worktree does not allow what was ${text}. Nothing was put back; look at it, then resume`,
  };
}
