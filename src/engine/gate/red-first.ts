import path from 'node:path';
import { lastIteration, type Iteration } from '../../core/loop/loop.ts';
import { writtenPaths } from '../../core/verdict/contracts.ts';
import { allChecks, combine, type Check } from '../../core/verdict/report.ts';
import { isTestFile } from '../../core/judge/classify.ts';
import { parseTests } from '../../core/verdict/test-output/parse-tests.ts';
import type { Engine } from '../engine.ts';
import { runCommands } from '../level/commands.ts';
import type { LoopOwner } from '../loop-owner.ts';
import { withThrowaway } from '../throwaway-worktree.ts';
import { failed, passed, type GateLook, type LookAt } from './look.ts';

const keptBytes = 10 * 1024 * 1024;
const shownNames = 5;

/**
 * Tests that the loop added must fail without its code: its test files are put on the base in a clean worktree and the
 * commands run there. A test that passes on both sides proves nothing about the work.
 */
export const lookAtRedFirst: LookAt<'red-first'> = async (engine, owner) => {
  const { loop } = owner;
  const iteration = lastIteration(loop);
  const { base } = loop.workspace;
  if (iteration === null || iteration.tree === null || base === null || loop.head === null) {
    return failed('there is no commit to compare with the base');
  }
  const tests = writtenPaths(await owner.changesBetween(base, loop.head)).filter(isTestFile);
  if (tests.length === 0) {
    return loop.baseline?.state === 'red'
      ? passed('no test was added, and the checks were red on the base')
      : failed('no test was added, and the checks were not red on the base');
  }
  const { tree } = iteration;
  const dir = await engine.artifacts.namedDir(loop.id, folderOf(iteration));
  const checks = await withThrowaway(
    engine,
    loop,
    { name: 'red', commit: base },
    async (workspace) => {
      await workspace.restore(tree, tests, owner.closing);
      const judged = { cwd: workspace.path, dir, tree, commit: null, work: null };
      return runCommands(engine, loop, judged, owner.cut);
    },
    owner.cut,
  );
  if (checks === null) return { kind: 'cut' };
  return judgeRed(engine, owner, iteration, checks, tests);
};

function folderOf({ number }: Iteration): string {
  return `red-first-${number}`;
}

async function judgeRed(
  engine: Engine,
  { loop }: LoopOwner,
  iteration: Iteration,
  checks: readonly Check[],
  tests: readonly string[],
): Promise<GateLook> {
  const evidence = `../../${folderOf(iteration)}/${checks[0]?.evidence ?? ''}`;
  const output = checks.map((check) => check.output).join('\n');
  const shown = `${tests.slice(0, shownNames).join(', ')}${tests.length > shownNames ? ' and more' : ''}`;
  const details = { kind: 'judged', output, evidence, ...commandOf(checks) } as const;
  if (combine(checks.map((check) => check.passed)) !== false) {
    const reason = `the loop's tests do not fail on the base's code: ${shown}`;
    return { ...details, passed: false, reason };
  }
  const loopDir = engine.artifacts.loopDir(loop.id);
  const green = await passingTests(engine, path.join(loopDir, folderOf(iteration)), checks);
  const before = await passingTests(engine, path.join(loopDir, 'baseline'), checks);
  const now = await passingTests(
    engine,
    await engine.artifacts.iterationDir(loop.id, iteration.number),
    iteration.report === null ? [] : allChecks(iteration.report).map(({ check }) => check),
  );
  // Without the names of the base's own tests nobody can tell which are new; then the failing run alone is the proof.
  const empty =
    before === null ? [] : [...(now ?? [])].filter((name) => green?.has(name) && !before.has(name));
  if (empty.length > 0) {
    const names = empty.slice(0, shownNames).join(', ');
    return { ...details, passed: false, reason: `new tests pass on the base's code too: ${names}` };
  }
  return { ...details, passed: true, reason: `red on the base, green now: ${shown}` };
}

function commandOf([check]: readonly Check[]) {
  return check?.command === undefined || check.command === null
    ? {}
    : { command: check.command, exitCode: check.exitCode };
}

/** Names of tests that ran and passed, from kept outputs; null when none were kept. */
async function passingTests(
  { artifacts }: Engine,
  dir: string,
  checks: readonly Check[],
): Promise<ReadonlySet<string> | null> {
  const names = new Set<string>();
  let isKnown = false;
  for (const { name } of checks) {
    for (const stream of ['stdout', 'stderr']) {
      const text = await artifacts.readTail(path.join(dir, `${name}.${stream}.log`), keptBytes);
      if (text === null) continue;
      isKnown = true;
      for (const test of parseTests(text).tests) if (test.status === 'passed') names.add(test.name);
    }
  }
  return isKnown ? names : null;
}
