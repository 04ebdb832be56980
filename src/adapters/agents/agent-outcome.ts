import type { AgentOutcome, AgentOutcomeKind } from '../../core/agent/outcome.ts';
import { formatDuration } from '../../core/config/duration.ts';
import type { ProcessEnd } from '../../ports/process.ts';

/** An outcome about which nothing is known but how it ended. */
export function bareOutcome(kind: AgentOutcomeKind, evidence: string): AgentOutcome {
  return {
    kind,
    evidence,
    finalText: '',
    sessionId: null,
    tokens: null,
    costUsd: null,
    model: null,
    turns: null,
    contextPercent: null,
    retryAfterMs: null,
    resetAtMs: null,
  };
}

/** How the process ended, in words, with the last thing it complained about. */
export function describeEnd(end: ProcessEnd, stderrTail: string): string {
  const complaint = lastLine(stderrTail);
  const because = complaint === '' ? '' : `: ${complaint}`;
  switch (end.kind) {
    case 'exited':
      return `${exitInWords(end.code)}${because}`;
    case 'signalled':
      return `killed by ${end.signal}${because}`;
    case 'timed-out':
      return `ended after ${formatDuration(Math.round(end.afterMs))}, the time limit`;
    case 'hung':
      return `no output and no work for ${formatDuration(Math.round(end.idleMs))}, the idle limit`;
    case 'cancelled':
      return 'cancelled';
    case 'ended-after-result':
      return 'delivered its result and did not exit by itself';
    case 'not-started':
      return end.error;
  }
}

function exitInWords(code: number): string {
  if (code === 127) return 'command not found (exit code 127)';
  if (code === 126) return 'command cannot be executed (exit code 126)';
  return `exit code ${code}`;
}

const maxComplaintChars = 300;

function lastLine(text: string): string {
  const trimmed = text.trimEnd();
  const line = trimmed.slice(trimmed.lastIndexOf('\n') + 1).trim();
  return line.length > maxComplaintChars
    ? `${line.slice(0, maxComplaintChars).toWellFormed()}…`
    : line;
}
