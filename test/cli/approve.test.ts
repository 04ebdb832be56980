import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

const validation = 'validation: {command: test -f done}\n';

function cliIn(repo: GitRepo) {
  return memoryCli({ cwd: repo.path, env: { ...repo.env, USER: 'ada' } });
}

/** Runs a loop until it waits for an approval. */
async function waiting(repo: GitRepo, gates: string) {
  await repo.write('loopwright.yml', `${validation}gates: ${gates}\n`);
  await repo.commitAll('config');
  const agent = 'command:touch done; cat > prompt.txt; echo x >> work.txt';
  const cli = cliIn(repo);
  const { exitCode, out } = await cli.run('run', 'the work', '--agent', agent, '--json');
  return { cli, exitCode, result: JSON.parse(out) };
}

const json = (text: string) => JSON.parse(text);

describe('a loop that waits for an approval', () => {
  it('is blocked with exit code 2, stays so whatever is resumed, and is complete after approve', async () => {
    await using repo = await gitRepo();
    const { cli, exitCode, result } = await waiting(repo, '[approval]');
    expect(exitCode).toBe(2);
    expect(result).toMatchObject({ status: 'blocked', reason: 'approval', iterations: 1 });
    const explained = await cli.run('loop', 'explain', result.loop);
    expect(explained.out).toContain(`next: loopwright approve ${result.loop}`);
    const resumed = await cli.run('loop', 'resume', result.loop, '--json');
    expect(resumed.exitCode).toBe(2);
    expect(json(resumed.out)).toMatchObject({ status: 'blocked', iterations: 1 });
    const approved = await cli.run('approve', result.loop, '--note', 'fine');
    expect(approved.exitCode).toBe(0);
    expect(approved.out).toContain(`${result.loop} is complete`);
    expect(approved.out).toContain(`next: loopwright merge ${result.loop}`);
    const detail = json((await cli.run('loop', 'show', result.loop, '--json')).out);
    expect(detail).toMatchObject({ status: 'complete', reason: 'verified' });
    expect(detail.iterations).toHaveLength(1);
    expect((await cli.run('loop', 'explain', result.loop)).out).toContain('approved by  ada');
    expect((await cli.run('logs', result.loop)).out).toContain('by ada: fine');
    expect(json((await cli.run('task', 'show', result.task, '--json')).out).status).toBe('done');
    const again = await cli.run('approve', result.loop);
    expect(again).toMatchObject({ exitCode: 3 });
    expect(again.err).toContain('does not wait for an approval');
  });

  it('answers a strategy that asks after each iteration: yes goes on, no says why', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const agent = 'command:cat > prompt.txt; echo x >> work.txt';
    const validate = 'echo WORK-IS-MISSING; test "$(wc -l < work.txt)" -ge 3';
    const flags = ['--agent', agent, '--validate', validate, '--strategy', 'manual'];
    const asked = await cli.run('run', 'the work', ...flags);
    expect(asked.exitCode, asked.out + asked.err).toBe(2);
    expect(asked.out + asked.err).toMatch(/loopwright approve loop-\w+ +say yes: the loop goes on/);

    const approved = await cli.run('approve', 'last', '--by', 'ada', '--json');
    expect([approved.exitCode, json(approved.out)]).toMatchObject([
      0,
      { status: 'paused', by: 'ada' },
    ]);
    expect((await cli.run('approve', 'last')).err).toContain('does not wait for an approval');
    const second = await cli.run('run', '--json');
    const [{ loop }] = json(second.out).loops;
    expect([second.exitCode, json(second.out).loops[0]]).toMatchObject([
      2,
      { iterations: 2, status: 'blocked', reason: 'approval' },
    ]);

    const rejected = await cli.run('reject', loop, '--by', 'ada', '--reason', 'use fewer words');
    expect([rejected.exitCode, rejected.err]).toEqual([0, '']);
    const shown = json((await cli.run('loop', 'show', loop, '--json')).out);
    expect(shown).toMatchObject({ status: 'paused', reason: 'rejected' });
    expect(shown.iterations[1].outcome).toBe('failed');
    expect((await cli.run('run')).exitCode).toBe(0);
    const prompt = await repo.git('show', `loopwright/${loop}:prompt.txt`);
    expect(prompt).toContain('use fewer words');
    expect(prompt).toContain('WORK-IS-MISSING');
    expect(prompt).toContain('rejected by ada: use fewer words');
  });

  it('gets the reason of a reject into its next prompt and waits again', async () => {
    await using repo = await gitRepo();
    const { cli, result } = await waiting(repo, '[approval]');
    const rejected = await cli.run('reject', result.loop, '--reason', 'use fewer words');
    expect(rejected.exitCode).toBe(0);
    expect(rejected.out).toContain(`next: loopwright loop resume ${result.loop}`);
    const shown = json((await cli.run('loop', 'show', result.loop, '--json')).out);
    expect(shown).toMatchObject({ status: 'paused', reason: 'rejected' });
    expect(shown.iterations[0].outcome).toBe('failed');
    const more = await cli.run('run', '--json');
    expect(more.exitCode).toBe(2);
    expect(json(more.out).loops[0]).toMatchObject({ loop: result.loop, iterations: 2 });
    const prompt = await repo.git('show', `loopwright/${result.loop}:prompt.txt`);
    expect(prompt).toContain('use fewer words');
    expect(prompt).toContain('ada looked at the work and sent it back');
    const story = (await cli.run('logs', result.loop)).out;
    expect(story).toMatch(/resumed +rejected by ada: use fewer words/);
    expect(story).not.toContain('it was interrupted');
    expect(story + prompt).not.toContain('did not claim');
    expect((await cli.run('approve', 'last', '--json')).out).toContain('"status":"complete"');
  });

  it('needs as many people as asked for; one counts once', async () => {
    await using repo = await gitRepo();
    const { cli, result } = await waiting(repo, '[{type: approval, min-approvals: 2}]');
    for (const by of ['ada', 'ada']) {
      const { out } = await cli.run('approve', result.loop, '--by', by, '--json');
      expect(json(out)).toMatchObject({ status: 'blocked', reason: 'approval' });
    }
    const { out } = await cli.run('approve', result.loop, '--by', 'bob', '--json');
    expect(json(out)).toMatchObject({ status: 'complete' });
  });

  it('looks at a manual gate when it is approved, and pauses when that fails', async () => {
    await using repo = await gitRepo();
    const gates = '[{type: command, command: test -f ../ok, when: manual}]';
    const { cli, exitCode, result } = await waiting(repo, gates);
    expect(exitCode).toBe(2);
    expect(result).toMatchObject({ status: 'blocked', reason: 'approval' });
    const { out } = await cli.run('approve', result.loop, '--json');
    expect(json(out)).toMatchObject({ status: 'paused', reason: 'user' });
  });

  it('ends on a reject where the gate says so', async () => {
    await using repo = await gitRepo();
    const { cli, result } = await waiting(repo, '[{type: approval, on-failure: stop}]');
    const { out } = await cli.run('reject', result.loop, '--reason', 'never', '--json');
    expect(json(out)).toMatchObject({ status: 'failed', reason: 'gate' });
    expect(json((await cli.run('task', 'show', result.task, '--json')).out).status).toBe('failed');
  });

  it('is merged after approve when that was asked for', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', '.loopwright\n');
    const { cli, result } = await waiting(repo, '[approval]\ngit: {merge: local}');
    await cli.run('approve', result.loop);
    expect(existsSync(`${repo.path}/done`)).toBe(true);
  });

  it('asks for a reason', async () => {
    await using repo = await gitRepo();
    const { exitCode, err } = await cliIn(repo).run('reject', 'last');
    expect(exitCode).toBe(3);
    expect(err).toContain('--reason');
  });
});
