import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { LoopDetail } from '../../src/protocol/loop-detail.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { greeter, neverPasses, waits } from './agents.ts';
import { memoryCli } from './memory-cli.ts';

function cliIn(repo: GitRepo) {
  return memoryCli({ cwd: repo.path, env: repo.env });
}

/** Runs a loop that completes; answers with its result. */
async function completed(repo: GitRepo, title = 'greet') {
  const { out } = await cliIn(repo).run('run', title, ...(await greeter(repo)), '--json');
  return JSON.parse(out);
}

describe('loop show', () => {
  it('prints the documented shape', async () => {
    await using repo = await gitRepo();
    const { loop, ...result } = await completed(repo);
    const { exitCode, out } = await cliIn(repo).run('loop', 'show', loop, '--json');
    expect(exitCode).toBe(0);
    const detail = LoopDetail().strict().parse(JSON.parse(out));
    const { iterations: count, ...same } = result;
    expect(detail).toMatchObject(same);
    expect(detail.iterations).toHaveLength(count);
    expect(detail.iterations[1]).toMatchObject({
      number: 2,
      status: 'completed',
      outcome: 'done',
      exitCode: 0,
      verification: { passed: true, levels: { L1: { passed: true } } },
      decision: { continue: false, reason: 'the checks went from red to green' },
      filesCreated: [],
      filesModified: ['greeting.txt'],
      filesDeleted: [],
      testsRun: false,
      tests: null,
      progressDetected: true,
      summary: 'The greeting names the world now.',
      costUsd: 0.004,
    });
    expect(detail.totals).toMatchObject({
      iterations: 2,
      successful: 1,
      filesCreated: 1,
      failureStreak: 0,
    });
  });

  it('fits on one screen for people', async () => {
    await using repo = await gitRepo();
    await completed(repo);
    const { out } = await cliIn(repo).run('loop', 'show');
    expect(out).toContain('IT  OUTCOME   FILES  TESTS  CHECKS');
    expect(out).toMatch(/ 2 {2}done +1 +✓ passed/);
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });
});

describe('a LOOP argument', () => {
  it('takes an id, its beginning, a task, the slug of a title, or last', async () => {
    await using repo = await gitRepo();
    const { loop, task } = await completed(repo, 'greet the world');
    for (const reference of [
      loop,
      loop.slice(0, 9),
      loop.slice(5),
      task,
      'greet-the-world',
      'last',
    ]) {
      const { out } = await cliIn(repo).run('loop', 'show', reference, '--json');
      expect({ reference, loop: JSON.parse(out).loop }).toEqual({ reference, loop });
    }
  });

  it('names the candidates when it may mean several, and the list when it means none', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const ids = new Set<string>();
    const firstDigits = () => [...ids].map((id) => id.slice(0, 6));
    while (new Set(firstDigits()).size === ids.size) {
      const argv = [
        'run',
        `x ${ids.size}`,
        '--no-verify',
        '--max-iterations',
        '1',
        '--agent',
        'command:true',
      ];
      ids.add(JSON.parse((await cli.run(...argv, '--json')).out).loop);
    }
    const prefix = firstDigits().find((each, index, all) => all.indexOf(each) !== index) ?? '';
    const ambiguous = await cli.run('loop', 'show', prefix);
    expect(ambiguous.exitCode).toBe(3);
    expect(ambiguous.err).toContain(`“${prefix}” may mean 2 loops:\n  loop-`);
    const unknown = await cli.run('loop', 'show', 'nothing-like-it');
    expect(unknown).toMatchObject({ exitCode: 3, out: '' });
    expect(unknown.err).toContain('list them with `loopwright loop list`');
  });
});

describe('loop explain', () => {
  it('gives the rule and the inputs of every decision', async () => {
    await using repo = await gitRepo();
    await completed(repo);
    const { out } = await cliIn(repo).run('loop', 'explain');
    expect(out).toContain('baseline red');
    expect(out).toContain(`iteration 1: no_sigil
  agent        done, no claim (the script is played)
  checks       validation failed (exit code 1, expected 0)
  decision     went on: `);
    expect(out).toContain(
      '  decided by   the rules of done\n  completion   the checks went from red to green\n',
    );
    const json = JSON.parse((await cliIn(repo).run('loop', 'explain', '--json')).out);
    expect(json.iterations[1].decision.inputs.strategy.name).toBe('until-pass');
  });
});

describe('pause, stop and cancel', () => {
  it.each([
    [['stop', 'last', '--now'], { status: 'stopped', reason: 'user', exitCode: 4 }],
    [['loop', 'cancel', 'last'], { status: 'stopped', reason: 'cancelled', exitCode: 4 }],
  ])('%j ends a loop that another engine drives', async (argv, expected) => {
    await using repo = await gitRepo();
    const owner = cliIn(repo);
    const running = owner.run('run', 'wait', ...waits, '--json');
    await owner.printed((text) => text.includes('saying     waiting now'));
    const asked = await cliIn(repo).run(...argv);
    expect(asked.exitCode).toBe(0);
    expect(asked.out).toMatch(/^loop-\w+ will be (stopped|cancelled) now/);
    expect(JSON.parse((await running).out)).toMatchObject(expected);
  });

  it('pauses after the iteration, and is told that it is paused already', async () => {
    await using repo = await gitRepo();
    const owner = cliIn(repo);
    const agent = 'command:echo waiting now; while [ ! -f "$HOME/go" ]; do sleep 0.05; done';
    const running = owner.run('run', 'wait', '--agent', agent, '--validate', 'false', '--json');
    await owner.printed((text) => text.includes('saying     waiting now'));
    const asked = await cliIn(repo).run('pause', '--all', '--json');
    expect(JSON.parse(asked.out)).toMatchObject({
      loops: [{ answer: 'asked', status: 'running' }],
    });
    await repo.write('../home/go', '');
    expect(JSON.parse((await running).out)).toMatchObject({
      status: 'paused',
      reason: 'user',
      iterations: 1,
    });
    const again = await cliIn(repo).run('pause', 'last');
    expect(again.out).toContain('is paused (user) already; nothing was changed');
    expect((await cliIn(repo).run('pause')).exitCode).toBe(3);
  });
});

describe('merge', () => {
  it('fast-forwards the base, and says so the second time', async () => {
    await using repo = await gitRepo();
    const { loop, head } = await completed(repo);
    const merged = await cliIn(repo).run('merge', loop, '--json');
    expect(JSON.parse(merged.out)).toMatchObject({ loop, into: 'main', commit: head, exitCode: 0 });
    expect(await repo.git('show', 'main:greeting.txt')).toBe('hello world');
    const again = await cliIn(repo).run('merge', loop);
    expect(again).toMatchObject({ exitCode: 3 });
    expect(again.err).toContain('is already merged into main');
  });

  it('changes nothing and exits with 2 on a dirty checkout or a conflict', async () => {
    await using repo = await gitRepo();
    const { loop } = await completed(repo);
    await repo.write('README.md', 'mine\n');
    const dirty = await cliIn(repo).run('merge', loop);
    expect(dirty.exitCode).toBe(2);
    expect(dirty.err).toContain(`loopwright merge ${loop}`);
    await repo.write('greeting.txt', 'good day\n');
    const main = await repo.commitAll('conflict');
    const conflict = await cliIn(repo).run('merge', loop, '--json');
    expect(JSON.parse(conflict.out)).toMatchObject({
      error: { code: 'git.conflict' },
      exitCode: 2,
    });
    expect(await repo.git('rev-parse', 'main')).toBe(main);
  });
});

describe('checkpoints and restore', () => {
  it('makes a branch from the state after an iteration', async () => {
    await using repo = await gitRepo();
    const { loop } = await completed(repo);
    const { out } = await cliIn(repo).run('loop', 'checkpoints', loop, '--json');
    const { checkpoints } = JSON.parse(out);
    expect(checkpoints.map(({ iteration }: { iteration: number }) => iteration)).toEqual([1, 2]);
    const restored = await cliIn(repo).run('loop', 'restore', loop, '1');
    expect(restored.out).toContain(`git switch restored/${loop}-1`);
    expect(await repo.git('show', `restored/${loop}-1:greeting.txt`)).toBe('hello');
    const byCommit = [checkpoints[1].commit.slice(0, 10), '--branch', 'try'];
    expect((await cliIn(repo).run('loop', 'restore', loop, ...byCommit)).exitCode).toBe(0);
    expect(await repo.git('show', 'try:greeting.txt')).toBe('hello world');
    expect((await cliIn(repo).run('loop', 'restore', loop, '7')).exitCode).toBe(3);
    expect((await cliIn(repo).run('loop', 'restore', loop, '1')).exitCode).toBe(3);
  });
});

describe('loop delete', () => {
  it('removes worktree, branch, files and rows, and names the commit that is let go', async () => {
    await using repo = await gitRepo();
    const { out } = await cliIn(repo).run(
      'run',
      'try',
      ...neverPasses,
      '--max-iterations',
      '1',
      '--json',
    );
    const { loop, branch, head } = JSON.parse(out);
    const deleted = await cliIn(repo).run('loop', 'delete', loop);
    expect(deleted.out).toContain(`git branch ${branch} ${head}`);
    expect(await repo.git('branch', '--list', branch)).toBe('');
    for (const folder of ['worktrees', 'loops']) {
      expect(existsSync(path.join(repo.path, '.loopwright', folder, loop))).toBe(false);
    }
    expect((await cliIn(repo).run('loop', 'show', loop)).exitCode).toBe(3);
  });

  it('refuses a loop that is being driven', async () => {
    await using repo = await gitRepo();
    const owner = cliIn(repo);
    const running = owner.run('run', 'wait', ...waits);
    await owner.printed((text) => text.includes('saying     waiting now'));
    const refused = await cliIn(repo).run('loop', 'delete', 'last');
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain('is being driven right now');
    owner.signal('SIGTERM');
    await running;
    expect((await cliIn(repo).run('loop', 'delete', 'last', '--keep-branch')).exitCode).toBe(0);
    expect(await repo.git('branch', '--list', 'loopwright/*')).not.toBe('');
  });
});

describe('logs and events', () => {
  it('tell the story after the fact as run told it, with times', async () => {
    await using repo = await gitRepo();
    await completed(repo);
    const { out } = await cliIn(repo).run('logs');
    expect(out).toMatch(/^\d\d:\d\d:\d\d {2}loop-\w+ · greet$/m);
    expect(out).toMatch(
      /^\d\d:\d\d:\d\d {4}decision {3}complete: the checks went from red to green/m,
    );
    expect(out).toContain('editing greeting.txt');
    const since = await cliIn(repo).run('events', '--since', '5');
    expect(JSON.parse(since.out.split('\n')[0] ?? '')).toMatchObject({ seq: 6 });
  });

  it('follow a loop that another engine drives until it rests', async () => {
    await using repo = await gitRepo();
    const owner = cliIn(repo);
    const agent =
      'command:echo waiting now; while [ ! -f "$HOME/go" ]; do sleep 0.05; done; echo ok > ok.txt';
    const running = owner.run('run', 'wait', '--agent', agent, '--validate', 'test -f ok.txt');
    await owner.printed((text) => text.includes('saying     waiting now'));
    const follower = cliIn(repo);
    const logs = follower.run('logs', '-f', 'last');
    const events = cliIn(repo).run('events', 'last', '--follow');
    await follower.printed((text) => text.includes('iteration 1') && text.includes('waiting now'));
    await repo.write('../home/go', '');
    expect((await running).exitCode).toBe(0);
    expect((await logs).out).toContain('complete: the checks went from red to green');
    const lines = (await events).out.trim().split('\n');
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({
      type: 'loop.rested',
      status: 'complete',
    });
  });
});

describe('status', () => {
  it('shows what runs and by whom, and what needs a person', async () => {
    await using repo = await gitRepo();
    const owner = cliIn(repo);
    const running = owner.run('run', 'wait', ...waits);
    await owner.printed((text) => text.includes('saying     waiting now'));
    await cliIn(repo).run('task', 'add', 'later');
    const { out } = await cliIn(repo).run('status');
    expect(out).toContain(`driven by process ${process.pid}`);
    expect(out).toMatch(/next\n {2}t-\w+ {2}normal {4}later/);
    expect(out).toContain('1 task ready');
    owner.signal('SIGTERM');
    await running;
    const json = JSON.parse((await cliIn(repo).run('status', '--json')).out);
    expect(json).toMatchObject({ active: [], paused: [{ status: 'paused' }], tasks: { ready: 1 } });
  });
});

describe('prompt render', () => {
  it('prints exactly what the next iteration then sends', async () => {
    await using repo = await gitRepo();
    const cli = cliIn(repo);
    const agent =
      'command:echo waiting now; while [ ! -f "$HOME/go" ]; do sleep 0.05; done; echo x >> n.txt';
    const options = [
      '--agent',
      agent,
      '--validate',
      'echo the thing broke; test "$(wc -l < n.txt)" -ge 2',
    ];
    const running = cli.run('run', 'count to two', ...options, '--json');
    await cli.printed((text) => text.includes('saying     waiting now'));
    cli.signal('SIGINT');
    await repo.write('../home/go', '');
    const { loop, task } = JSON.parse((await running).out);
    const rendered = await cliIn(repo).run('prompt', 'render', task);
    expect(rendered).toMatchObject({ exitCode: 0, err: '' });
    expect(rendered.out).toContain('the thing broke');
    await cliIn(repo).run('resume', loop);
    const dir = path.join(repo.path, '.loopwright/loops', loop, 'iterations');
    expect(await readFile(path.join(dir, '002/prompt.md'), 'utf8')).toBe(rendered.out);
  });

  it('needs neither an agent nor a loop, and says what is not known yet', async () => {
    await using repo = await gitRepo();
    const added = await cliIn(repo).run(
      'task',
      'add',
      'later',
      '--description',
      'All of it.',
      '--json',
    );
    const task = /t-[0-9a-f]{8}/.exec(added.out)?.[0] ?? '';
    const { exitCode, out, err } = await cliIn(repo).run('prompt', 'render', task);
    expect(exitCode).toBe(0);
    expect(out).toContain('All of it.');
    expect(err).toContain('not known yet: the feedback of the baseline');
  });
});
