import path from 'node:path';
import type { Loop } from '../core/loop/loop.ts';
import { judgeCheck, type CheckRun } from '../core/verdict/check.ts';
import { judgeIntegrity } from '../core/verdict/integrity.ts';
import {
  createLevel,
  createReport,
  type Check,
  type VerificationReport,
} from '../core/verdict/report.ts';
import type { Engine } from './engine.ts';
import { type CommandResult, keptBytes, runCommand } from './run-command.ts';

export type VerificationInput = {
  readonly cwd: string;
  /** Folder for the evidence. */
  readonly dir: string;
  /** Snapshot that is judged. */
  readonly tree: string;
};

type PlannedCheck = {
  readonly name: string;
  readonly command: string;
  readonly timeoutMs: number;
  readonly successExitCode: number;
  readonly isSetup: boolean;
};

/** Executes every check of the loop and stores the report beside the evidence. Null when it was cut short. */
export async function runVerification(
  engine: Engine,
  loop: Loop,
  input: VerificationInput,
  signal: AbortSignal,
): Promise<VerificationReport | null> {
  const started = engine.clock.monotonic();
  const checks: Check[] = [];
  for (const planned of plannedChecks(loop)) {
    const check = await runCheck(engine, loop, planned, input, signal);
    if (check === null) return null;
    // A setup that works proves nothing; one that does not makes the rest pointless.
    if (planned.isSetup && check.passed !== false) continue;
    checks.push(check);
    if (planned.isSetup) break;
  }
  const duration = Math.round(engine.clock.monotonic() - started);
  const executed = createReport({ L1: createLevel(checks) }, input.tree, duration);
  const integrity = judgeIntegrity(
    loop.settings.verify.integrity,
    loop.baseline?.report ?? null,
    executed,
  );
  const report =
    integrity === null
      ? executed
      : createReport({ L1: createLevel([...checks, integrity]) }, input.tree, duration);
  await engine.artifacts.write(
    path.join(input.dir, 'verification.json'),
    `${JSON.stringify(report, null, 2)}\n`,
  );
  return report;
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

/** A failing check may be run again as often as `retries-on-fail` says; the last run counts. */
async function runCheck(
  engine: Engine,
  loop: Loop,
  planned: PlannedCheck,
  input: VerificationInput,
  signal: AbortSignal,
): Promise<Check | null> {
  const retries = loop.settings.verify['retries-on-fail'];
  for (let run = 0; ; run++) {
    const spec = { ...planned, dir: input.dir, cwd: input.cwd, walled: true };
    await engine.reach('before:run-check');
    const result = await runCommand(engine, loop, spec, signal);
    await engine.reach('after:run-check');
    if (result.end.kind === 'cancelled') return null;
    const checkRun: CheckRun = {
      name: planned.name,
      command: planned.command,
      successExitCode: planned.successExitCode,
      end: result.end,
      stdout: result.stdout,
      stderr: result.stderr,
      durationMs: result.durationMs,
      parseTests: loop.settings.verify['parse-tests'],
      ...(await largeOutput(engine, planned.name, input.dir, result)),
      evidence: `${planned.name}.stdout.log`,
    };
    const check = judgeCheck(checkRun);
    if (check.passed !== false || run >= retries) return check;
  }
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
