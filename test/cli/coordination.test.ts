import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { neverPasses } from './agents.ts';
import { memoryCli } from './memory-cli.ts';

const cliIn = (repo: GitRepo) => memoryCli({ cwd: repo.path, env: repo.env });

async function json(repo: GitRepo, ...argv: readonly string[]) {
  const { out, exitCode } = await cliIn(repo).run(...argv, '--json');
  return { ...JSON.parse(out), exitCode };
}

/** A loop that a person has interrupted after an iteration. */
async function pausedLoop(repo: GitRepo, task: string): Promise<string> {
  const cli = cliIn(repo);
  const running = cli.run('run', task, ...neverPasses);
  await cli.printed((text) => /^ *iteration/m.test(text));
  cli.signal('SIGINT');
  await running;
  const { loop, status } = await json(repo, 'loop', 'show', task);
  expect(status).toBe('paused');
  return loop;
}

describe('selectors of what is below a task', () => {
  it('take a task by id and by title, one of its loops, and `last`', async () => {
    await using repo = await gitRepo();
    const top = await json(repo, 'task', 'add', 'the whole');
    const middle = await json(repo, 'task', 'add', 'a part', '--parent', top.id);
    const leaf = await json(repo, 'task', 'add', 'a detail', '--parent', middle.id);
    const loop = await pausedLoop(repo, leaf.id);
    const share = async (to: string) =>
      (await json(repo, 'share', to, 'a note')).messages?.map((each: { to: string }) => each.to);
    expect(await share(`children:${middle.id}`)).toEqual([loop]);
    expect(await share('children:a-part')).toEqual([loop]);
    expect(await share(`descendants:${top.id}`)).toEqual([loop]);
    expect(await share('descendants:the-whole')).toEqual([loop]);
    const nothing = await json(repo, 'share', `children:${top.id}`, 'a note');
    expect(nothing.error.code).toBe('message.nobody');
    const below = await json(repo, 'share', 'descendants:last', 'a note');
    expect(below.error.code).toBe('message.nobody');
    const unknown = await json(repo, 'share', 'children:nothing-like-it', 'a note');
    expect(unknown.error.message).toContain('nothing-like-it');
    const paused = await json(repo, 'pause', 'descendants:the-whole');
    expect(paused.loops).toMatchObject([{ loop }]);
    const bare = await json(repo, 'pause', 'descendants');
    expect(bare.error.hint).toContain('descendants:TASK');
  }, 60_000);
});

describe('prompt render', () => {
  it('shows what was shared with a loop that rests, and leaves it unread', async () => {
    await using repo = await gitRepo();
    const { id } = await json(repo, 'task', 'add', 'later');
    await pausedLoop(repo, id);
    await json(repo, 'share', 'last', 'the port is 8080');
    const first = await cliIn(repo).run('prompt', 'render', id);
    expect(first.out).toContain('the port is 8080');
    expect((await cliIn(repo).run('prompt', 'render', id)).out).toBe(first.out);
  }, 60_000);
});

describe('guide', () => {
  it('is for a task that has no loop yet, and is in its first prompt', async () => {
    await using repo = await gitRepo();
    const { id } = await json(repo, 'task', 'add', 'later');
    const told = await cliIn(repo).run('guide', id, 'mind the gap');
    expect(told).toMatchObject({ exitCode: 0, out: `${id} gets it with its first prompt\n` });
    expect(await json(repo, 'guide', 'later', 'and the step')).toMatchObject({
      loop: null,
      task: id,
      exitCode: 0,
    });
    await repo.write('loopwright.yml', 'agent: "command:true"\nvalidation: { command: "false" }\n');
    const { out } = await cliIn(repo).run('prompt', 'render', id);
    expect(out).toContain('mind the gap');
    expect(out).toContain('and the step');
    const unknown = await json(repo, 'guide', 'nothing-like-it', 'x');
    expect(unknown).toMatchObject({ error: { code: 'loop.not_found' }, exitCode: 3 });
  }, 60_000);
});

describe('guide of children and descendants', () => {
  it('is kept for tasks that have no loop yet, and refused when it is for none', async () => {
    await using repo = await gitRepo();
    const top = await json(repo, 'task', 'add', 'the whole');
    const part = await json(repo, 'task', 'add', 'a part', '--parent', top.id);
    const leaf = await json(repo, 'task', 'add', 'a detail', '--parent', part.id);
    const told = await cliIn(repo).run('guide', `children:${top.id}`, 'mind the gap');
    expect(told).toMatchObject({ exitCode: 0, out: `${part.id} gets it with its first prompt\n` });
    const all = await json(repo, 'guide', 'descendants:the-whole', 'and the step');
    expect(all.loops).toEqual([
      { loop: null, task: part.id },
      { loop: null, task: leaf.id },
    ]);
    await repo.write('loopwright.yml', 'agent: "command:true"\nvalidation: { command: "false" }\n');
    const { out } = await cliIn(repo).run('prompt', 'render', leaf.id);
    expect(out).toContain('and the step');
    expect(out).not.toContain('mind the gap');
    for (const none of [`children:${leaf.id}`, 'all', 'status:blocked']) {
      const refused = await json(repo, 'guide', none, 'x');
      expect(refused).toMatchObject({ error: { code: 'guide.nobody' }, exitCode: 3 });
    }
  }, 60_000);
});

describe('loop rebase', () => {
  it('is stored for a loop that rests, and puts its commits on the base when it continues', async () => {
    await using repo = await gitRepo();
    const loop = await pausedLoop(repo, 'work');
    await repo.write('other.txt', 'a person\n');
    await repo.commitAll('base moves');
    const asked = await cliIn(repo).run('loop', 'rebase', loop);
    expect(asked.exitCode).toBe(0);
    expect(asked.out).toContain(`loopwright loop resume ${loop}`);
    expect(await json(repo, 'loop', 'rebase', loop)).toMatchObject({ loop, answer: 'asked' });
    await cliIn(repo).run('loop', 'resume', loop, '--max-iterations', '3');
    const { out } = await cliIn(repo).run('events', loop);
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const kinds = events.flatMap(({ type, messages }) =>
      type === 'messages.received' ? messages.map((each: { kind: string }) => each.kind) : [],
    );
    expect(kinds).toEqual(['rebase', 'rebase']);
    expect(events.map(({ type }) => type)).toContain('rebase.ended');
  }, 60_000);

  it('is refused for a loop that has nothing to rebase', async () => {
    await using repo = await gitRepo();
    const done = ['--agent', 'command:echo x > n.txt', '--validate', 'test -f n.txt'];
    const complete = await json(repo, 'run', 'work', ...done);
    const ended = await json(repo, 'loop', 'rebase', complete.loop);
    expect(ended).toMatchObject({ exitCode: 3, error: { code: 'loop.complete' } });
    expect(ended.error.hint).toContain('loopwright merge');
    const { loop } = await json(
      repo,
      'run',
      'in place',
      ...neverPasses,
      '--in-place',
      '--max-iterations',
      '1',
    );
    const inPlace = await json(repo, 'loop', 'rebase', loop);
    expect(inPlace).toMatchObject({ exitCode: 3, error: { code: 'loop.no_worktree' } });
  }, 60_000);
});

describe('loop clear-progress', () => {
  it('forgets what earlier iterations did, for a loop that rests and for one that runs', async () => {
    await using repo = await gitRepo();
    const loop = await pausedLoop(repo, 'work');
    const before = await cliIn(repo).run('prompt', 'render', 'work');
    expect(before.out).toContain('## Previous Iterations');
    const cleared = await json(repo, 'loop', 'clear-progress', loop);
    expect(cleared).toMatchObject({ loop, answer: 'done', exitCode: 0 });
    const after = await cliIn(repo).run('prompt', 'render', 'work');
    expect(after.out).not.toContain('## Previous Iterations');
    const logs = await cliIn(repo).run('logs', loop);
    expect(logs.out).toContain('the next prompt tells nothing of earlier iterations');
  }, 60_000);

  it('is done at the boundary for a loop that runs', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt; while [ ! -f $HOME/go ]; do sleep 0.05; done',
      validate: 'false',
      'max-iterations': '2',
    });
    const running = project.runText('work');
    await project.seen('agent.started');
    const asked = await json(repo, 'loop', 'clear-progress', 'last');
    expect(asked).toMatchObject({ answer: 'asked' });
    await writeFile(path.join(repo.env['HOME'] ?? '', 'go'), '');
    const loop = await running;
    const dir = await project.engine.artifacts.iterationDir(loop.id, 2);
    const prompt = await readFile(path.join(dir, 'prompt.md'), 'utf8');
    expect(prompt).not.toContain('## Previous Iterations');
  }, 60_000);
});
