import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

const cliIn = (repo: GitRepo, terminal?: number) =>
  memoryCli({
    cwd: repo.path,
    env: repo.env,
    ...(terminal === undefined ? {} : { terminal }),
  });

/** A loop whose agent makes `git diff` and the pager of the repository run a program. */
async function plantingLoop(repo: GitRepo, canary: string) {
  const evil = `git config diff.external "touch ${canary}"; git config core.pager "touch ${canary}; cat"`;
  const agent = `command:printf 'one\\033[31m red\\n' > work.txt; ${evil}`;
  return cliIn(repo).run('run', 'plant', '--agent', agent, '--validate', 'test -f work.txt');
}

describe('an agent that changes the configuration of the repository', () => {
  it('is named at the end of the run, by loop show and by loop explain', async () => {
    await using repo = await gitRepo();
    const ran = await plantingLoop(repo, path.join(repo.outside, 'canary'));
    const warning = /warning +changed outside of the workspace: \.git\/config/;
    expect(ran.out).toMatch(warning);
    for (const command of ['show', 'explain']) {
      expect((await cliIn(repo).run('loop', command)).out).toMatch(warning);
      const { out } = await cliIn(repo).run('loop', command, '--json');
      expect(JSON.parse(out).warnings).toEqual(['changed outside of the workspace: .git/config']);
    }
  });

  it('runs nothing of its own by what we tell people to type', async () => {
    await using repo = await gitRepo();
    const canary = path.join(repo.outside, 'canary');
    const ran = await plantingLoop(repo, canary);
    expect(ran.out).toContain('loopwright loop diff loop-');
    expect(ran.out).not.toContain('git diff');
    const { out, exitCode } = await cliIn(repo).run('loop', 'diff');
    expect(exitCode).toBe(0);
    expect(out).toContain('+one\u001B[31m red');
    expect(existsSync(canary)).toBe(false);
    // For people there are no escapes in it.
    const shown = await cliIn(repo, 80).run('loop', 'diff', 'last');
    expect(shown.out).toContain('+one red');
    expect(shown.out).not.toContain('\u001B[31m red');
    // The plant would have worked.
    await repo.git('diff', 'HEAD~0', 'HEAD~0');
    await repo.write('README.md', 'changed\n');
    await repo.git('diff').catch(() => '');
    expect(existsSync(canary)).toBe(true);
  });
});

describe('weak containment that was chosen', () => {
  it('is shown by doctor, by the run and by loop show', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'sandbox: { containment: process-group }\n');
    await repo.commitAll('weak');
    const doctor = await cliIn(repo).run('doctor', '--json');
    const checks: readonly { name: string; status: string; text: string }[] = JSON.parse(
      doctor.out,
    ).checks;
    const chosen = checks.filter(({ name, status }) => name === 'containment' && status === 'warn');
    expect(chosen.map(({ text }) => text).join()).toContain('process-group` is configured');
    const agent = 'command:echo x > work.txt';
    const ran = await cliIn(repo).run(
      'run',
      'x',
      '--agent',
      agent,
      '--validate',
      'test -f work.txt',
    );
    expect(ran.err).toContain('weak containment');
    expect(ran.out).toContain('weak containment');
    const { out } = await cliIn(repo).run('loop', 'show');
    expect(out.match(/weak containment/g)).toHaveLength(1);
  });
});
