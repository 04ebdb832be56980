import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { waits } from './agents.ts';
import { memoryCli, type MemoryOptions } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

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

async function statusOf(repo: GitRepo, task: string): Promise<string> {
  const { out } = await cliIn(repo).run('task', 'show', task, '--json');
  return JSON.parse(out).status;
}

describe('task add', () => {
  it('writes down a task with everything that was given', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo, { stdin: 'From stdin.\n\n- [ ] fast\n- [x] small\n' });
    await cli.run('task', 'add', 'First');
    const options = [
      '--after',
      'first',
      '--parent',
      'group',
      '--priority',
      'critical',
      '--type',
      'plan',
    ];
    await cli.run('task', 'add', 'Group');
    const given = ['--file', '-', '--validate', 'true', '--max-retries', '2', ...options];
    const { exitCode, out } = await cli.run('task', 'add', 'Second  one', ...given, '--json');
    expect(exitCode).toBe(0);
    const { out: first } = await cli.run('task', 'show', 'first', '--json');
    const { out: shown } = await cli.run('task', 'show', 'second-one', '--json');
    expect(JSON.parse(out)).toMatchObject({
      title: 'Second one',
      description: 'From stdin.\n\n- [ ] fast\n- [x] small\n',
      priority: 'critical',
      type: 'plan',
      validation: 'true',
      maxRetries: 2,
      status: 'pending',
      blockers: 1,
      ready: false,
      acceptance: [
        { text: 'fast', checked: false },
        { text: 'small', checked: true },
      ],
    });
    expect(JSON.parse(shown)).toMatchObject({
      parent: { title: 'Group' },
      dependencies: [{ id: JSON.parse(first).id, title: 'First', status: 'pending' }],
    });
  });

  it.each([
    ['an unknown dependency', ['--after', 'nothing'], 'no task is called “nothing”'],
    ['an unknown loop type', ['--type', 'plam'], 'plam'],
    ['an unknown priority', ['--priority', 'huge'], 'huge'],
    ['two descriptions', ['--description', 'a', '--file', 'b'], 'either --description or --file'],
    ['a file that is not there', ['--file', 'b.md'], 'cannot read b.md'],
  ])('refuses %s and stores nothing', async (_name, options, reason) => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const { exitCode, err } = await cli.run('task', 'add', 'Something', ...options);
    expect(exitCode).toBe(3);
    expect(err).toContain(reason);
    expect(err).toContain('next:');
    expect(JSON.parse((await cli.run('task', 'list', '--json')).out).tasks).toEqual([]);
  });
});

describe('task list, tree and next', () => {
  it('show the plan at a glance', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    expect(withoutIds((await cli.run('task', 'list')).out)).toMatchInlineSnapshot(`
      "ID          STATUS   PRIORITY  BLOCKERS  TITLE
      TASK  pending  high      –         Parser (1/3 done)
      TASK  done     normal    –         Lexer
      TASK  pending  normal    –         Trailing commas
      TASK  pending  normal    1         Error messages
      TASK  pending  normal    1         Release notes

      5 tasks: 4 pending (1 ready), 1 done
      "
    `);
    expect(withoutIds((await cli.run('task', 'tree')).out)).toMatchInlineSnapshot(`
      "○ Parser  TASK  (2 open subtasks)
      ├─ ✓ Lexer  TASK  (done)
      ├─ ○ Trailing commas  TASK  (ready)
      └─ ○ Error messages  TASK  (waits for 1 task)
      ○ Release notes  TASK  (waits for 1 task)

      ○ pending  ✓ done
      "
    `);
    expect(withoutIds((await cli.run('task', 'next')).out)).toMatchInlineSnapshot(`
      "TASK  Trailing commas
        normal priority, became ready AGO

      Not now:
        ○ TASK Error messages: waits for TASK “Trailing commas”
        ○ TASK Release notes: waits for TASK “Parser”

      next:  loopwright run --limit 1
      "
    `);
  });

  it('keep within a narrow terminal', async () => {
    await using repo = await planned();
    const cli = cliIn(repo, { terminal: 60 });
    await cli.run(
      'task',
      'add',
      `A title that goes on ${'and on '.repeat(30)}`,
      '--parent',
      'parser',
    );
    for (const command of ['list', 'tree', 'next']) {
      const { out } = await cli.run('task', command);
      // oxlint-disable-next-line no-control-regex -- colours take no columns
      const lines = out.replaceAll(/\u001B\[\d+m/g, '').split('\n');
      expect(lines.filter((line) => line.length > 60)).toEqual([]);
    }
  });

  it('list only what was asked for', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    const titles = async (...options: readonly string[]) => {
      const { out } = await cli.run('task', 'list', ...options, '--json');
      return JSON.parse(out).tasks.map(({ title }: { title: string }) => title);
    };
    expect(await titles('--status', 'done')).toEqual(['Lexer']);
    expect(await titles('--ready')).toEqual(['Trailing commas']);
    expect(await titles('--parent', 'parser')).toEqual([
      'Lexer',
      'Trailing commas',
      'Error messages',
    ]);
    expect((await cli.run('task', 'list', '--status', 'finished')).exitCode).toBe(3);
  });

  it('draws one branch of the tree', async () => {
    await using repo = await planned();
    const { out } = await cliIn(repo).run('task', 'tree', 'parser', '--json');
    const rows = JSON.parse(out).tasks.map((task: { title: string; depth: number }) => [
      task.depth,
      task.title,
    ]);
    expect(rows).toEqual([
      [0, 'Parser'],
      [1, 'Lexer'],
      [1, 'Trailing commas'],
      [1, 'Error messages'],
    ]);
  });

  it('say how to begin when there is nothing', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    for (const command of ['list', 'tree', 'next']) {
      expect((await cli.run('task', command)).out).toContain('loopwright task add');
    }
  });

  it('say what the others wait for', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    await cli.run('task', 'done', 'trailing-commas');
    const { out: before } = await cli.run('task', 'next', '--json');
    expect(JSON.parse(before).next.title).toBe('Error messages');
    expect(JSON.parse(before).waiting).toMatchObject([
      { title: 'Release notes', waitsFor: [{ title: 'Parser' }] },
    ]);
  });
});

describe('task edit and deps', () => {
  it('change only what is given and say what changed', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    const { out } = await cli.run('task', 'edit', 'lexer', '--title', 'Tokens', '--parent', 'none');
    expect(withoutIds(out)).toBe('TASK  Tokens  (changed title, parent)\n');
    const { out: shown } = await cli.run('task', 'show', 'tokens', '--json');
    expect(JSON.parse(shown)).toMatchObject({ title: 'Tokens', parent: null, status: 'done' });
    expect((await cli.run('task', 'edit', 'tokens')).exitCode).toBe(3);
  });

  it('take a task back and offer it again', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    await cli.run('task', 'edit', 'trailing-commas', '--draft');
    expect(await statusOf(repo, 'trailing-commas')).toBe('draft');
    await cli.run('task', 'edit', 'trailing-commas', '--ready');
    expect(await statusOf(repo, 'trailing-commas')).toBe('pending');
    const { exitCode, err } = await cli.run('task', 'edit', 'lexer', '--ready');
    expect([exitCode, err.includes('task reset')]).toEqual([3, true]);
  });

  it('refuse a cycle and show it', async () => {
    await using repo = await planned();
    const { exitCode, err } = await cliIn(repo).run(
      'task',
      'deps',
      'trailing-commas',
      '--add',
      'release-notes',
    );
    expect(exitCode).toBe(3);
    expect(err).toContain('Trailing commas → Release notes');
  });

  it('turn a dependency round in one command', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    await cli.run('task', 'deps', 'error-messages', '--remove', 'trailing-commas');
    const { out } = await cli.run(
      'task',
      'deps',
      'trailing-commas',
      '--add',
      'error-messages',
      '--json',
    );
    expect(JSON.parse(out)).toMatchObject({
      blockers: 1,
      dependencies: [{ title: 'Error messages' }],
    });
    const again = await cli.run('task', 'deps', 'error-messages', '--remove', 'trailing-commas');
    expect([again.exitCode, again.err.includes('does not come after')]).toEqual([3, true]);
  });
});

describe('task done, fail and reset', () => {
  it('finish a parent with its last part and free what waited for it', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    const { out } = await cli.run(
      'task',
      'done',
      'trailing-commas',
      'error-messages',
      '--summary',
      'Written.',
    );
    expect(withoutIds(out)).toBe(
      'TASK  Trailing commas: done (was pending)\nTASK  Error messages: done (was pending)\n',
    );
    expect(await statusOf(repo, 'parser')).toBe('done');
    expect(JSON.parse((await cli.run('task', 'next', '--json')).out).next.title).toBe(
      'Release notes',
    );
  });

  it('reset opens a finished task again', async () => {
    await using repo = await planned();
    const cli = cliIn(repo);
    await cli.run('task', 'reset', 'lexer');
    expect(await statusOf(repo, 'lexer')).toBe('pending');
  });

  it('fail needs work that was begun', async () => {
    await using repo = await planned();
    const { exitCode, err } = await cliIn(repo).run('task', 'fail', 'trailing-commas');
    expect(exitCode).toBe(3);
    expect(err).toContain('only work that was begun can fail');
    expect(err).toContain('task edit');
  });

  it('refuse a task that is being worked on, and stop its loop once it rests', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    await cli.run('task', 'add', 'Endless');
    const running = realCli(repo.path, repo.env, ['run', await idOf(repo, 'endless'), ...waits]);
    await running.printed((text) => text.includes('waiting now'));
    for (const command of [['done'], ['fail'], ['reset'], ['delete', '--yes']]) {
      const [name = '', ...rest] = command;
      const { exitCode, err } = await cli.run('task', name, 'endless', ...rest);
      expect([name, exitCode]).toEqual([name, 3]);
      expect(err).toContain('loopwright loop stop');
    }
    running.child.kill('SIGTERM');
    await running.ended;
    expect(await statusOf(repo, 'endless')).toBe('paused');
    await cli.run('task', 'add', 'Part of it', '--parent', 'endless');
    const { out: next } = await cli.run('task', 'next');
    expect(withoutIds(next)).toContain('Part of it: TASK “Endless” above it is paused');
    const { out } = await cli.run('task', 'fail', 'endless', '--reason', 'not worth it', '--json');
    expect(JSON.parse(out).tasks).toMatchObject([
      { status: 'failed', reason: 'not worth it', before: 'paused' },
    ]);
    const { out: loops } = await cli.run('loop', 'list', '--json');
    expect(JSON.parse(loops).loops).toMatchObject([{ status: 'stopped', reason: 'user' }]);
  });
});

async function idOf(repo: GitRepo, task: string): Promise<string> {
  return JSON.parse((await cliIn(repo).run('task', 'show', task, '--json')).out).id;
}

describe('the real program', () => {
  it('adds and lists tasks from a subfolder of the repository', async () => {
    await using repo = await gitRepo();
    const added = await realCli(`${repo.path}/src`, repo.env, [
      'task',
      'add',
      'From below',
      '--json',
    ]).ended;
    expect(added).toMatchObject({ exitCode: 0, err: '' });
    const listed = await realCli(repo.path, repo.env, ['task', 'list']).ended;
    expect(listed.out).toContain(JSON.parse(added.out).id);
    expect(await repo.git('status', '--porcelain')).toBe('');
  });
});
