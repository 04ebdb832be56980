import { existsSync } from 'node:fs';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { guideLoop } from '../../src/engine/guide-loop.ts';
import { runLoops } from '../../src/engine/run-loops.ts';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

describe('what a failed loop leaves', () => {
  const failing = { agent: 'command:echo x >> n.txt', validate: 'false', 'max-iterations': '1' };

  it('is removed after git.keep-failed, but for what somebody has worked on since', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, failing);
    const old = await project.runText('old');
    const edited = await project.runText('edited');
    const moved = await project.runText('moved');
    await appendFile(path.join(edited.workspace.path, 'n.txt'), 'mine\n');
    await repo.gitIn(moved.workspace.path, 'commit', '--quiet', '--allow-empty', '-m', 'mine');
    expect(existsSync(old.workspace.path)).toBe(true);
    await using later = await openedProject(repo, {
      agent: 'command:echo x > n.txt',
      validate: 'test -f n.txt',
      'keep-failed': '1ms',
    });
    await later.runText('another');
    const branches = await repo.git('branch', '--list', '--format=%(refname:short)');
    const isThere = (loop: typeof old) => [
      existsSync(loop.workspace.path),
      branches.split('\n').includes(loop.workspace.branch ?? ''),
    ];
    expect([old, edited, moved].map(isThere)).toEqual([
      [false, false],
      [true, true],
      [false, true],
    ]);
    const again = await later.resume(old.id);
    expect(again.warnings.join()).toContain('its branch is gone with its commits');
  });

  it('stays for a week by default', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, failing);
    const loop = await project.runText('fails');
    await project.runText('fails too');
    expect(existsSync(loop.workspace.path)).toBe(true);
  });
});

describe('guidance', () => {
  it('is offered as a learning when the checks pass after it, once', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:echo x >> n.txt',
      validate: 'test "$(wc -l < n.txt)" -ge 2',
      'max-iterations': '1',
    });
    const { engine } = project;
    const loop = await project.runText('count');
    expect(loop.status).toBe('failed');
    await guideLoop(engine, loop, 'numbers go into n.txt');
    await guideLoop(engine, loop, 'x'.repeat(2000));
    const learnings = () => engine.store.read((tx) => tx.learnings.list({}));
    expect(await learnings()).toEqual([]);
    await using more = await openedProject(repo, {
      'max-iterations': '5',
      agent: 'command:true',
      validate: 'false',
    });
    const raised = { ...loop.settings, limits: { ...loop.settings.limits, 'max-iterations': 5 } };
    const options = { inPlace: false, commit: true, verify: true, keepGoing: false };
    const { loops } = await runLoops(
      more.engine,
      { kind: 'loop', loopId: loop.id, changed: { settings: raised, flags: {} } },
      { loop: options, allowDirty: false, planFor: (task) => more.planFor(task, true) },
      more.control,
    );
    expect(loops).toMatchObject([{ status: 'complete' }]);
    expect(await learnings()).toMatchObject([
      {
        content: 'numbers go into n.txt',
        status: 'candidate',
        origin: 'person',
        category: 'guidance',
        taskId: loop.taskId,
      },
    ]);
  });
});

/** The base moves while the agent works, so the merge runs the checks again: those wait for a gate. */
async function setUp() {
  const repo = await gitRepo();
  const gate = path.join(repo.outside, 'gate');
  const seen = path.join(repo.outside, 'seen');
  const wait = `while [ ! -f '${gate}' ]; do sleep 0.05; done`;
  await repo.write(
    'check.sh',
    `test -f n.txt || exit 1\ntest -f moved || exit 0\ntouch '${seen}'\n${wait}\n`,
  );
  await repo.commitAll('check');
  await repo.git('checkout', '--quiet', '-b', 'next');
  await repo.write('moved', '');
  await repo.commitAll('moved');
  // As a person would: what the agent's own git moves is moved back.
  const agent = 'echo x > n.txt; env -u GIT_TRACE2_EVENT git update-ref refs/heads/main next';
  const settings = `agent: "command:${agent}"\nvalidation: { command: sh check.sh }\ngit: { base: main, merge: local }\n`;
  await repo.write('loopwright.yml', settings);
  return { repo, gate, seen };
}

async function seenBy(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 20));
}

async function begin(repo: GitRepo, seen: string) {
  const run = realCli(repo.path, repo.env, ['run', 'write']);
  onTestFinished(() => void run.child.kill('SIGKILL'));
  await seenBy(seen);
  run.child.kill('SIGINT');
  await run.printed((text) => text.includes('Ctrl-C again'));
  return run;
}

describe('Ctrl-C while a merge runs', () => {
  it('lets it come to its end at the first', async () => {
    const { repo, gate, seen } = await setUp();
    await using _repo = repo;
    const run = await begin(repo, seen);
    await writeFile(gate, '');
    expect((await run.ended).exitCode).toBe(0);
    expect(await repo.git('ls-tree', '--name-only', 'main')).toContain('n.txt');
  }, 60_000);

  it('cuts it at the second, and the next run finishes it', async () => {
    const { repo, gate, seen } = await setUp();
    await using _repo = repo;
    const run = await begin(repo, seen);
    run.child.kill('SIGINT');
    const { exitCode, err } = await run.ended;
    expect(err).toContain('was cut short; the next run finishes it');
    expect(exitCode).toBe(130);
    expect(await repo.git('ls-tree', '--name-only', 'main')).not.toContain('n.txt');
    await writeFile(gate, '');
    expect((await realCli(repo.path, repo.env, ['run']).ended).exitCode).toBe(0);
    expect(await repo.git('ls-tree', '--name-only', 'main')).toContain('n.txt');
  }, 60_000);
});
