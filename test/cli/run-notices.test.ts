import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo } from '../support/git-repo.ts';
import { neverPasses, waits } from './agents.ts';
import { memoryCli } from './memory-cli.ts';

const dirty = 'your checkout has uncommitted changes';

describe('run says', () => {
  it('that what is not committed is not in the worktree', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const once = [...neverPasses, '--max-iterations', '1'];
    expect((await cli.run('run', 'first', ...once)).err).not.toContain(dirty);
    await repo.write('tracked.txt', 'one\n');
    await repo.commitAll('a file');
    await repo.write('tracked.txt', 'two\n');
    const { err } = await cli.run('run', 'second', ...once);
    expect(err).toContain(dirty);
    expect(err).toContain(
      `loops start from main at ${(await repo.git('rev-parse', 'HEAD')).slice(0, 8)}`,
    );
  });

  it('who drives the loops when there is nothing to do here', async () => {
    await using repo = await gitRepo();
    const driver = memoryCli({ cwd: repo.path, env: repo.env });
    const driving = driver.run('run', 'wait', ...waits);
    await driver.printed((text) => text.includes('waiting now'));
    const other = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode, err } = await other.run('run');
    driver.signal('SIGTERM');
    await driving;
    expect(exitCode).toBe(3);
    expect(err).toMatch(
      new RegExp(`another engine \\(process ${process.pid} on .*\\) drives loop-`),
    );
    expect(err).toContain('loopwright logs -f loop-');
  });

  it('that a loop was left, not that it runs, when its store is gone', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const running = cli.run(
      'run',
      'lose it',
      '--agent',
      `command:rm -rf '${path.join(repo.path, '.loopwright')}'`,
      '--validate',
      'false',
    );
    const { exitCode, out, err } = await running;
    expect(exitCode).not.toBe(0);
    expect(out).toBe('');
    expect(err).toMatch(
      /loop-\w+ was left in iteration 1; what it had committed is on loopwright\/loop-/,
    );
    expect(err).not.toContain('something went wrong inside');
    expect(err).not.toContain('is running');
  });
});
