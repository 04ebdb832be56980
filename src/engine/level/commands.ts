import path from 'node:path';
import type { Loop } from '../../core/loop/loop.ts';
import { judgeCheck, type CheckRun } from '../../core/verdict/check.ts';
import type { Check } from '../../core/verdict/report.ts';
import type { Engine } from '../engine.ts';
import type { JudgedFiles } from '../judged-files.ts';
import { keptBytes, runCommand, type CommandResult } from '../run-command.ts';
import { withRetries } from './retries.ts';

type PlannedCheck = {
  readonly name: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly successExitCode: number;
  readonly isSetup: boolean;
};

/** Commands that the agent never sees. Nothing of their output is kept in the report, and so none reaches a prompt. */
export async function runHidden(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
): Promise<readonly Check[] | null> {
  const checks: Check[] = [];
  for (const [name, hidden] of Object.entries(loop.settings.verify.hidden)) {
    const planned: PlannedCheck = {
      name: `hidden-${name}`,
      command: hidden.command,
      timeoutMs: hidden.timeout,
      successExitCode: hidden['success-exit-code'],
      isSetup: false,
    };
    const check = await withRetries(loop, () => runCheck(engine, loop, planned, judged, signal));
    if (check === null) return null;
    const reason = check.passed === true ? null : `the hidden check ${name} failed`;
    checks.push({ ...check, output: '', reason, failingTests: [], failures: [] });
  }
  return checks;
}

/** L1: the user's own commands, in order. Null when it was cut short. */
export async function runCommands(
  engine: Engine,
  loop: Loop,
  judged: JudgedFiles,
  signal: AbortSignal,
): Promise<readonly Check[] | null> {
  const checks: Check[] = [];
  for (const planned of plannedChecks(loop)) {
    const check = await withRetries(loop, () => runCheck(engine, loop, planned, judged, signal));
    if (check === null) return null;
    // A setup that works proves nothing; one that does not makes the rest pointless.
    if (planned.isSetup && check.passed !== false) continue;
    checks.push(check);
    if (planned.isSetup) break;
  }
  return checks;
}

function plannedChecks(loop: Loop): readonly PlannedCheck[] {
  const { command, commands, setup, timeout, 'success-exit-code': code } = loop.settings.validation;
  const planned: PlannedCheck[] = [];
  const common = { timeoutMs: timeout, successExitCode: code, isSetup: false };
  if (setup !== null) {
    planned.push({ ...common, name: 'setup', command: setup, successExitCode: 0, isSetup: true });
  }
  if (command !== null) planned.push({ ...common, name: 'validation', command });
  for (const [name, more] of Object.entries(commands)) {
    planned.push({
      name,
      command: more.command,
      timeoutMs: more.timeout,
      successExitCode: more['success-exit-code'],
      isSetup: false,
    });
  }
  return planned;
}

async function runCheck(
  engine: Engine,
  loop: Loop,
  { name, command, successExitCode, timeoutMs }: PlannedCheck,
  { cwd, dir, room }: JudgedFiles,
  signal: AbortSignal,
): Promise<Check | null> {
  const where = { dir, cwd, walled: true, ...room };
  const spec = { name, command, timeoutMs, ...where };
  await engine.reach('before:run-check');
  const result = await runCommand(engine, loop, spec, signal);
  await engine.reach('after:run-check');
  if (result.end.kind === 'cancelled') return null;
  const check = judgeCheck({
    name,
    command,
    successExitCode,
    end: result.end,
    stdout: result.stdout,
    stderr: result.stderr,
    durationMs: result.durationMs,
    parseTests: loop.settings.verify['parse-tests'],
    ...(await largeOutput(engine, name, dir, result)),
    evidence: `${name}.stdout.log`,
  });
  return { ...check, outputHash: await outputHash(engine, dir, name) };
}

/** Of the whole output of a command, as it is kept. */
export async function outputHash(engine: Engine, dir: string, name: string): Promise<string> {
  const streams = ['stdout', 'stderr'];
  return engine.artifacts.digest(streams.map((each) => path.join(dir, `${name}.${each}.log`)));
}

const maxParsedBytes = 16 * 1024 * 1024;

/** Of a command that printed more than is kept in memory, more from its files: a runner's header may stand far up. */
async function largeOutput(
  engine: Engine,
  name: string,
  dir: string,
  { stdout, stderr }: CommandResult,
): Promise<Pick<CheckRun, 'testOutput'>> {
  const isLarge = Math.max(stdout.length, stderr.length) > keptBytes / 4;
  if (!isLarge) return {};
  const texts = ['stdout', 'stderr'].map((stream) =>
    engine.artifacts.readTail(path.join(dir, `${name}.${stream}.log`), maxParsedBytes),
  );
  const found = (await Promise.all(texts)).filter((text) => text !== null && text !== '');
  return found.length === 0 ? {} : { testOutput: found.join('\n') };
}
