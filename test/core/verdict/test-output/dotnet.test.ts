import { describe, expect, it } from 'vitest';
import { parseTests } from '../../../../src/core/verdict/test-output/parse-tests.ts';

/** No release of .NET is at hand to record: these follow the shapes of public logs. */
describe('dotnet test', () => {
  it('with one line for each project', () => {
    const text = [
      'Test run for /repo/a/bin/Debug/net8.0/a.dll (.NETCoreApp,Version=v8.0)',
      'Starting test execution, please wait...',
      'A total of 1 test files matched the specified pattern.',
      '  Failed Sample.MixedTests.Compares [5 ms]',
      '  Error Message:',
      '   Assert.Equal() Failure: Values differ',
      '  Stack Trace:',
      '     at Sample.MixedTests.Compares() in /repo/a/MixedTests.cs:line 9',
      '  Skipped Sample.MixedTests.Later [1 ms]',
      '',
      'Failed!  - Failed:     1, Passed:     2, Skipped:     1, Total:     4, Duration: 21 ms - a.dll (net8.0)',
      'Passed!  - Failed:     0, Passed:     3, Skipped:     0, Total:     3, Duration: 9 ms - b.dll (net8.0)',
    ].join('\n');
    const run = parseTests(text);
    expect(run).toMatchObject({ framework: 'dotnet test', passed: 5, failed: 1, skipped: 1 });
    expect(run.failures).toEqual([
      { name: 'Sample.MixedTests.Compares', message: 'Assert.Equal() Failure: Values differ' },
    ]);
  });

  it.each([
    [
      'Test Run Successful.\nTotal tests: 5\n     Passed: 4\n    Skipped: 1\n Total time: 11,19 Seconds\n',
      [4, 0, 1],
      true,
    ],
    [
      'Test Run Failed.\nTotal tests: 3\n     Passed: 2\n     Failed: 1\n Total time: 1.2 Seconds\n',
      [2, 1, 0],
      false,
    ],
    [
      'Total tests: 3. Passed: 2. Failed: 1. Skipped: 0.\nTest Run Failed.\nTest execution time: 1.2 Seconds',
      [2, 1, 0],
      false,
    ],
    [
      'Test summary: total: 7, failed: 0, succeeded: 6, skipped: 1, duration: 1.2s\nBuild succeeded in 3.4s',
      [6, 0, 1],
      true,
    ],
    [
      'Test run summary: Failed! - bin/a.dll (net9.0|x64)\n  total: 3\n  failed: 1\n  succeeded: 2\n  skipped: 0\n  duration: 512ms',
      [2, 1, 0],
      false,
    ],
  ])('with counts below: %j', (text, [passed, failed, skipped], green) => {
    expect(parseTests(text)).toMatchObject({
      framework: 'dotnet test',
      passed,
      failed,
      skipped,
      green,
    });
  });

  it('that is aborted is not green', () => {
    const text =
      'Starting test execution, please wait...\nThe active test run was aborted. Reason: Test host process crashed\n';
    expect(parseTests(text)).toMatchObject({ green: false, incomplete: true });
  });
});
