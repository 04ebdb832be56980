import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSandboxFault } from '../../src/adapters/process/sandbox.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

const fault = findSandboxFault();
const validate = 'test -f done.txt';

describe('an agent in a sandbox', () => {
  it('does its work and reaches nothing else, nor do the checks that run its code', async ({
    skip,
  }) => {
    skip(fault !== null, fault ?? '');
    await using repo = await gitRepo();
    const home = repo.env['HOME'] ?? '';
    await writeFile(path.join(home, 'secret.txt'), 'do not read');
    const config = await readFile(path.join(repo.path, '.git/config'), 'utf8');
    const attack = [
      `cat "$HOME/secret.txt" >> stolen.txt`,
      `echo x > "${repo.path}/outside.txt"`,
      `git config core.fsmonitor evil`,
      `rm -f .git`,
      `cat > prompt.txt; cmp prompt.txt "$LOOPWRIGHT_PROMPT_FILE" && echo x > done.txt`,
    ];
    const flags = {
      agent: `command:{ ${attack.join('; ')}; } 2>/dev/null`,
      validate: `${validate} && ! test -e "$HOME/secret.txt" && { echo x > "${repo.path}/outside.txt"; git config core.fsmonitor evil; git update-ref refs/heads/main HEAD; true; } 2>/dev/null`,
      sandbox: 'bubblewrap',
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('try to break out');
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
    expect(loop.iterations).toHaveLength(1);
    const files = (await repo.git('ls-tree', '--name-only', loop.workspace.branch ?? '')).split(
      '\n',
    );
    expect(files).toContain('done.txt');
    expect(await repo.git('show', `${loop.workspace.branch}:stolen.txt`)).toBe('');
    expect(existsSync(path.join(repo.path, 'outside.txt'))).toBe(false);
    expect(await readFile(path.join(repo.path, '.git/config'), 'utf8')).toBe(config);
  });

  it('can be a script', async ({ skip }) => {
    skip(fault !== null, fault ?? '');
    await using repo = await gitRepo();
    const script = path.join(repo.outside, 'agent.yml');
    await writeFile(
      script,
      'iterations:\n  - steps:\n      - write: { path: done.txt, content: x }\n    final: done\n',
    );
    const flags = { agent: `scripted:${script}`, validate, sandbox: 'bubblewrap' };
    await using project = await openedProject(repo, flags);
    expect(await project.runText('play')).toMatchObject({ status: 'complete' });
  });

  it('is refused where there is none', async ({ skip }) => {
    skip(fault === null, 'there is bubblewrap on this machine');
    await using repo = await gitRepo();
    const flags = { agent: 'command:true', validate, sandbox: 'bubblewrap' };
    await using project = await openedProject(repo, flags);
    await expect(project.runText('anything')).rejects.toMatchObject({
      code: 'sandbox.unavailable',
    });
  });

  it.each([
    ['container', 'sandbox: container\n', '`sandbox: container`'],
    ['options without walls', 'sandbox:\n  network: false\n', 'without `bubblewrap`'],
    [
      'options of other walls',
      'sandbox:\n  level: worktree\n  network: false\n',
      'without `bubblewrap`',
    ],
    ['options of a container', 'sandbox:\n  level: bubblewrap\n  cpus: 1\n', '`sandbox.cpus`'],
  ])('is refused when it is not built: %s', async (_name, config, named) => {
    await using repo = await gitRepo();
    await writeFile(path.join(repo.path, 'loopwright.yml'), config);
    await using project = await openedProject(repo, { agent: 'command:true', validate });
    const refusal = project.runText('anything');
    await expect(refusal).rejects.toMatchObject({ code: 'run.not_built' });
    await expect(refusal).rejects.toThrow(named);
  });
});
