import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** More than so many tests that need a second try are no accident of a busy machine. */
const tolerated = 10;

/**
 * Names every test that passed only when it was tried again, with what went wrong the first time, and fails a run that has
 * several: a second try keeps one unlucky moment of a busy machine from hiding four thousand results, not from being mended.
 */
export function unsteadyReporter(): Reporter {
  return {
    onTestRunEnd(modules) {
      const unsteady = modules.flatMap(unsteadyTestsOf);
      if (unsteady.length === 0) return;
      const lines = [
        `${unsteady.length} unsteady: passed only when tried again`,
        ...unsteady.map(describeFirstFailure),
      ];
      process.stderr.write(`\n${lines.join('\n')}\n`);
      if (unsteady.length > tolerated) process.exitCode = 1;
    },
  };
}

function unsteadyTestsOf(module: TestModule): TestCase[] {
  return [...module.children.allTests('passed')].filter((test) => test.diagnostic()?.flaky);
}

function describeFirstFailure(test: TestCase): string {
  const message = test.result().errors?.[0]?.message ?? 'no message';
  return `  ${test.module.moduleId} > ${test.fullName}\n    ${message.split('\n', 1)[0]}`;
}
