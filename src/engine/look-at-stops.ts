import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { StopTest } from '../core/config/section/stop.ts';
import { lastIteration, type Loop } from '../core/loop/loop.ts';
import { allChecks } from '../core/verdict/report.ts';
import { describeStop, type Looked } from '../core/verdict/stop-condition.ts';
import { parseTests } from '../core/verdict/test-output/parse-tests.ts';
import type { ProcessEnd } from '../ports/process.ts';
import type { Engine } from './engine.ts';
import { inTime } from './in-time.ts';
import { runCommand } from './run-command.ts';
import { matchesPattern } from './time-box.ts';

const maxFileBytes = 10 * 1024 * 1024;
/** A pattern is matched with everything else standing still. */
const longestMatchMs = 1000;

/** Looks at what one stop condition asks about, within its time. `place` tells the output of scripts apart. */
export async function lookAtStop(
  engine: Engine,
  loop: Loop,
  { test, place }: { readonly test: StopTest; readonly place: number },
  signal: AbortSignal,
): Promise<Looked> {
  try {
    if (test.on === 'script') return await scriptSays(engine, loop, test, place, signal);
    const met = await inTime(engine.clock, look(engine, loop, test), test.timeout);
    return met === null ? { met, problem: `${describeStop(test)}: this took too long` } : { met };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { met: null, problem: `${describeStop(test)}: ${text}` };
  }
}

/** Null: matching took too long. */
async function look(
  engine: Engine,
  loop: Loop,
  test: Exclude<StopTest, { on: 'script' }>,
): Promise<boolean | null> {
  switch (test.on) {
    case 'specific-tests-pass':
      return specificTestsPass(engine, loop, test.tests);
    case 'file-created':
      return stat(inside(loop, test.path)).then(
        () => true,
        () => false,
      );
    case 'file-contains':
      return fileContains(inside(loop, test.path), test.text);
    case 'output-pattern':
      return matches(test.pattern, await finalMessage(engine, loop), test.timeout);
    case 'on-error': {
      const evidence = lastIteration(loop)?.agent?.evidence ?? '';
      return test.pattern === undefined || matches(test.pattern, evidence, test.timeout);
    }
    case 'max-iterations':
    case 'max-duration':
    case 'test-failure-streak':
    case 'no-progress':
    case 'all-tests-pass':
    case 'user-signal':
    case 'budget':
      throw new Error('nothing to look at');
  }
}

function matches(pattern: string, text: string, timeoutMs: number): boolean | null {
  return matchesPattern(pattern, text, Math.min(timeoutMs, longestMatchMs));
}

/** By name, from the whole output of the last checks: a named test must have run there and passed. */
async function specificTestsPass(
  engine: Engine,
  loop: Loop,
  names: readonly string[],
): Promise<boolean> {
  const last = lastIteration(loop);
  if (last === null || last.report === null) return false;
  const dir = await engine.artifacts.iterationDir(loop.id, last.number);
  const passed = new Set<string>();
  const failed = new Set<string>();
  for (const { check } of allChecks(last.report)) {
    for (const stream of ['stdout', 'stderr']) {
      const file = path.join(dir, `${check.name}.${stream}.log`);
      const { tests } = parseTests((await engine.artifacts.readTail(file, maxFileBytes)) ?? '');
      for (const { name, status } of tests) (status === 'passed' ? passed : failed).add(name);
    }
  }
  return names.every((name) => passed.has(name) && !failed.has(name));
}

/** The end of the final message, as the agent wrote it. */
async function finalMessage(engine: Engine, loop: Loop): Promise<string> {
  const last = lastIteration(loop);
  if (last === null) return '';
  const dir = await engine.artifacts.iterationDir(loop.id, last.number);
  return (await engine.artifacts.readTail(path.join(dir, 'final.md'), 64 * 1024)) ?? '';
}

function inside(loop: Loop, file: string): string {
  return path.join(loop.workspace.path, file);
}

async function fileContains(file: string, text: string): Promise<boolean> {
  const found = await stat(file).catch(() => null);
  if (found === null || !found.isFile() || found.size > maxFileBytes) return false;
  return (await readFile(file, 'utf8')).includes(text);
}

async function scriptSays(
  engine: Engine,
  loop: Loop,
  test: Extract<StopTest, { on: 'script' }>,
  place: number,
  signal: AbortSignal,
): Promise<Looked> {
  const dir = await engine.artifacts.namedDir(loop.id, 'stop-scripts');
  const spec = {
    command: test.command,
    dir,
    name: `script-${place}`,
    timeoutMs: test.timeout,
    walled: true,
  };
  const { end } = await runCommand(engine, loop, spec, signal);
  const fault = scriptFault(end, test.timeout);
  if (fault !== null) return { met: null, problem: `\`${test.command}\` ${fault}` };
  return { met: end.kind === 'exited' && end.code === 0 };
}

/** Why a script gave no answer, in words; null when its exit code is one. */
function scriptFault(end: ProcessEnd, timeoutMs: number): string | null {
  if (end.kind === 'timed-out') return `took longer than ${timeoutMs / 1000} s and was ended`;
  if (end.kind === 'not-started') return `could not be started: ${end.error}`;
  if (end.kind !== 'exited') return `was ended (${end.kind})`;
  // What a shell says of a program, not what the program says.
  if (end.code === 126) return 'cannot be executed (exit code 126)';
  return end.code === 127 ? 'was not found (exit code 127)' : null;
}
