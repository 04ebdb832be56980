import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { requestLoop } from '../../src/engine/request-loop.ts';
import { startSession } from '../../src/engine/session.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { shows } from '../support/shows.ts';

describe('stopping a loop', () => {
  it('finishes the iteration on the first interrupt, then rests paused, and goes on when resumed', async () => {
    shows('002.outcome-interrupted', '002.status-paused');
    await using repo = await gitRepo();
    const agent = 'command:sleep 0.3; echo x >> n.txt';
    const flags = { agent, validate: 'test "$(wc -l < n.txt)" -ge 3' };
    await using project = await openedProject(repo, flags);
    const running = project.runText('count');
    await project.seen('agent.started');
    project.control.interrupt('finish');
    const paused = await running;
    expect(paused).toMatchObject({ status: 'paused', reason: 'interrupted' });
    expect(paused.iterations).toHaveLength(1);
    expect(paused.iterations[0]).toMatchObject({ counted: true, status: 'completed' });
    await using again = await openedProject(repo, flags);
    const loop = await again.resume(paused.id);
    expect(loop.status).toBe('complete');
    expect(loop.iterations.map(({ number }) => number)).toEqual([1, 2, 3]);
  });

  it('cuts the agent on the second interrupt, keeps its files and its number, and does not count it', async () => {
    await using repo = await gitRepo();
    const agent = 'command:echo half > .new; mv .new half.txt; sleep 300';
    await using project = await openedProject(repo, { agent, validate: 'test -f never' });
    const running = project.runText('cut me');
    await project.seen('agent.started');
    const halfWritten = () =>
      existsSync(path.join(repo.path, '.loopwright/worktrees')) &&
      project.live.some(
        (event) =>
          event.kind === 'recorded' && existsSync(path.join(event.loop.workspace.path, 'half.txt')),
      );
    while (!halfWritten()) await new Promise((resolve) => setTimeout(resolve, 20));
    project.control.interrupt('cut');
    const loop = await running;
    expect(loop).toMatchObject({ status: 'paused', reason: 'interrupted' });
    expect(loop.iterations[0]).toMatchObject({ number: 1, outcome: 'interrupted', counted: false });
    expect(await repo.git('show', `${loop.workspace.branch}:half.txt`)).toBe('half');
  });

  it('obeys a stop that was stored by another process, at once when asked', async () => {
    shows('002.status-stopped', '002.stop-exits');
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:sleep 300',
      validate: 'false',
    });
    const running = project.runText('run long');
    await project.seen('agent.started');
    await using other = await openedProject(repo, {});
    const [row] = await other.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
    const session = await startSession(other.engine, 'command');
    const answer = await requestLoop(other.engine, session, row!.id, 'stop', 'cut');
    expect(answer.answer).toBe('asked');
    const loop = await running;
    expect(loop).toMatchObject({ status: 'stopped', reason: 'user' });
    const task = await project.engine.store.read((tx) => tx.tasks.get(loop.taskId));
    expect(task?.status).toBe('paused');
  });

  it('pauses at the boundary when asked from outside, and cancels a paused loop', async () => {
    await using repo = await gitRepo();
    const agent = 'command:sleep 0.3; echo x >> n.txt';
    await using project = await openedProject(repo, { agent, validate: 'false' });
    const running = project.runText('pause me');
    await project.seen('agent.started');
    await using other = await openedProject(repo, {});
    const [row] = await other.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
    const session = await startSession(other.engine, 'command');
    await requestLoop(other.engine, session, row!.id, 'pause', 'finish');
    const paused = await running;
    expect(paused).toMatchObject({ status: 'paused', reason: 'user' });
    const { loop } = await requestLoop(other.engine, session, paused.id, 'cancel', 'finish');
    expect(loop).toMatchObject({ status: 'stopped', reason: 'cancelled' });
    const task = await project.engine.store.read((tx) => tx.tasks.get(loop.taskId));
    expect(task?.status).toBe('cancelled');
  });
});
