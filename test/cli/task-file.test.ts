import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli, type MemoryOptions } from './memory-cli.ts';

const plan = `# Plan
- [ ] Parser (priority: high)
  Reads lists.
  - [x] Lexer
  - [ ] Trailing commas
  - [ ] Error messages (after: trailing-commas)
- [ ] Release notes (after: parser)
`;

function cliIn(repo: GitRepo, options: Partial<MemoryOptions> = {}) {
  return memoryCli({ cwd: repo.path, env: repo.env, ...options });
}

async function planned(): Promise<GitRepo> {
  const repo = await gitRepo();
  const { exitCode } = await cliIn(repo, { stdin: plan }).run('task', 'import', '-');
  expect(exitCode).toBe(0);
  return repo;
}

function withoutIds(text: string): string {
  return text.replaceAll(/t-[0-9a-f]{8}/g, 'TASK').replaceAll(/\d+s ago/g, 'AGO');
}

describe('task delete', () => {
  it('asks for a yes where nobody can be asked', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    const { exitCode, err } = await cli.run('task', 'delete', 'parser');
    expect(exitCode).toBe(3);
    expect(err).toContain('with 3 parts needs a yes');
    const { out } = await cli.run('task', 'delete', 'parser', '--yes', '--json');
    expect(JSON.parse(out).deleted).toHaveLength(4);
    expect(withoutIds((await cli.run('task', 'tree')).out)).toContain(
      'Release notes  TASK  (ready)',
    );
  });

  it('takes the worktree and the branch of its loops with it and names the commit', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const flags = ['--agent', 'command:echo 1 > n', '--validate', 'false', '--max-iterations', '1'];
    expect((await cli.run('run', 'Count', ...flags)).exitCode).toBe(1);
    expect(await repo.git('branch', '--list', 'loopwright/*')).not.toBe('');
    const { out } = await cli.run('task', 'delete', 'count', '--yes');
    expect(out).toMatch(/git branch loopwright\/loop-[0-9a-f]{8} [0-9a-f]{40}/);
    expect(await repo.git('branch', '--list', 'loopwright/*')).toBe('');
    expect((await repo.git('worktree', 'list')).split('\n')).toHaveLength(1);
    expect(JSON.parse((await cli.run('loop', 'list', '--json')).out).loops).toEqual([]);
  });
});

describe('task import and export', () => {
  it('changes nothing when the same file comes again, and says what a dry run would do', async () => {
    await using repo = await gitRepo();
    await repo.write('plan.md', plan);
    const cli = cliIn(repo);
    const dry = await cli.run('task', 'import', 'plan.md', '--dry-run');
    expect(dry.out).toMatchInlineSnapshot(`
      "+ Parser
      + Lexer
      + Trailing commas
      + Error messages
      + Release notes
      ✓ Lexer: done
      Would be: 5 added, 0 updated, 0 unchanged. Nothing was changed.
      "
    `);
    expect(JSON.parse((await cli.run('task', 'list', '--json')).out).tasks).toEqual([]);
    const first = await cli.run('task', 'import', 'plan.md', '--json');
    expect(JSON.parse(first.out)).toEqual({
      added: 5,
      updated: 0,
      unchanged: 0,
      format: 'markdown',
      dryRun: false,
    });
    const second = await cli.run('task', 'import', 'plan.md', '--json');
    expect(JSON.parse(second.out)).toMatchObject({ added: 0, updated: 0, unchanged: 5 });
  });

  it('is all or nothing', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo, { stdin: '- [ ] Good\n- [ ] Bad (after: nowhere)\n' });
    const { exitCode, err } = await cli.run('task', 'import', '-');
    expect(exitCode).toBe(3);
    expect(err).toContain('line 2');
    expect(JSON.parse((await cli.run('task', 'list', '--json')).out).tasks).toEqual([]);
  });

  it('names the file that is wrong, and where', async () => {
    await using repo = await gitRepo();
    await repo.write('plan.md', '- [ ] Good\n- [ ] Bad (after: nowhere)\n');
    const { err } = await cliIn(repo).run('task', 'import', 'plan.md');
    expect(err).toContain('plan.md, line 2');
  });

  it.each(['markdown', 'json', 'yaml', 'beads'])(
    'reads back what it exports as %s',
    async (format) => {
      await using repo = await planned();
      const { out: text } = await cliIn(repo).run('task', 'export', '--format', format);
      const { out } = await cliIn(repo, { stdin: text }).run(
        'task',
        'import',
        '-',
        '--format',
        format,
        '--json',
      );
      expect(JSON.parse(out)).toMatchObject({ added: 0, updated: 0, unchanged: 5 });
    },
  );
});
