import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RegistryEntry } from '../../src/cli/registry/entry.ts';
import { LoopwrightError } from '../../src/core/error.ts';
import { ErrorResult } from '../../src/protocol/error-result.ts';
import { tempDir, type TempDir } from '../support/temp-dir.ts';
import { gitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

/** A registry with one command that throws. */
function failing(error: unknown): readonly RegistryEntry[] {
  return [
    {
      path: ['fail'],
      summary: 'Fails.',
      group: 'Test',
      load: async () => ({
        path: ['fail'],
        summary: 'Fails.',
        examples: [{ line: 'loopwright fail', does: 'Fails.' }],
        run: () => Promise.reject(error),
      }),
    },
  ];
}

function cliIn(dir: TempDir, registry?: readonly RegistryEntry[], env = {}) {
  return memoryCli({ cwd: dir.path, env, ...(registry === undefined ? {} : { registry }) });
}

describe('the command line', () => {
  it('shows a newcomer what it is, the first commands, and where the others are', async () => {
    await using dir = await tempDir();
    const { exitCode, out, err } = await cliIn(dir).run();
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    expect((await cliIn(dir).run('--help')).out).toBe(out);
    expect((await cliIn(dir).run('help')).out).toBe(out);
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(25);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const word of ['demo', 'init', 'run', 'status', 'merge', 'help tasks', 'help all']) {
      expect(out).toContain(`\n  ${word} `);
    }
  });

  it('lists every command, and under each heading its own', async () => {
    await using dir = await tempDir();
    const all = (await cliIn(dir).run('help', 'all')).out;
    expect(all).toMatch(/\n  loop show +Show one loop with its iterations\./);
    expect(all).not.toContain('__complete');
    const tasks = (await cliIn(dir).run('help', 'tasks')).out;
    expect(tasks).toContain('task add');
    expect(tasks).not.toContain('loop show');
    const { exitCode, err } = await cliIn(dir).run('help', 'taks');
    expect(exitCode).toBe(3);
    expect(err).toContain('there is no command `taks`; did you mean');
  });

  it('explains one command by --help and by help', async () => {
    await using dir = await tempDir();
    const { out } = await cliIn(dir).run('help', 'loop', 'stop');
    expect(out).toBe((await cliIn(dir).run('loop', 'stop', '--help')).out);
    expect(out).toMatchInlineSnapshot(`
      "Usage: loopwright loop stop [LOOP] [OPTIONS]

      Stop a loop after its iteration, or now.

      Branch, worktree and everything recorded stay; the task is paused.

      Arguments:
        LOOP  A loop, a task, \`last\`, or a selector: \`status:running\`, \`type:NAME\`,
              \`children:TASK\`, \`descendants:TASK\`.

      Options:
        --now       Cut the iteration short; its files are kept.
        --all       Every loop that is running or waiting.
        --json      Print the result as one JSON object.
        -h, --help  Show this help.

      Examples:
        loopwright loop stop loop-1a2b
            Stops the loop when its iteration ends.
        loopwright stop --all --now
            Stops everything at once.
      "
    `);
  });

  it('tells the version', async () => {
    await using dir = await tempDir();
    expect(await cliIn(dir).run('--version')).toEqual({ exitCode: 0, out: '9.9.9\n', err: '' });
  });

  it.each([
    [['lop'], 'there is no command `lop`; did you mean `loopwright loop`?'],
    [['loop', 'shwo'], 'there is no command `loop shwo`; did you mean `loopwright loop show`?'],
    [['--verbose'], 'loopwright has no option --verbose'],
    [['run', 'x', '--limit', 'many'], '--limit takes a whole number, not “many”'],
    [['run', 'x', '--json', '--events'], '--json and --events exclude each other'],
    [['run', 'x', '--limit', '2'], '--limit goes only with `loopwright run` alone'],
    [['run', ''], 'the text is empty'],
    [['completion', 'ksh'], 'there is no completion for “ksh”'],
  ])('refuses %j with exit code 3', async (argv, message) => {
    await using repo = await gitRepo();
    const { exitCode, out, err } = await memoryCli({ cwd: repo.path, env: repo.env }).run(...argv);
    expect(exitCode).toBe(3);
    if (!argv.includes('--json')) expect(err).toContain(`error: ${message}`);
    else expect(JSON.parse(out)).toMatchObject({ error: { message }, exitCode: 3 });
  });

  it.each([
    ['git.dirty', 2],
    ['merge.red', 2],
    ['loop.owned', 2],
    ['config.invalid', 3],
    ['anything.new', 3],
    ['loop.no_workspace', 1],
  ])('maps the error %s to exit code %i', async (code, exitCode) => {
    await using dir = await tempDir();
    const error = new LoopwrightError(code, 'the thing failed', { hint: 'do this' });
    expect(await cliIn(dir, failing(error)).run('fail')).toEqual({
      exitCode,
      out: '',
      err: 'error: the thing failed\nnext:  do this\n',
    });
  });

  it('prints an error as one JSON object on stdout when a program asked', async () => {
    await using dir = await tempDir();
    const error = new LoopwrightError('git.dirty', 'the thing failed');
    const { exitCode, out, err } = await cliIn(dir, failing(error)).run('fail', '--json');
    expect({ exitCode, err }).toEqual({ exitCode: 2, err: '' });
    expect(ErrorResult().strict().parse(JSON.parse(out))).toEqual({
      error: { code: 'git.dirty', message: 'the thing failed', hint: null },
      exitCode: 2,
    });
  });

  it('never shows a stack trace: the whole error goes to a log without secrets', async () => {
    await using repo = await gitRepo();
    await repo.write('.loopwright/.gitignore', '*\n');
    const env = { ...repo.env, MY_API_KEY: 'sk-very-secret-value' };
    const error = new TypeError('x is not a function (sk-very-secret-value)\nsecond line');
    const cli = memoryCli({ cwd: path.join(repo.path, 'src'), env, registry: failing(error) });
    const { exitCode, err } = await cli.run('fail');
    expect(exitCode).toBe(1);
    expect(err).not.toContain('    at ');
    expect(err).not.toContain('second line');
    const [file = ''] = await readdir(path.join(repo.path, '.loopwright/log'));
    expect(err).toContain(path.join('.loopwright/log', file));
    const log = await readFile(path.join(repo.path, '.loopwright/log', file), 'utf8');
    expect(log).toContain('    at ');
    expect(log).not.toContain('sk-very-secret-value');
  });

  it('neutralises escapes in messages', async () => {
    await using dir = await tempDir();
    const error = new LoopwrightError('task.not_found', 'no task \u001B[31mred\u001B[0m');
    expect((await cliIn(dir, failing(error)).run('fail')).err).toBe('error: no task red\n');
  });
});
