import type { Settings } from '../config/schema.ts';
import { bothEnds, type Check } from './report.ts';
import { endReason, type CheckEnd } from './check.ts';
import type { Matches } from './contracts.ts';
import { isSameData } from './data-value.ts';
import { headChars } from '../text/code-points.ts';
import { plainText } from '../text/terminal.ts';
import { failureSignature } from './signature.ts';

export type Fixture = Settings['verify']['fixtures'][number];

export type FixtureRun = {
  readonly end: CheckEnd;
  readonly stdout: string;
  readonly stderr: string;
  /** More was printed than is kept: whatever compares all of it cannot tell. */
  readonly isCut: boolean;
  readonly durationMs: number;
  readonly evidence: string | null;
  /** Text of the file stdout must equal; null when it does not exist. */
  readonly expectedText: string | null;
  readonly matches: Matches;
  /** Problems of stdout with its schema; null: it took too long. */
  readonly schemaProblems: (data: unknown) => readonly string[] | null;
};

/** The verdict on one fixture: every assertion must hold, and the command must have ended by itself. */
export function judgeFixture(fixture: Fixture, run: FixtureRun): Check {
  const problems = fixtureProblems(fixture, run);
  const shown = [...problems, run.stdout, run.stderr].filter((text) => text !== '').join('\n');
  const output = plainText(shown);
  return {
    name: fixture.name,
    passed: problems.length === 0,
    output: bothEnds(output),
    durationMs: run.durationMs,
    command: fixture.command,
    exitCode: run.end.kind === 'exited' ? run.end.code : null,
    reason: problems.length === 0 ? null : plainText(problems.join('; ')),
    tests: null,
    failingTests: [],
    signature: problems.length === 0 ? null : failureSignature(output),
    evidence: run.evidence,
  };
}

function fixtureProblems({ expect, command }: Fixture, run: FixtureRun): readonly string[] {
  const { end, stdout } = run;
  const expected = expect.exit_code ?? (end.kind === 'exited' ? plainCode(end.code) : 0);
  const ended = endReason({ end, successExitCode: expected, command });
  if (ended !== null) return [ended];
  const problems: string[] = [];
  if (expect.contains !== undefined && !stdout.includes(expect.contains)) {
    problems.push(`stdout does not contain ${JSON.stringify(expect.contains)}`);
  }
  if (expect.matches_regex !== undefined) {
    const answer = run.matches(expect.matches_regex, stdout);
    if (answer === null) problems.push(`stdout takes too long to match ${expect.matches_regex}`);
    if (answer === false) problems.push(`stdout does not match ${expect.matches_regex}`);
  }
  if (expect.equals_file !== undefined) problems.push(...fileProblems(expect.equals_file, run));
  return [...problems, ...jsonProblems(expect, run)];
}

/** Without an asserted exit code any is right, but for those of a command that could not be run. */
function plainCode(code: number): number {
  return code === 126 || code === 127 ? 0 : code;
}

function fileProblems(
  file: string,
  { stdout, isCut, expectedText }: FixtureRun,
): readonly string[] {
  if (expectedText === null) return [`${file} does not exist on the base`];
  if (isCut) return [`stdout is too long to compare with ${file}`];
  if (stdout === expectedText) return [];
  return [`stdout differs from ${file} at ${firstDifference(stdout, expectedText)}`];
}

const shownChars = 80;

/** `line 2: "b" instead of "c"`, for whoever has to put it right. */
function firstDifference(text: string, expected: string): string {
  const lines = text.split('\n');
  const wanted = expected.split('\n');
  const at = lines.findIndex((line, index) => line !== wanted[index]);
  const index = at === -1 ? lines.length : at;
  return `line ${index + 1}: ${quoted(lines[index])} instead of ${quoted(wanted[index])}`;
}

function quoted(line: string | undefined): string {
  return line === undefined ? 'its end' : JSON.stringify(headChars(line, shownChars));
}

function jsonProblems(expect: Fixture['expect'], run: FixtureRun): readonly string[] {
  if (expect.json_equals === undefined && expect.json_schema === undefined) return [];
  let data: unknown;
  try {
    data = JSON.parse(run.stdout);
  } catch {
    return [run.isCut ? 'stdout is too long to be read as JSON' : 'stdout is not JSON'];
  }
  const problems: string[] = [];
  if (expect.json_equals !== undefined && !isSameData(data, expect.json_equals)) {
    problems.push(`stdout is not the JSON ${JSON.stringify(expect.json_equals)}`);
  }
  if (expect.json_schema !== undefined) {
    problems.push(
      ...(run.schemaProblems(data) ?? ['stdout takes too long to check against its schema']),
    );
  }
  return problems;
}
