import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { mayHavePassed } from '../../src/core/loop/may-have-passed.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

/** An agent whose ending is what a file says, or else good work. */
async function project(repo: GitRepo, extra = ''): Promise<{ readonly ending: string }> {
  const ending = path.join(repo.outside, 'ending.json');
  const script = path.join(repo.outside, 'agent.sh');
  const done = '{"type":"result","subtype":"success","is_error":false,"result":"done"}';
  await writeFile(
    script,
    `#!/bin/sh\ncat > /dev/null\nif test -s '${ending}'; then cat '${ending}'; exit 1; fi\necho x > done.txt\necho '${done}'\n`,
    { mode: 0o755 },
  );
  await repo.write(
    'loopwright.yml',
    `agent: fake\nverify: { confirm: off }\nvalidation: { command: test -f done.txt }\nagents:\n  fake: { kind: command, command: ${script}, format: claude-stream }\n${extra}`,
  );
  await repo.commitAll('config');
  return { ending };
}

const failure = (status: number) =>
  `{"type":"result","subtype":"success","is_error":true,"api_error_status":${status},"terminal_reason":"api_error","result":"no"}\n`;

describe('resume --all', () => {
  it('goes on here, without a daemon, with what waits for a sign-in and what was down for too long', async () => {
    await using repo = await gitRepo();
    const { ending } = await project(
      repo,
      'limits: { api-retries: 0, probe-delay: 100ms, max-outage: 300ms }\n',
    );
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    await writeFile(ending, failure(401));
    const unsigned = await cli.run('run', 'first');
    expect(unsigned.exitCode).toBe(2);
    expect(unsigned.err.match(/wants a sign-in/g)?.length).toBeGreaterThan(0);
    await writeFile(ending, failure(529));
    const down = await cli.run('run', 'second');
    expect(down.exitCode).toBe(4);
    expect(down.out + down.err).toContain('paused (outage)');
    await writeFile(ending, '');
    const resumed = await cli.run('resume', '--all', '--json');
    const { loops, exitCode } = JSON.parse(resumed.out);
    expect(exitCode).toBe(0);
    expect(loops.map(({ status }: { status: string }) => status)).toEqual(['complete', 'complete']);
    expect((await cli.run('resume', '--all')).exitCode).toBe(3);
  });
});

describe('run --retry-failed', () => {
  it('gives a failed task another loop', async () => {
    await using repo = await gitRepo();
    const { ending } = await project(
      repo,
      'limits: { max-consecutive-errors: 1, error-backoff: 1ms }\n',
    );
    const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
    await writeFile(ending, failure(404));
    expect((await cli.run('run', 'hard')).exitCode).toBe(1);
    await writeFile(ending, '');
    expect((await cli.run('run')).exitCode).toBe(3);
    const again = await cli.run('run', '--retry-failed');
    expect(again.err).toContain('1 failed task gets another loop');
    expect(again.exitCode).toBe(0);
    const refused = await cli.run('run', 'hard', '--retry-failed');
    expect(refused.exitCode).toBe(3);
  });
});

it('says which rests may have passed', () => {
  const table = [
    ['paused', 'interrupted', 'yes'],
    ['paused', 'outage', 'yes'],
    ['paused', 'user', 'yes'],
    ['blocked', 'auth', 'yes'],
    ['blocked', 'setup', 'yes'],
    ['blocked', 'approval', 'no'],
    ['blocked', 'judge', 'no'],
    ['stopped', 'budget', 'spent'],
    ['stopped', 'user', 'no'],
    ['failed', 'errors', 'no'],
    ['complete', 'verified', 'no'],
  ] as const;
  for (const [status, reason, answer] of table) expect(mayHavePassed(status, reason)).toBe(answer);
});
