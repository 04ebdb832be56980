import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { answerHere, type HereAnswer } from '../../src/cli/ask-here.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { approveLoop, rejectLoop } from '../../src/engine/answer-approval.ts';
import { mergeLoop } from '../../src/engine/merge-loop.ts';
import { endSession, startSession } from '../../src/engine/session.ts';
import type { Session } from '../../src/ports/store.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

/** Done after two iterations, one line each. */
const counting = {
  agent: 'command:cat > prompt.txt; echo x >> n.txt',
  validate: 'test "$(wc -l < n.txt)" -ge 2',
};

async function inSession<T>(
  { engine }: TestProject,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const session = await startSession(engine, 'command');
  try {
    return await work(session);
  } finally {
    await endSession(engine, session);
  }
}

const approve = (project: TestProject, loop: Loop) =>
  inSession(project, (session) =>
    approveLoop(project.engine, session, loop, { by: 'ada', text: '' }),
  );
const reject = (project: TestProject, loop: Loop, text: string) =>
  inSession(project, (session) => rejectLoop(project.engine, session, loop, { by: 'ada', text }));

const types = (project: TestProject) =>
  project.live.flatMap((event) => (event.kind === 'recorded' ? [event.recorded.event.type] : []));

describe('an attended loop', () => {
  it('asks before each iteration and about what it changed, and is complete only with a yes', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { ...counting, mode: 'attended' });
    let loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'approval', iterations: [] });
    expect(loop.asked).toMatchObject({ kind: 'start', iteration: 1 });
    loop = await approve(project, loop);
    expect(loop).toMatchObject({ status: 'paused', reason: 'interrupted', iterations: [] });
    loop = await project.resume(loop.id);
    expect(loop.iterations).toHaveLength(1);
    expect(loop.asked).toMatchObject({ kind: 'changes', iteration: 1 });
    const lines = loop.iterations[0]?.changes?.lines;
    expect(loop.text).toBe(`are these changes right? (2 files, ${lines} lines)`);
    // Going on without an answer asks the same again.
    loop = await project.resume(loop.id);
    expect(loop).toMatchObject({ status: 'blocked', reason: 'approval' });
    expect(types(project).filter((type) => type === 'approval.asked')).toHaveLength(2);
    await approve(project, loop);
    loop = await project.resume(loop.id);
    expect(loop).toMatchObject({ status: 'blocked', reason: 'approval' });
    expect(loop.iterations).toHaveLength(2);
    // The checks pass; neither a merge nor a resume gets around the question.
    await expect(
      inSession(project, (session) => mergeLoop(project.engine, session, loop.id)),
    ).rejects.toMatchObject({ code: expect.stringMatching(/^(merge|loop)\./) });
    loop = await project.resume(loop.id);
    expect(loop).toMatchObject({ status: 'blocked', reason: 'approval' });
    expect(loop.iterations).toHaveLength(2);
    loop = await approve(project, loop);
    expect(loop).toMatchObject({ status: 'complete', reason: 'verified' });
  });

  it('is told why its changes were sent back, in the next prompt', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { ...counting, mode: 'attended' });
    let loop = await project.runText('count');
    // Who goes on with a loop that only asks whether to start has said yes.
    loop = await project.resume(loop.id);
    expect(loop.iterations).toHaveLength(1);
    loop = await reject(project, loop, 'count in German');
    expect(loop).toMatchObject({ status: 'paused', reason: 'rejected' });
    loop = await project.resume(loop.id);
    expect(loop.iterations).toHaveLength(2);
    const dir = await project.engine.artifacts.iterationDir(loop.id, 2);
    expect(await readFile(path.join(dir, 'prompt.md'), 'utf8')).toContain('count in German');
    expect(loop).toMatchObject({ status: 'blocked', asked: { kind: 'changes', iteration: 2 } });
    // Also a loop that would be complete.
    loop = await reject(project, loop, 'once more');
    loop = await project.resume(loop.id);
    expect(loop.iterations).toHaveLength(3);
  });

  it('can be answered where it runs, until it is done', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, { ...counting, mode: 'attended' });
    const first = await project.runText('count');
    const answers: HereAnswer[] = [
      { kind: 'yes' },
      { kind: 'no', reason: 'slower' },
      { kind: 'yes' },
    ];
    const asked: (string | undefined)[] = [];
    const loop = { inPlace: false, commit: true, verify: true, keepGoing: false };
    const outcome = await answerHere(
      project,
      { loops: [first], limited: false, held: false, waiting: 0, spent: null, full: null },
      { loop, allowDirty: false, planFor: (task) => project.planFor(task, true) },
      project.control,
      async (loopThatAsks) => {
        asked.push(loopThatAsks.asked?.kind);
        return answers.shift() ?? { kind: 'later' };
      },
    );
    expect(asked).toEqual(['start', 'changes', 'changes']);
    expect(outcome.loops).toMatchObject([{ status: 'complete', reason: 'verified' }]);
  });
});

it('keeps no secret of the one who answers', async () => {
  await using repo = await gitRepo();
  await using project = await openedProject(repo, { ...counting, mode: 'attended' });
  const loop = await project.runText('count');
  const text = `fine, with ghp_${'a1B2'.repeat(9)}`;
  await inSession(project, (session) =>
    approveLoop(project.engine, session, loop, { by: 'ada', text }),
  );
  const stored = await project.engine.store.read((tx) => tx.loops.events(loop.id, 0, 1000));
  const notes = stored.flatMap(({ event }) =>
    event.type === 'approval.given' ? [event.note] : [],
  );
  expect(notes).toEqual(['fine, with [redacted]']);
});

describe('a hybrid loop', () => {
  const files = `command:for i in 1 2 3 4 5; do echo x > "f$i.txt"; done; echo x >> n.txt`;

  it('asks when many files changed, and goes on when nobody answers', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      ...counting,
      agent: files,
      mode: 'hybrid',
      'auto-approve-after': '50ms',
    });
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(types(project).filter((type) => type.startsWith('approval'))).toEqual([
      'approval.asked',
      'approval.given',
    ]);
  });

  it('asks every few iterations', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt',
      validate: 'test "$(wc -l < n.txt)" -ge 5',
      mode: 'hybrid',
      'ask-every': '2',
      'auto-approve-after': '10ms',
    });
    const loop = await project.runText('count');
    expect(loop).toMatchObject({ status: 'complete' });
    expect(loop.iterations).toHaveLength(5);
    expect(types(project).filter((type) => type === 'approval.asked')).toHaveLength(2);
  });

  it.each(['approve', 'reject'] as const)('takes an answer while it waits: %s', async (answer) => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      ...counting,
      agent: files,
      mode: 'hybrid',
      'auto-approve-after': '1h',
    });
    const running = project.runText('count');
    await project.seen('loop.waiting');
    // Another engine: another terminal.
    await using other = await openedProject(repo, {});
    const [row] = await other.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
    const loop = await other.engine.store.read((tx) => tx.loops.get(row?.id ?? ''));
    if (loop === null) throw new Error('no loop');
    expect(loop).toMatchObject({ status: 'waiting', reason: 'approval' });
    await (answer === 'approve' ? approve(other, loop) : reject(other, loop, 'smaller steps'));
    const ended = await running;
    expect(ended).toMatchObject({ status: 'complete' });
    expect(ended.iterations[0]?.refusal?.reason).toBe(
      answer === 'reject' ? 'smaller steps' : undefined,
    );
  });
});

describe('an unattended loop', () => {
  it.each([
    [
      'files',
      { 'max-changed-files': '3' },
      'changed 4 files, more than mode.max-changed-files (3)',
    ],
    [
      'lines',
      { 'max-changed-lines': '9' },
      'changed 10 lines, more than mode.max-changed-lines (9)',
    ],
  ])('needs an approval when one iteration changes too many %s', async (_name, limit, text) => {
    await using repo = await gitRepo();
    const agent =
      'command:for i in 1 2 3 4; do echo x > "f$i"; done; seq 6 > f1; echo > f5; rm f5; echo x >> f2';
    await using project = await openedProject(repo, { agent, validate: 'test -f f1', ...limit });
    const loop = await project.runText('write');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'approval' });
    expect(loop.text).toContain(text);
    expect(await approve(project, loop)).toMatchObject({ status: 'complete' });
  });

  it('asks nobody below that', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, counting);
    expect(await project.runText('count')).toMatchObject({ status: 'complete' });
    expect(types(project).filter((type) => type.startsWith('approval'))).toEqual([]);
  });
});

it('a change of the mode takes effect at the boundary and calls its hook', async () => {
  await using repo = await gitRepo();
  const log = path.join(repo.outside, 'mode.log');
  const hooks = `hooks: { mode-switch: ["cat >> '${log}'"] }\n`;
  await repo.write('loopwright.yml', hooks);
  await repo.commitAll('project');
  const edit = `printf "%smode: attended\\n" "" >> '${repo.path}/loopwright.yml'`;
  const project = await openedProject(repo, {
    agent: `command:test -f n.txt || ${edit}; echo x >> n.txt`,
    validate: 'test "$(wc -l < n.txt)" -ge 4',
  });
  const loop = await project.runText('count');
  await project[Symbol.asyncDispose]();
  expect(loop).toMatchObject({ status: 'blocked', reason: 'approval' });
  expect(loop.iterations).toHaveLength(2);
  expect(types(project)).toContain('mode.switched');
  expect(JSON.parse(await readFile(log, 'utf8'))).toMatchObject({ hook: 'mode-switch' });
});
