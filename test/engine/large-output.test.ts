import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allChecks } from '../../src/core/verdict/report.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const recording = readFileSync(
  new URL('../fixtures/test-output/maven/all.txt', import.meta.url),
  'utf8',
);

describe('a check that prints megabytes', () => {
  it('is judged by all its tests, although the header of the runner stands far up', async () => {
    await using repo = await gitRepo();
    const half = recording.indexOf('[INFO] Results:');
    await repo.write('head.txt', recording.slice(0, half));
    await repo.write('tail.txt', recording.slice(half));
    await repo.write(
      'check.sh',
      'cat head.txt\nyes "a line of noise that says nothing" | head -c 2500000\necho\ncat tail.txt\n',
    );
    await repo.commitAll('a noisy check');
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> work.txt',
      validate: 'sh check.sh',
      'max-iterations': '1',
    });
    const loop = await project.runText('make it green');
    expect(loop.status).toBe('failed');
    const report = loop.baseline?.report ?? null;
    const [check] = report === null ? [] : allChecks(report).map((entry) => entry.check);
    expect(check).toMatchObject({
      passed: false,
      exitCode: 0,
      tests: { total: 8, passed: 4, failed: 3, skipped: 1 },
      reason: 'exit code is right, but 3 tests failed',
    });
  });
});
