/** Output that is nothing but text: what a program prints is its final message. */
import type { AgentOutcome } from '../../../core/agent/outcome.ts';
import type { AgentEvent } from '../../../ports/agent.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { bareOutcome, describeEnd } from '../agent-outcome.ts';

/** The end of the output, in whole lines where possible. */
export type TextState = { readonly text: string; readonly isCut: boolean };

export const maxFinalChars = 256 * 1024;
const maxActivityChars = 500;

export const emptyText: TextState = { text: '', isCut: false };

export function parseText(
  line: string,
  state: TextState,
): { readonly state: TextState; readonly events: readonly AgentEvent[] } {
  const events: AgentEvent[] = [];
  if (line.trim() !== '') {
    const text =
      line.length > maxActivityChars ? `${line.slice(0, maxActivityChars).toWellFormed()}…` : line;
    events.push({ type: 'activity', activity: { kind: 'saying', text } });
  }
  return { state: withLine(state, line), events };
}

/** Cuts only when twice the limit is held, so that long outputs cost linear time. */
function withLine(state: TextState, line: string): TextState {
  const text = `${state.text}${line}\n`;
  if (text.length <= 2 * maxFinalChars) return { text, isCut: state.isCut };
  return { text: text.slice(-maxFinalChars), isCut: true };
}

/** Cut in the middle of a line, the rest of it must not pass for a line of its own. */
function finalText(state: TextState): string {
  const isCut = state.isCut || state.text.length > maxFinalChars;
  if (!isCut) return state.text.trimEnd();
  const kept = state.text.slice(-maxFinalChars);
  const firstEnd = kept.indexOf('\n');
  const whole =
    firstEnd === -1 || firstEnd === kept.length - 1 ? `…${kept}` : kept.slice(firstEnd + 1);
  return whole.toWellFormed().trimEnd();
}

/** Exit code 0 is all a plain program can say for itself; every other ending is a crash. */
export function finishText(state: TextState, end: ProcessEnd, stderrTail: string): AgentOutcome {
  const text = finalText(state);
  const isDone = end.kind === 'exited' && end.code === 0;
  if (!isDone) return { ...bareOutcome('crashed', describeEnd(end, stderrTail)), finalText: text };
  const evidence = text === '' ? 'exit code 0, nothing printed' : 'exit code 0';
  return { ...bareOutcome('done', evidence), finalText: text };
}
