import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopResult, RunResult } from '../../src/protocol/loop-result.ts';
import { EventLine } from '../../src/protocol/event-line.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { greeter, neverPasses, waits } from './agents.ts';
import { memoryCli, type MemoryOptions } from './memory-cli.ts';

function cliIn(repo: GitRepo, options: Partial<MemoryOptions> = {}) {
  return memoryCli({ cwd: repo.path, env: repo.env, ...options });
}

async function tasksOf(repo: GitRepo): Promise<readonly { readonly title: string }[]> {
  const { out } = await cliIn(repo).run('loop', 'list', '--json');
  return JSON.parse(out).loops;
}

/** Ids, hashes, paths and times replaced, so that the rest can be compared. */
function normalise(text: string, repo: GitRepo): string {
  return text
    .replaceAll(repo.path, 'REPO')
    .replaceAll(/loop-[0-9a-f]{8}/g, 'LOOP')
    .replaceAll(/t-[0-9a-f]{8}/g, 'TASK')
    .replaceAll(/\bat [0-9a-f]{8}\b/g, 'at COMMIT')
    .replaceAll(/\bin \d+(?:\.\d+)?m?s\b/g, 'in TIME');
}

describe('run', () => {
  it('tells the whole story of a loop in plain lines and ends with what to type next', async () => {
    await using repo = await gitRepo();
    const { exitCode, out, err } = await cliIn(repo).run(
      'run',
      'greet the world',
      ...(await greeter(repo)),
    );
    expect(exitCode).toBe(0);
    expect(`${err}${out}`).not.toContain('\u001B');
    expect(normalise(err, repo)).toMatchInlineSnapshot(`
      "  note       no file of the repository judges (loopwright judge lists them)
      LOOP · greet the world
        task       TASK
        branch     loopwright/LOOP from main at COMMIT
        agent      scripted:agent.yml
        checks     grep -q world greeting.txt
        limits     100 iterations, 4h 00m
        workspace  made at REPO/.loopwright/worktrees/LOOP
        baseline   red: the checks fail on the untouched base, so a later pass is proof
                     ✗ validation failed in TIME · exit code 2, expected 0
                     grep: greeting.txt: No such file or directory

      iteration 1 of 100
        saying     I will start with the greeting.
        editing    greeting.txt
        agent      ended in TIME · 1.0k tokens · $0.004
        changed    1 file, 1 line: greeting.txt
        check      ✗ validation failed in TIME · exit code 1, expected 0
        decision   go on: iteration 1 did not pass · $0.004 so far

      iteration 2 of 100
        memory     1 earlier attempt
                     attempt 1 failed: check validation: exit code 1, expected 0
        editing    greeting.txt
        agent      ended in TIME · 2.2k tokens · $0.004 · claims to be done
                     The greeting names the world now.
        changed    1 file, 2 lines: greeting.txt
        check      ✓ validation passed in TIME
        note       confirming in a clean checkout, with the judge of the base
        confirm    ✓ red-green: the checks failed on the base and pass now
        decision   complete: the checks went from red to green · $0.008 so far

      "
    `);
    expect(normalise(out, repo)).toMatchInlineSnapshot(`
      "LOOP is complete: the checks went from red to green
        task        greet the world (TASK)
        changed     1 file, +1 -0
                      greeting.txt | +1 -0
        branch      loopwright/LOOP
        proof       red-green: the checks failed on the base and pass now
        iterations  2 in TIME
        cost        $0.008, 3.2k tokens
      next:
        loopwright merge LOOP      bring it into main
        loopwright loop diff LOOP  read the changes
        loopwright loop show LOOP  see its iterations
      "
    `);
  });

  it('prints exactly one JSON object, of the documented shape, and talks on stderr', async () => {
    await using repo = await gitRepo();
    const { exitCode, out, err } = await cliIn(repo).run(
      'run',
      'greet',
      ...(await greeter(repo)),
      '--json',
    );
    expect(exitCode).toBe(0);
    const result = LoopResult().strict().parse(JSON.parse(out));
    expect(result).toMatchObject({
      status: 'complete',
      reason: 'verified',
      iterations: 2,
      branch: `loopwright/${result.loop}`,
      base: await repo.git('rev-parse', 'main'),
      head: await repo.git('rev-parse', `loopwright/${result.loop}`),
      filesChanged: ['greeting.txt'],
      tests: null,
      costUsd: 0.008,
      tokens: { input: 1800, output: 200, cacheRead: 1200, cacheWrite: 0 },
      exitCode: 0,
    });
    expect(err).toContain('iteration 2 of 100');
  });

  it('streams every event with its sequence, and live lines without one', async () => {
    await using repo = await gitRepo();
    const { out } = await cliIn(repo).run('run', 'greet', ...(await greeter(repo)), '--events');
    const lines = out
      .trim()
      .split('\n')
      .map((line) => EventLine().parse(JSON.parse(line)));
    const recorded = lines.filter(({ seq }) => seq !== null);
    expect(recorded.map(({ seq }) => seq)).toEqual(recorded.map((_, index) => index + 1));
    expect(recorded[0]).toMatchObject({ type: 'loop.created', title: 'greet' });
    expect(recorded.at(-1)).toMatchObject({ type: 'loop.rested', status: 'complete' });
    const activity = lines.find(({ type }) => type === 'activity');
    expect(activity).toMatchObject({
      seq: null,
      kind: 'saying',
      text: 'I will start with the greeting.',
    });
    const stored = await cliIn(repo).run('events', 'last');
    expect(stored.out.trim().split('\n')).toEqual(recorded.map((line) => JSON.stringify(line)));
  });

  it('says only how it ended when asked to be quiet', async () => {
    await using repo = await gitRepo();
    const { out, err } = await cliIn(repo).run('run', 'greet', ...(await greeter(repo)), '--quiet');
    expect(err).toBe('');
    expect(out).toMatch(/^loop-[0-9a-f]{8} is complete: the checks went from red to green\n/);
  });

  it('fails with exit code 1 at the cap, and goes on when more iterations are given', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const failed = await cli.run('run', 'try', ...neverPasses, '--max-iterations', '2', '--quiet');
    expect(failed.exitCode).toBe(1);
    expect(failed.out).toContain('is failed (max_iterations)');
    expect(failed.out).toMatch(/loopwright loop resume loop-\w+ --max-iterations 12/);
    const refused = await cli.run('loop', 'resume', 'last');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain('has used all of its 2 iterations');
    const { exitCode, out } = await cli.run('resume', 'last', '--max-iterations', '3', '--json');
    expect(exitCode).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ iterations: 3, reason: 'max_iterations', exitCode: 1 });
  });

  it('resumes the unfinished loop of a task with the same title, and starts another with --new', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const running = cli.run('run', 'cut me', ...waits);
    await cli.printed((text) => text.includes('saying     waiting now'));
    cli.signal('SIGTERM');
    expect((await running).exitCode).toBe(130);
    const fine = ['--agent', 'command:echo ok > ok.txt', '--validate', 'test -f ok.txt'];
    const again = await cli.run('run', 'cut me', ...fine, '--json');
    expect(again.err).toContain('is unfinished and goes on (--new starts another)');
    expect(JSON.parse(again.out)).toMatchObject({ status: 'complete', iterations: 2 });
    const other = await cli.run('run', 'cut me', ...fine, '--new', '--json');
    expect(JSON.parse(other.out).loop).not.toBe(JSON.parse(again.out).loop);
  });

  it('reads the task from a file or from standard input', async () => {
    await using repo = await gitRepo();
    const agent = [
      '--agent',
      'command:cat > prompt.txt',
      '--validate',
      'test -f prompt.txt',
      '--quiet',
    ];
    await repo.write('PROMPT.md', '# Make it so\n\nAll of it.\n');
    await cliIn(repo).run('run', '--file', 'PROMPT.md', ...agent);
    await cliIn(repo, { stdin: 'Pipe it\nthrough\n' }).run('run', '-', ...agent);
    expect((await tasksOf(repo)).map(({ title }) => title)).toEqual(['Pipe it', 'Make it so']);
    const { out } = await cliIn(repo).run('loop', 'list', '--json');
    const [piped] = JSON.parse(out).loops;
    expect(await repo.git('show', `${piped.branch}:prompt.txt`)).toContain('through');
  });

  it('takes a title from the front matter of a file and leaves the rest of it out', async () => {
    await using repo = await gitRepo();
    await repo.write('TASK.md', '---\ntitle: Make it so\nowner: nobody\n---\nAll of it.\n');
    await repo.write('RULE.md', '---\nNot front matter.\n');
    const dry = ['--agent', 'command:true', '--validate', 'true', '--dry-run', '--json'];
    const { out } = await cliIn(repo).run('run', '--file', 'TASK.md', ...dry);
    expect(JSON.parse(out)).toMatchObject({ title: 'Make it so' });
    expect(JSON.parse(out).prompt).toContain('All of it.');
    expect(JSON.parse(out).prompt).not.toContain('owner');
    const rule = JSON.parse((await cliIn(repo).run('run', '--file', 'RULE.md', ...dry)).out);
    expect(rule.prompt).toContain('Not front matter.');
  });

  it('runs the task whose slug is given instead of making another', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const added = JSON.parse((await cli.run('task', 'add', 'Make it so', '--json')).out);
    const agent = ['--agent', 'command:touch ok', '--validate', 'test -f ok', '--json'];
    const { out } = await cli.run('run', 'make-it-so', ...agent);
    expect(JSON.parse(out)).toMatchObject({ task: added.id, status: 'complete' });
    await cli.run('task', 'add', 'Make it so', '--json');
    const unclear = await cli.run('run', 'make-it-so', ...agent);
    expect(JSON.parse(unclear.out)).toMatchObject({ error: { code: 'task.ambiguous' } });
  });

  it('shows in a dry run what would be sent, and stores and runs nothing', async () => {
    await using repo = await gitRepo();
    const { exitCode, out, err } = await cliIn(repo).run(
      'run',
      'greet',
      ...(await greeter(repo)),
      '--dry-run',
    );
    expect(exitCode).toBe(0);
    expect(out).toContain('checks    grep -q world greeting.txt');
    expect(out).toContain('limits    100 iterations, 4h 00m');
    expect(out).toContain('**Title:** greet');
    expect(err).toContain('not known yet: the id of the task');
    expect(await tasksOf(repo)).toEqual([]);
    expect((await cliIn(repo).run('status', '--json')).out).toContain('"pending":0');
    expect(await repo.git('branch', '--list')).toBe('* main');
  });

  it.each([
    [['run', 'x', '--agent', 'command:true'], 'run.no_validation'],
    [['run', 'x', '--validate', 'true'], 'agent.none'],
    [['run', 'x', '--agent', 'nobody', '--validate', 'true'], 'agent.unknown'],
    [['run', 't-00000000', '--agent', 'command:true', '--validate', 'true'], 'task.not_found'],
    [
      ['run', 'x', '--agent', 'command:true', '--validate', 'true', '--type', 'nope'],
      'loop_type.unknown',
    ],
    [
      ['run', 'x', '--agent', 'command:true', '--validate', 'true', '--max-iterations', 'lots'],
      'config.invalid',
    ],
    [['run', '--file', 'missing.md'], 'usage.unreadable_file'],
  ])('refuses %j with exit code 3 and leaves no task behind', async (argv, code) => {
    await using repo = await gitRepo();
    // Where no agent is installed.
    const env = { ...repo.env, PATH: '/usr/bin:/bin' };
    const { exitCode, out } = await cliIn(repo, { env }).run(...argv, '--json');
    expect(JSON.parse(out)).toMatchObject({ error: { code }, exitCode: 3 });
    expect(exitCode).toBe(3);
    const status = JSON.parse((await cliIn(repo).run('status', '--json')).out);
    expect(status.tasks.pending).toBe(0);
  });

  it('refuses to work in place in a dirty checkout unless told to', async () => {
    await using repo = await gitRepo();
    const argv = [
      'run',
      'x',
      '--in-place',
      '--agent',
      'command:echo ok > ok.txt',
      '--validate',
      'test -f ok.txt',
    ];
    await repo.write('README.md', 'changed\n');
    const refused = await cliIn(repo).run(...argv, '--json');
    expect(JSON.parse(refused.out)).toMatchObject({ error: { code: 'run.dirty' }, exitCode: 3 });
    const { exitCode } = await cliIn(repo).run(...argv, '--allow-dirty', '--no-commit');
    expect(exitCode).toBe(0);
    expect(existsSync(path.join(repo.path, 'ok.txt'))).toBe(true);
  });

  it('can never be complete without checks', async () => {
    await using repo = await gitRepo();
    const argv = [
      'run',
      'x',
      '--no-verify',
      '--max-iterations',
      '1',
      '--agent',
      'command:echo ok > ok.txt',
    ];
    const { exitCode } = await cliIn(repo).run(...argv);
    expect(exitCode).toBe(1);
  });
});

describe('run alone', () => {
  it('has nothing to do in a fresh repository', async () => {
    await using repo = await gitRepo();
    const told = await cliIn(repo).run('run');
    expect(told).toMatchObject({ exitCode: 3, out: '' });
    expect(told.err).toContain('there is nothing to do');
    const { exitCode, out } = await cliIn(repo).run('run', '--json');
    expect({ exitCode, result: JSON.parse(out) }).toMatchObject({
      exitCode: 3,
      result: { loops: [], error: { code: 'run.nothing_to_do' }, exitCode: 3 },
    });
  });

  it('works through ready tasks up to the limit, and says that more are ready', async () => {
    await using repo = await gitRepo();
    const agent = ['--agent', 'command:echo x >> n.txt', '--validate', 'test -f n.txt'];
    await cliIn(repo).run('task', 'add', 'first');
    await cliIn(repo).run('task', 'add', 'second');
    const limited = await cliIn(repo).run('run', '--limit', '1', ...agent, '--json');
    expect(limited.exitCode).toBe(4);
    expect(RunResult().strict().parse(JSON.parse(limited.out))).toMatchObject({
      loops: [{ status: 'complete' }],
      exitCode: 4,
    });
    expect((await cliIn(repo).run('run', ...agent)).exitCode).toBe(0);
  });

  it('ends with 2 when only tasks behind a failed one are left', async () => {
    await using repo = await gitRepo();
    const added = await cliIn(repo).run('task', 'add', 'first', '--json');
    const first = /t-[0-9a-f]{8}/.exec(added.out)?.[0] ?? '';
    await cliIn(repo).run('task', 'add', 'second', '--after', first);
    const { exitCode } = await cliIn(repo).run('run', ...neverPasses, '--max-iterations', '1');
    expect(exitCode).toBe(2);
    expect((await cliIn(repo).run('run', ...neverPasses)).exitCode).toBe(2);
  });
});
