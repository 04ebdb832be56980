import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { StopCondition, StopTest } from '../core/config/section/stop.ts';
import { budgetUse } from '../core/loop/budget.ts';
import { summariseBase, summariseHistory } from '../core/loop/iteration-summary.ts';
import { countedIterations, lastIteration, type Loop } from '../core/loop/loop.ts';
import { progressOfEach } from '../core/strategy/activity.ts';
import { allChecks, reportTests } from '../core/verdict/report.ts';
import { evaluateStop, stopTests, type StopResult } from '../core/verdict/stop-condition.ts';
import { parseTests } from '../core/verdict/test-output/parse-tests.ts';
import type { Engine } from './engine.ts';
import { runCommand } from './run-command.ts';
import { matchesPattern } from './time-box.ts';

const maxFileBytes = 10 * 1024 * 1024;

/** Looks up what the stop conditions ask about, each within its own time, and evaluates them. */
export async function lookAtStops(
  engine: Engine,
  loop: Loop,
  conditions: readonly StopCondition[],
  signal: AbortSignal,
): Promise<readonly StopResult[]> {
  const looks = new Map<StopTest, boolean | null>();
  for (const test of stopTests(conditions)) {
    looks.set(test, await look(engine, loop, test, signal).catch(() => null));
  }
  return conditions.map((condition) => evaluateStop(condition, (test) => looks.get(test) ?? null));
}

/** Null: the look failed or took too long. */
async function look(
  engine: Engine,
  loop: Loop,
  test: StopTest,
  signal: AbortSignal,
): Promise<boolean | null> {
  const last = lastIteration(loop);
  const history = summariseHistory(loop);
  switch (test.on) {
    case 'max-iterations':
      return countedIterations(loop) >= test.value;
    case 'max-duration':
      return loop.activeMs >= test.value;
    case 'test-failure-streak':
      return streak(history, (each) => (each.tests?.failed ?? 0) > 0) >= test.value;
    case 'no-progress':
      return (
        streak(progressOfEach(history, { base: summariseBase(loop) }), (each) => !each.progress) >=
        test.value
      );
    case 'all-tests-pass': {
      const tests = last?.report ? reportTests(last.report) : null;
      return tests !== null && tests.total > 0 && tests.failed === 0;
    }
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
      return matchesPattern(test.pattern, await finalMessage(engine, loop));
    case 'on-error': {
      if (last === null || (last.outcome !== 'error' && last.outcome !== 'timed_out')) return false;
      return test.pattern === undefined || matchesPattern(test.pattern, last.agent?.evidence ?? '');
    }
    case 'script':
      return scriptSays(engine, loop, test, signal);
    case 'user-signal':
      return false;
    case 'budget':
      return budgetUse(loop).some(({ used, limit }) => used >= (limit * test.percent) / 100);
  }
}

function streak<T>(items: readonly T[], holds: (item: T) => boolean): number {
  const broken = items.findLastIndex((item) => !holds(item));
  return items.length - 1 - broken;
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
  signal: AbortSignal,
): Promise<boolean | null> {
  const dir = await engine.artifacts.namedDir(loop.id, 'stop-scripts');
  const spec = {
    command: test.command,
    dir,
    name: 'script',
    timeoutMs: test.timeout,
    walled: true,
  };
  const { end } = await runCommand(engine, loop, spec, signal);
  return end.kind === 'exited' ? end.code === 0 : null;
}
