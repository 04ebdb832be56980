import { onOneLine } from '../text/file-name.ts';
import { bothEnds, type Check } from './report.ts';
import { failureSignature } from './signature.ts';

export type Seen = {
  readonly name: string;
  readonly passed: boolean | null;
  /** One finding per line; empty on a plain pass. */
  readonly findings: readonly string[];
  /** What the findings have in common, for one line. */
  readonly summary: string;
};

/** A check that looks at files instead of running a command. A warning is null with a reason. */
export function seenCheck({ name, passed, findings, summary }: Seen): Check {
  // Findings quote names of files.
  const output = findings.map(onOneLine).join('\n');
  return {
    name,
    passed,
    output: bothEnds(output),
    durationMs: 0,
    command: null,
    exitCode: null,
    reason: passed === true ? null : onOneLine(summary),
    tests: null,
    failingTests: [],
    signature: passed === false ? failureSignature(output) : null,
    evidence: null,
  };
}
