import { existsSync } from 'node:fs';
import { appendFile, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSandboxFault } from '../../src/adapters/process/sandbox.ts';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { eventually } from '../support/invariants.ts';
import { openedProject } from '../support/opened-project.ts';

/** A real `run` whose first agent does `misdeed` and then hangs; killed with SIGKILL as soon as it has. */
async function killAfter(repo: GitRepo, misdeed: string, sandbox: 'off' | 'worktree') {
  const mark = path.join(repo.outside, 'done-it');
  const hang = `test "$LOOPWRIGHT_ITERATION" = 1 && { ${misdeed}; : > '${mark}'; sleep 600; }`;
  const agent = `command:echo done > work.txt; ${hang}; true`;
  const argv = ['run', 'misbehave', '--agent', agent, '--validate', 'test -f work.txt'];
  const run = realCli(repo.path, repo.env, [...argv, '--sandbox', sandbox]);
  await eventually(() => existsSync(mark), 'the agent has acted');
  run.child.kill('SIGKILL');
  await run.ended;
}

async function loopId(project: Awaited<ReturnType<typeof openedProject>>): Promise<string> {
  const [row] = await project.engine.store.read((tx) => tx.loops.list({ limit: 1 }));
  return row?.id ?? '';
}

describe('kill -9 of the engine does not make it forget', () => {
  it.each([
    ['a moved branch', 'git update-ref refs/heads/side HEAD', 'refs/heads/side'],
    ['changed configuration', 'git config evil.key 1', '.git/config'],
  ])('%s: sandbox: worktree blocks, a resume goes on', async (_, misdeed, name) => {
    await using repo = await gitRepo();
    await killAfter(repo, misdeed, 'worktree');
    await using project = await openedProject(repo, {});
    const blocked = await project.resume(await loopId(project));
    expect(blocked).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(blocked.text).toContain(name);
    const resumed = await project.resume(blocked.id);
    expect(resumed.status).toBe('complete');
    expect(resumed.iterations[0]?.outcome).toBe('interrupted');
  });

  it('a moved branch without a sandbox: the loop goes on with a warning', async () => {
    await using repo = await gitRepo();
    await killAfter(repo, 'git update-ref refs/heads/side HEAD', 'off');
    await using project = await openedProject(repo, {});
    const loop = await project.resume(await loopId(project));
    expect(loop.status).toBe('complete');
    expect(loop.warnings).toEqual(['changed outside of the workspace: refs/heads/side']);
  });

  it('when the agent removes the record', async () => {
    await using repo = await gitRepo();
    await killAfter(repo, 'git config evil.key 1', 'worktree');
    const loops = path.join(repo.path, '.loopwright/loops');
    const [id = ''] = await readdir(loops);
    await rm(path.join(loops, id, 'surroundings'), { recursive: true });
    await using project = await openedProject(repo, {});
    const loop = await project.resume(await loopId(project));
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(loop.text).toContain('the record of what was there before');
  });
});

describe('sandbox: worktree', () => {
  it('takes a merge of another loop by another engine for what it is', async () => {
    await using repo = await gitRepo();
    const [started, go] = ['started', 'go'].map((name) => path.join(repo.outside, name));
    const wait = `: > '${started}'; while ! test -e '${go}'; do sleep 0.05; done`;
    const agent = `command:echo a > a.txt; ${wait}`;
    const flags = { agent, validate: 'test -f a.txt', sandbox: 'worktree' };
    await using project = await openedProject(repo, flags);
    const running = project.runText('watched');
    await eventually(() => existsSync(started ?? ''), 'its agent works');
    const other = ['--agent', 'command:echo b > b.txt', '--validate', 'test -f b.txt'];
    const merged = realCli(repo.path, repo.env, ['run', 'other', ...other, '--merge', 'local']);
    const ended = await merged.ended;
    expect(ended.exitCode, ended.err).toBe(0);
    // The user's own checkout has followed.
    expect(existsSync(path.join(repo.path, 'b.txt'))).toBe(true);
    await writeFile(go ?? '', '');
    const loop = await running;
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
  });

  it('still blocks what happens beside such a merge', async () => {
    await using repo = await gitRepo();
    const other = `command:echo b > b.txt`;
    await using project = await openedProject(repo, {
      agent: other,
      validate: 'test -f b.txt',
      merge: 'local',
    });
    expect((await project.runText('merged before')).mergedInto).toBe('main');
    const back = 'git update-ref refs/heads/main HEAD~1';
    await using second = await openedProject(repo, {
      agent: `command:echo c > c.txt; ${back}`,
      validate: 'test -f c.txt',
      sandbox: 'worktree',
    });
    const loop = await second.runText('undoes the merge');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    expect(loop.text).toContain('refs/heads/main');
  });
});

/** A loop whose agent waits while somebody else does `meanwhile`; the agent commits in its own worktree as well. */
async function beside(
  repo: GitRepo,
  flags: Readonly<Record<string, string>>,
  meanwhile: () => Promise<void>,
) {
  const [started = '', go = ''] = ['started', 'go'].map((name) => path.join(repo.outside, name));
  const wait = `: > '${started}'; while ! test -e '${go}'; do sleep 0.05; done`;
  const agent = `command:echo a > a.txt; git add -A; git commit -qm own; ${wait}`;
  await using project = await openedProject(repo, { agent, validate: 'test -f a.txt', ...flags });
  const running = project.runText('beside');
  await eventually(() => existsSync(started), 'its agent works');
  await meanwhile();
  await writeFile(go, '');
  return await running;
}

describe('what a person does in their own checkout meanwhile', () => {
  it('is no tampering: commits, branches, tags, stashes, what is staged', async () => {
    await using repo = await gitRepo();
    await repo.git('branch', 'side');
    const loop = await beside(repo, {}, async () => {
      await repo.write('mine.txt', 'mine\n');
      await repo.commitAll('my own work');
      await repo.git('tag', 'v1');
      await repo.git('branch', '-D', 'side');
      await repo.git('switch', '-q', '-c', 'feature');
      await repo.write('staged.txt', 'staged\n');
      await repo.git('add', 'staged.txt');
    });
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
  });

  it('does not hide what an agent does beside it', async () => {
    await using repo = await gitRepo();
    const agent = `command:echo a > a.txt; git tag stolen; git -C ${repo.path} commit -q --allow-empty -m theirs; git config evil.key 1`;
    await using project = await openedProject(repo, { agent, validate: 'test -f a.txt' });
    const loop = await project.runText('tampers');
    expect(loop.warnings).toEqual([
      expect.stringContaining("the agent's own git did that"),
      'changed outside of the workspace: .git/config, refs/heads/main, refs/tags/stolen',
    ]);
  });

  it('is no tampering behind walls, where it cannot be the agent', async ({ skip }) => {
    const fault = findSandboxFault();
    skip(fault !== null, fault ?? '');
    await using repo = await gitRepo();
    const agent = 'command:echo a > a.txt; while ! test -e go; do sleep 0.05; done; rm go';
    await using project = await openedProject(repo, {
      agent,
      validate: 'test -f a.txt',
      sandbox: 'bubblewrap',
    });
    const running = project.runText('behind walls');
    await project.seen('agent.started');
    await repo.git('commit', '-q', '--allow-empty', '-m', 'mine');
    const id = await loopId(project);
    await writeFile(path.join(repo.path, '.loopwright/worktrees', id, 'go'), '');
    expect(await running).toMatchObject({ status: 'complete', warnings: [] });
  });

  it('sandbox: worktree knows the branches of `loop restore`', async () => {
    await using repo = await gitRepo();
    const flags = { agent: 'command:echo b > b.txt', validate: 'test -f b.txt' };
    await using project = await openedProject(repo, flags);
    const earlier = await project.runText('earlier');
    const loop = await beside(repo, { sandbox: 'worktree' }, async () => {
      const restored = await realCli(repo.path, repo.env, ['loop', 'restore', earlier.id, '1'])
        .ended;
      expect(restored.exitCode, restored.err).toBe(0);
    });
    expect(loop).toMatchObject({ status: 'complete', warnings: [] });
  });
});

describe('sandbox: bubblewrap', () => {
  it('still watches what is around: an open door is no permission', async ({ skip }) => {
    const fault = findSandboxFault();
    skip(fault !== null, fault ?? '');
    await using repo = await gitRepo();
    const home = repo.env['HOME'] ?? '';
    await appendFile(path.join(home, '.gitconfig'), '');
    await repo.write(
      'loopwright.yml',
      `sandbox: { level: bubblewrap, writable: ['${home}/.gitconfig'] }\n`,
    );
    await repo.commitAll('walls');
    const agent = `command:echo done > work.txt; echo '[core] pager = evil' >> ~/.gitconfig`;
    await using project = await openedProject(repo, { agent, validate: 'test -f work.txt' });
    const loop = await project.runText('opens the door');
    expect(loop.status).toBe('complete');
    expect(loop.warnings).toEqual([expect.stringContaining('.gitconfig')]);
  });
});
