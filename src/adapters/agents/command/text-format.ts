/** Output that is nothing but text: what a program prints is its final message. */
import type { AgentOutcome } from '../../../core/agent/outcome.ts';
import type { AgentEvent } from '../../../ports/agent.ts';
import type { ProcessEnd } from '../../../ports/process.ts';
import { bareOutcome, describeEnd } from '../agent-outcome.ts';

const maxActivityChars = 500;

export function parseText(line: string): {
  readonly state: null;
  readonly events: readonly AgentEvent[];
} {
  if (line.trim() === '') return { state: null, events: [] };
  const text =
    line.length > maxActivityChars ? `${line.slice(0, maxActivityChars).toWellFormed()}…` : line;
  return { state: null, events: [{ type: 'activity', activity: { kind: 'saying', text } }] };
}

/** Exit code 0 is all a plain program can say for itself; every other ending is a crash. */
export function finishText(
  _state: null,
  end: ProcessEnd,
  stderrTail: string,
  stdout: string = '',
): AgentOutcome {
  const isDone = end.kind === 'exited' && end.code === 0;
  if (!isDone)
    return { ...bareOutcome('crashed', describeEnd(end, stderrTail)), finalText: stdout };
  const evidence = stdout === '' ? 'exit code 0, nothing printed' : 'exit code 0';
  return { ...bareOutcome('done', evidence), finalText: stdout };
}
