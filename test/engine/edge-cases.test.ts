import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestLoop } from '../../src/engine/request-loop.ts';
import { leaseOf, startSession } from '../../src/engine/session.ts';
import { mergeLoop } from '../../src/engine/merge-loop.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';
import { tempDir } from '../support/temp-dir.ts';

const addTask = (
  project: TestProject,
  task: { title: string; parentId?: string; validation?: string },
) =>
  project.engine.store.write((tx) =>
    tx.tasks.add(project.engine.ids.task(), task, project.engine.clock.now()),
  );

describe('work is never thrown away', () => {
  it('keeps the worktree of a complete loop that commits nothing', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x > work.txt', validate: 'test -f work.txt' };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('without commits', { commit: false });
    expect(loop.status).toBe('complete');
    expect(existsSync(path.join(loop.workspace.path, 'work.txt'))).toBe(true);
  });

  it('does not rebase uncommitted work away when the base moves', async () => {
    await using repo = await gitRepo();
    const agent = [
      'echo x >> work.txt',
      `test "$LOOPWRIGHT_ITERATION" = 1 && (cd ${repo.path} && echo n > news.txt && git add news.txt && git commit -qm news)`,
      'true',
    ].join('; ');
    const flags = {
      agent: `command:${agent}`,
      validate: 'test "$(wc -l < work.txt)" -ge 2',
      'watch-interval': '0',
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('without commits', { commit: false });
    expect(loop.status).toBe('complete');
    expect(await readFile(path.join(loop.workspace.path, 'work.txt'), 'utf8')).toBe('x\nx\n');
  });

  it('lets a cut that comes after the verdict still end the loop as decided', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x > work.txt', validate: 'test -f work.txt' };
    await using project = await openedProject(repo, flags);
    const publish = project.live.push.bind(project.live);
    project.live.push = (...events) => {
      if (
        events.some(
          (event) => event.kind === 'recorded' && event.recorded.event.type === 'decision.made',
        )
      ) {
        project.control.interrupt('cut');
      }
      return publish(...events);
    };
    const loop = await project.runText('cut at the last moment');
    expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
  });
});

describe('an agent cannot edit its own judge', () => {
  it('also not in an iteration that is cut short (I7)', async () => {
    await using repo = await gitRepo();
    await repo.write('check.sh', 'exit 1\n');
    await repo.write(
      'loopwright.yml',
      'verify: {protected: [check.sh]}\nvalidation: {command: sh check.sh}\n',
    );
    await repo.commitAll('check');
    const agent = 'command:echo "exit 0" > check.sh; echo x > .new; mv .new work.txt; sleep 300';
    await using project = await openedProject(repo, { agent, 'max-iterations': 1 });
    const running = project.runText('tamper');
    const tampered = () =>
      project.live.some(
        (event) =>
          event.kind === 'recorded' && existsSync(path.join(event.loop.workspace.path, 'work.txt')),
      );
    while (!tampered()) await new Promise((resolve) => setTimeout(resolve, 20));
    project.control.interrupt('cut');
    const loop = await running;
    expect(await repo.git('show', `${loop.workspace.branch}:check.sh`)).toBe('exit 1');
    expect(await repo.git('show', `${loop.workspace.branch}:work.txt`)).toBe('x');
  });

  it('nor its limits, in a folder without git', async () => {
    await using dir = await tempDir();
    const folder = { path: dir.path, env: { PATH: process.env['PATH'] ?? '', HOME: dir.path } };
    await writeFile(
      path.join(dir.path, 'loopwright.yml'),
      'limits: {max-iterations: 2}\nverify: {protected: []}\n',
    );
    const agent = 'command:echo "limits: {max-iterations: 9}" > loopwright.yml; echo x >> n.txt';
    await using project = await openedProject(folder, { agent, validate: 'false' });
    const loop = await project.runText('raise my own cap');
    expect(loop.iterations).toHaveLength(2);
  });
});

describe('one thing that goes wrong stays one thing', () => {
  it('goes on with the old settings while the configuration is half written', async () => {
    await using repo = await gitRepo();
    const agent = `command:printf 'limits: {max-' > ${repo.path}/loopwright.yml; echo x >> n.txt`;
    await using project = await openedProject(repo, {
      agent,
      validate: 'test "$(wc -l < n.txt)" -ge 3',
    });
    const loop = await project.runText('edit while it runs');
    expect(loop.status).toBe('complete');
    expect(
      loop.warnings.filter((text) => text.startsWith('the configuration cannot be read')),
    ).toHaveLength(1);
  });

  it('runs the ready tasks although an interrupted loop cannot go on', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x > work.txt', validate: 'test -f work.txt' };
    await using project = await openedProject(repo, { ...flags, agent: 'command:sleep 300' });
    const running = project.runText('cannot go on');
    await project.seen('agent.started');
    project.control.interrupt('cut');
    const broken = await running;
    await repo.git('worktree', 'remove', '--force', broken.workspace.path);
    await writeFile(broken.workspace.path, 'something else is here now');
    await using again = await openedProject(repo, flags);
    const task = await addTask(again, { title: 'ready' });
    await expect(again.runReady()).rejects.toMatchObject({ code: 'workspace.path_taken' });
    const after = await again.engine.store.read((tx) => tx.tasks.get(task.id));
    expect(after?.status).toBe('done');
  });

  it('goes on with the queue although a merge is refused, and what was refused can be merged later', async () => {
    await using repo = await gitRepo();
    const flags = {
      agent: 'command:echo x > "$LOOPWRIGHT_TASK.txt"',
      validate: 'ls t-*.txt',
      merge: 'local',
    };
    await using project = await openedProject(repo, flags);
    await writeFile(path.join(repo.path, 'README.md'), 'dirty\n');
    const first = await addTask(project, { title: 'first' });
    const second = await addTask(project, { title: 'second' });
    const { loops } = await project.runReady();
    expect(loops.map(({ status, reason }) => [status, reason])).toEqual([
      ['blocked', 'gate'],
      ['blocked', 'gate'],
    ]);
    const statusOf = async (id: string) =>
      (await project.engine.store.read((tx) => tx.tasks.get(id)))?.status;
    for (const { id } of [first, second]) expect(await statusOf(id)).toBe('blocked');
    expect(await readFile(path.join(repo.path, 'README.md'), 'utf8')).toBe('dirty\n');
    await repo.git('checkout', '--', 'README.md');
    const session = await startSession(project.engine, 'run');
    for (const { id } of loops) {
      const merged = await mergeLoop(project.engine, session, id);
      expect(merged).toMatchObject({ status: 'complete', mergedInto: 'main' });
    }
    for (const { id } of [first, second]) expect(await statusOf(id)).toBe('done');
    expect(await repo.git('ls-files', 't-*.txt')).toBe(
      [first, second]
        .map(({ id }) => `${id}.txt`)
        .toSorted()
        .join('\n'),
    );
  });

  it('does not remember a baseline that could not run', async () => {
    await using repo = await gitRepo();
    const tool = path.join(repo.outside, 'tool');
    // What is missing behind a program that is there is found by the baseline.
    const validate = `sh -c '${tool}'`;
    const flags = { agent: 'command:echo x >> work.txt', validate, 'max-iterations': 1 };
    await using project = await openedProject(repo, flags);
    const first = await project.runText('tool missing');
    expect(first).toMatchObject({ status: 'blocked', reason: 'setup', iterations: [] });
    expect(first.baseline?.state).toBe('broken');
    expect(first.text).toContain('could not run on the base');
    await writeFile(tool, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    const second = await project.runText('tool there');
    expect(second.baseline?.state).toBe('green');
    expect(second.status).toBe('failed');
  });
});

describe('requests', () => {
  it('count by their strength, not by their order', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:sleep 300',
      validate: 'false',
    });
    const running = project.runText('pause, then cancel');
    await project.seen('agent.started');
    await using other = await openedProject(repo, {});
    const [row] = await other.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
    const session = await startSession(other.engine, 'command');
    await requestLoop(other.engine, session, row!.id, 'pause', 'finish');
    await requestLoop(other.engine, session, row!.id, 'cancel', 'cut');
    expect(await running).toMatchObject({ status: 'stopped', reason: 'cancelled' });
  });

  it('are read at the boundary when nobody could be woken', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:sleep 0.4; echo x >> n.txt',
      validate: 'false',
    });
    const running = project.runText('deaf');
    await project.seen('agent.started');
    await rm(path.join(project.engine.stateDir, 'wake'), { recursive: true });
    const [row] = await project.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
    const request = {
      id: 'r-1',
      loopId: row!.id,
      kind: 'pause',
      when: 'finish',
      now: Date.now(),
    } as const;
    await project.engine.store.write((tx) => tx.requests.add(request));
    expect(await running).toMatchObject({ status: 'paused', reason: 'user' });
  });
});

describe('time and place', () => {
  it('does not count waiting against the time budget', async () => {
    await using repo = await gitRepo();
    const script = `iterations:
  - steps:
      - outcome: { kind: rate_limited, retry-after: 2s, times: 1 }
      - write: { path: done.txt, content: x }
    final: done`;
    await writeFile(path.join(repo.outside, 'agent.yml'), script);
    const agent = `scripted:${path.join(repo.outside, 'agent.yml')}`;
    await using project = await openedProject(repo, { agent, validate: 'test -f done.txt' });
    const started = performance.now();
    const loop = await project.runText('patience');
    expect(loop.status).toBe('complete');
    // Two seconds of the time that passed were waiting.
    expect(loop.activeMs).toBeLessThan(performance.now() - started - 1950);
  });

  it('refuses a second loop in the same files', async () => {
    await using dir = await tempDir();
    const folder = { path: dir.path, env: { PATH: process.env['PATH'] ?? '', HOME: dir.path } };
    await using project = await openedProject(folder, {
      agent: 'command:sleep 300',
      validate: 'false',
    });
    const running = project.runText('first');
    await project.seen('agent.started');
    await using other = await openedProject(folder, { agent: 'command:true', validate: 'false' });
    await expect(other.runText('second')).rejects.toMatchObject({ code: 'loop.place_taken' });
    project.control.interrupt('cut');
    await running;
  });

  it('judges a blocked parent anew when it is resumed on a base that moved', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x > c.txt',
      validate: 'test -f c.txt',
    });
    const parent = await addTask(project, { title: 'parent', validation: 'test -f fixed.txt' });
    await addTask(project, { title: 'child', parentId: parent.id });
    const { loops } = await project.runReady();
    const blocked = loops.at(-1)!;
    expect(blocked).toMatchObject({ title: 'parent', status: 'blocked', reason: 'gate' });
    await repo.write('fixed.txt', 'now');
    await repo.commitAll('fix');
    expect((await project.resume(blocked.id)).status).toBe('complete');
  });
});

const tap = (body: string) => `printf 'TAP version 13\\n${body}'`;

describe('the names of things', () => {
  it('keeps the branch of a loop unambiguous for the user’s own git', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x > work.txt', validate: 'test -f work.txt' };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('name me');
    const named = await repo.git('rev-parse', '--symbolic-full-name', loop.workspace.branch ?? '');
    expect(named).toBe(`refs/heads/${loop.workspace.branch}`);
  });

  it('frees a task whose engine died before it had made a loop', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo x > work.txt', validate: 'test -f work.txt' };
    await using project = await openedProject(repo, flags);
    const task = await addTask(project, { title: 'stranded' });
    const { engine } = project;
    const self = await engine.supervisor.self();
    const dead = { id: 's-dead', kind: 'run', version: '0', startedAt: 1, endedAt: null } as const;
    await engine.store.write(async (tx) => {
      await tx.sessions.start({ ...dead, process: { ...self, pid: 999_999_999 } });
      const now = engine.clock.now();
      const lease = await leaseOf(tx, 60_000);
      await tx.tasks.claim({ owner: 's-dead', now, lease, taskId: task.id });
    });
    const { loops } = await project.runReady();
    expect(loops).toMatchObject([{ taskId: task.id, status: 'complete' }]);
  });

  it('does not take a suite that lost its tests for a pass', async () => {
    await using repo = await gitRepo();
    await repo.write('cases.sh', `${tap('1..2\\nok 1 - a\\nnot ok 2 - b\\n')}\nexit 1\n`);
    await repo.commitAll('suite');
    const easier = `${tap('1..1\\nok 1 - a\\n')}\nexit 0\n`.replaceAll("'", `'"'"'`);
    const agent = `command:printf '%s' '${easier}' > cases.sh`;
    await using project = await openedProject(repo, {
      agent,
      validate: 'sh cases.sh',
      'max-iterations': 1,
    });
    const loop = await project.runText('delete the failing test');
    expect(loop.status).toBe('failed');
    const checks = loop.iterations[0]?.report?.levels.L1?.checks ?? [];
    expect(checks.find(({ name }) => name === 'integrity')?.reason).toContain(
      'the test "b" ran on the base and is gone',
    );
    expect(loop.iterations[0]?.decision?.feedback).toContain('integrity');
  });
});
