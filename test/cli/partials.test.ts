import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

async function project(template: string, prompts: Readonly<Record<string, string>>) {
  const repo = await gitRepo();
  const config = {
    agent:
      'command:cp loopwright/prompts/* kept 2> /dev/null; echo evil > loopwright/prompts/rules.md; echo x >> n.txt',
    validation: { command: 'test "$(wc -l < n.txt)" -ge 2' },
    types: { ralph: { 'prompt-template': template } },
  };
  await repo.write('loopwright.yml', JSON.stringify(config));
  for (const [name, text] of Object.entries(prompts)) {
    await repo.write(`loopwright/prompts/${name}`, text);
  }
  await repo.commitAll('project');
  return repo;
}

const userFolder = (repo: GitRepo) =>
  path.join(repo.env['HOME'] ?? '', '.config/loopwright/prompts');

async function render(repo: GitRepo) {
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  const added = await cli.run('task', 'add', 'work', '--json');
  return cli.run('prompt', 'render', JSON.parse(added.out).id);
}

describe('partials', () => {
  it('come from the project, else from the user, else are built in', async () => {
    await using repo = await project('{{> task}}\n{{> rules}}\n{{> tone}}\n{{> carried-over}}', {
      'rules.md': '---\nname: rules\n---\nRules of the project for {{task-title}}. {{> detail}}',
      'detail.hbs': 'In detail.',
    });
    await mkdir(userFolder(repo), { recursive: true });
    await writeFile(path.join(userFolder(repo), 'rules.md'), 'Rules of the user.');
    await writeFile(path.join(userFolder(repo), 'tone.txt'), 'Tone of the user.');
    const { out, err } = await render(repo);
    expect(err).not.toContain('error');
    expect(out).toContain('**Title:** work');
    expect(out).toContain('Rules of the project for work. In detail.');
    expect(out).toContain('Tone of the user.');
    expect(out).not.toContain('Rules of the user.');
  });

  it('are kept with the loop: a worktree cannot change them', async () => {
    await using repo = await project('{{> rules}} {{feedback}}', { 'rules.md': 'Be good.' });
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { out } = await cli.run('run', 'work', '--max-iterations', '2', '--json');
    const { loop, iterations } = JSON.parse(out);
    expect(iterations).toBe(2);
    const events = await cli.run('events', loop);
    const created = JSON.parse(events.out.split('\n')[0] ?? '{}');
    expect(created.prompt.partials).toEqual({ rules: 'Be good.' });
  }, 60_000);

  it('are protected: what an agent writes there is not merged', async () => {
    await using repo = await project('{{> rules}} {{feedback}}', { 'rules.md': 'Be good.' });
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode } = await cli.run('run', 'work', '--merge', 'local');
    expect(exitCode).toBe(0);
    expect(await repo.git('show', 'HEAD:n.txt')).toBe('x\nx');
    expect(await repo.git('show', 'HEAD:loopwright/prompts/rules.md')).toBe('Be good.');
  }, 60_000);

  it('are not read through a link, be it the file or its folder', async () => {
    await using repo = await project('{{> secret}}', { 'rules.md': 'x' });
    await writeFile(path.join(repo.outside, 'secret.md'), 'TOP SECRET');
    const folder = path.join(repo.path, 'loopwright/prompts');
    await symlink(path.join(repo.outside, 'secret.md'), path.join(folder, 'secret.md'));
    const linked = await render(repo);
    expect(linked.err).toContain('loopwright/prompts/secret.md: it is a link, or below one');
    await rm(folder, { recursive: true });
    await symlink(repo.outside, folder);
    const below = await render(repo);
    expect(below.err).toContain('loopwright/prompts/secret.md: it is a link, or below one');
    expect(`${linked.out} ${below.out}`).not.toContain('TOP SECRET');
  });

  it('are read through links of the user, whose folder no agent is given', async () => {
    await using repo = await project('{{> tone}}', {});
    await mkdir(userFolder(repo), { recursive: true });
    await writeFile(path.join(repo.outside, 'tone.md'), 'Tone of the user.');
    await symlink(path.join(repo.outside, 'tone.md'), path.join(userFolder(repo), 'tone.md'));
    expect((await render(repo)).out).toContain('Tone of the user.');
  });

  it('follow the same rule as template files: no link in the project is read', async () => {
    await using repo = await project('unused', {});
    await writeFile(path.join(repo.outside, 'secret.md'), 'TOP SECRET');
    await repo.write('loopwright/types/mine.yml', 'prompt-template: mine.md\n');
    const template = path.join(repo.path, 'loopwright/types/mine.md');
    await symlink(path.join(repo.outside, 'secret.md'), template);
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { out, err } = await cli.run('run', 'work', '--type', 'mine', '--dry-run');
    expect(err).toContain('loopwright/types/mine.md: it is a link, or below one');
    expect(out).not.toContain('TOP SECRET');
  });

  it.each([
    ['{{> rulse}}', { 'rules.md': 'x' }, 'prompt.unknown_partial', 'Did you mean "rules"?'],
    ['{{> a}}', { 'a.md': '{{> b}}', 'b.md': '{{> a}}' }, 'prompt.partial_cycle', 'a > b > a'],
    [
      '{{> p1}}',
      Object.fromEntries(
        [1, 2, 3, 4, 5, 6].map((n) => [`p${n}.md`, n === 6 ? 'end' : `{{> p${n + 1}}}`]),
      ),
      'prompt.partial_depth',
      'deeper than 5',
    ],
    ['{{> a}}', { 'a.md': '{{nonsense}}' }, 'prompt.unknown_variable', 'partial a'],
  ])('%s is refused before anything is spent', async (template, prompts, code, text) => {
    await using repo = await project(template, prompts);
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { out, exitCode } = await cli.run('run', 'work', '--dry-run', '--json');
    const { error } = JSON.parse(out);
    expect({ exitCode, code: error.code }).toEqual({ exitCode: 3, code });
    expect(`${error.message} ${error.hint}`).toContain(text);
  });
});
