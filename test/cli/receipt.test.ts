import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Receipt } from '../../src/protocol/receipt.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

/** A complete loop: red on the base, green in its second iteration, with a gate. */
async function completed(repo: GitRepo, validate: string) {
  await repo.write(
    'loopwright.yml',
    `validation: {command: ${JSON.stringify(validate)}}\ngates: [{type: command, name: tidy, command: "true"}]\n`,
  );
  await repo.commitAll('config');
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  const agent = 'command:echo x >> work.txt; test $LOOPWRIGHT_ITERATION = 1 || touch done';
  const { out } = await cli.run('run', 'the work', '--agent', agent, '--json');
  return { cli, result: JSON.parse(out) };
}

describe('receipt show', () => {
  it('prints every check with command, exit code, hash, commit and environment, and the red → green proof', async () => {
    await using repo = await gitRepo();
    const { cli, result } = await completed(repo, 'echo hi; test -f done');
    const { exitCode, out } = await cli.run('receipt', 'show', result.loop, '--json');
    expect(exitCode).toBe(0);
    const receipt = Receipt().strict().parse(JSON.parse(out));
    expect(receipt).toMatchObject({
      loop: result.loop,
      status: 'complete',
      chain: { brokenAt: null },
      baseline: { state: 'red', verification: { commit: result.base } },
      redToGreen: ['L1/validation'],
    });
    const last = receipt.iterations[1]!;
    expect(last.verification).toMatchObject({ passed: true, commit: result.head });
    expect(last.verification?.checks.find(({ level }) => level === 'L1')).toMatchObject({
      command: 'echo hi; test -f done',
      exitCode: 0,
      passed: true,
      // Of "hi" and a newline.
      outputHash: '98ea6e4f216f2fb4b69fff9b3a44842c38686ca685f3f55dc48c5d3fb1107be4',
    });
    expect(last.verification?.environment?.fingerprint).toMatch(/^[0-9a-f]{16}$/);
    expect(last.promptHash).toMatch(/^[0-9a-f]{64}$/);
    expect(last.gates).toMatchObject([{ name: 'tidy', passed: true, exitCode: 0 }]);
    const shown = await cli.run('receipt', 'show', result.loop);
    expect(shown.out).toContain('red → green  L1/validation');
    expect(shown.out).toContain('hash chain intact');
    expect(shown.out).toContain('✗ L1/validation · exit 1 · sha256 98ea6e4f216f2fb4');
    expect(shown.out).toContain('$ echo hi; test -f done');
  });

  it('says when the log was changed afterwards', async () => {
    await using repo = await gitRepo();
    const { cli, result } = await completed(repo, 'test -f done');
    using database = new DatabaseSync(path.join(repo.path, '.loopwright/state.db'));
    database.exec(`update events set data = replace(data, '"exitCode":1', '"exitCode":0')`);
    const { out } = await cli.run('receipt', 'show', result.loop);
    expect(out).toContain('does not fit its hash chain');
    expect((await cli.run('receipt', 'verify', result.loop)).exitCode).toBe(1);
  });
});

describe('receipt verify', () => {
  it('repeats the checks at their commit and on the base, in worktrees that go away', async () => {
    await using repo = await gitRepo();
    const { cli, result } = await completed(repo, 'echo hi; test -f done');
    const { exitCode, out } = await cli.run('receipt', 'verify', result.loop, '--json');
    const verdict = JSON.parse(out);
    expect(exitCode).toBe(0);
    expect(verdict).toMatchObject({
      holds: true,
      commit: result.head,
      brokenAt: null,
      sameEnvironment: true,
      base: { commit: result.base, checks: [{ check: 'L1/validation', holds: true }] },
    });
    expect(verdict.checks.find((each: any) => each.check === 'L1/validation')).toMatchObject({
      holds: true,
      sameOutput: true,
      now: { passed: true, exitCode: 0 },
    });
    expect(await repo.git('worktree', 'list')).not.toContain('receipt');
    expect(await repo.git('branch', '--list', '*receipt*')).toBe('');
    expect((await cli.run('receipt', 'verify')).out).toContain('still holds');
  });

  it('says what does not hold any more, with exit code 1', async () => {
    await using repo = await gitRepo();
    const outside = path.join(repo.outside, 'service');
    await writeFile(outside, '');
    const { cli, result } = await completed(repo, `test -f ${outside} && test -f done`);
    await rm(outside);
    const { exitCode, out } = await cli.run('receipt', 'verify', result.loop);
    expect(exitCode).toBe(1);
    expect(out).toContain('does not hold any more');
    expect(out).toContain('✗ L1/validation: was passed (exit 0), now failed (exit 1)');
  });

  it('still finds the commit after a merge, and refuses with exit code 3 where there is none', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', '.loopwright\n');
    const { cli, result } = await completed(repo, 'test -f done');
    expect((await cli.run('merge', result.loop)).exitCode).toBe(0);
    expect((await cli.run('receipt', 'verify', result.loop)).exitCode).toBe(0);
    const agent = ['--agent', 'command:echo y >> y', '--max-iterations', '1'];
    await cli.run('run', 'other', ...agent, '--no-commit', '--validate', 'false');
    const refused = await cli.run('receipt', 'verify', 'last');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain('not committed');
  });

  it('holds, and the diff can be read, after the loop was rebased and merged and git has collected garbage', async () => {
    await using repo = await gitRepo();
    const { cli, result } = await completed(repo, 'test -f done');
    await repo.write('news.txt', 'news\n');
    await repo.commitAll('the base moved');
    const merged = await cli.run('merge', result.loop);
    expect(merged.exitCode, merged.err).toBe(0);
    await repo.git('reflog', 'expire', '--expire=now', '--expire-unreachable=now', '--all');
    await repo.git('gc', '--quiet', '--prune=now');
    const diff = await cli.run('loop', 'diff', result.loop);
    expect(diff).toMatchObject({ exitCode: 0 });
    expect(diff.out).toContain('+++ b/work.txt');
    const verified = await cli.run('receipt', 'verify', result.loop);
    expect(verified.exitCode, verified.out + verified.err).toBe(0);
    const restored = await cli.run('loop', 'restore', result.loop, '1');
    expect(restored.exitCode, restored.err).toBe(0);
    // What is kept of it goes with the loop.
    await repo.git('branch', '-D', `restored/${result.loop}-1`);
    const deleted = await cli.run('loop', 'delete', result.loop);
    expect(deleted.exitCode, deleted.err).toBe(0);
    expect(await repo.git('for-each-ref', 'refs/loopwright-*')).toBe('');
  });
});
