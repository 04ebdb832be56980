import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { findSandboxFault } from '../../src/adapters/process/sandbox.ts';
import { changedPaths } from '../../src/core/loop/changes.ts';
import type { Loop } from '../../src/core/loop/loop.ts';
import { guideLoop } from '../../src/engine/guide-loop.ts';
import { sendMessage } from '../../src/engine/send-message.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const fault = findSandboxFault();

const prompt = ({ engine }: TestProject, loop: Loop, number = 1) =>
  readFile(
    path.join(engine.artifacts.loopDir(loop.id), `iterations/00${number}/prompt.md`),
    'utf8',
  );

const long = (end: string) => `First line.\n${'More words. '.repeat(1500)}\n${end}`;

/** A type with one input that is too long for a prompt. */
async function typeWithInput(repo: GitRepo): Promise<void> {
  const template = 'Read: {{spec}} {{memory}}{{progress}}{{feedback}}{{guidance}}';
  const input = JSON.stringify([{ name: 'spec', default: long('END OF SPEC') }]);
  await repo.write(
    'loopwright/types/mine.yml',
    `prompt-template: '${template}'\ninputs: ${input}\n`,
  );
  await repo.commitAll('type');
}

async function typedTask({ engine }: TestProject): Promise<string> {
  const fields = { title: 'do it', description: '', type: 'mine' };
  const task = await engine.store.write((tx) => tx.tasks.add(engine.ids.task(), fields, 1));
  return task.id;
}

async function runTyped(project: TestProject): Promise<Loop> {
  const [loop] = await project.runTask(await typedTask(project));
  return loop!;
}

/** As a person would go on with a loop that has used its iterations. */
async function goOn(repo: GitRepo, { engine }: TestProject, id: string): Promise<Loop> {
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  await cli.run('loop', 'resume', id, '--max-iterations', '3');
  return (await engine.store.read((tx) => tx.loops.get(id)))!;
}

describe('an input that is too long for the prompt', () => {
  it('is a file the agent can read, and git add -A does not take it', async () => {
    await using repo = await gitRepo();
    await typeWithInput(repo);
    const file = '.loopwright/inputs/input-spec.md';
    await using project = await openedProject(repo, {
      agent: `command:tail -n 1 ${file} > last.txt; git add -A; git commit -qm mine; git status --porcelain > ../status-seen.txt`,
      validate: 'grep -q "OF SPEC" last.txt',
    });
    const loop = await runTyped(project);
    expect(loop.text).not.toBeNull();
    expect(loop.status).toBe('complete');
    const text = await prompt(project, loop);
    expect(text).toContain(`stands in the file \`${file}\` of your working folder`);
    expect(text).toContain('First line.');
    expect(text).not.toContain('END OF SPEC');
    expect(await repo.git('ls-tree', '-r', '--name-only', loop.workspace.branch ?? '')).toBe(
      ['README.md', 'last.txt', 'loopwright/types/mine.yml', 'src/app.js'].join('\n'),
    );
    expect(changedPaths(loop.iterations[0]!.changes!)).toEqual(['last.txt']);
    expect(loop.warnings).toEqual([]);
  });

  it('is there again when an agent has put a link in its place, or the worktree is gone', async () => {
    await using repo = await gitRepo();
    await typeWithInput(repo);
    const agent = [
      'tail -n 1 .loopwright/inputs/input-spec.md >> ends.txt',
      `rm -rf .loopwright; ln -s ${repo.outside} .loopwright`,
    ].join('; ');
    const flags = { agent: `command:${agent}`, validate: 'test "$(wc -l < ends.txt)" -ge 3' };
    await using project = await openedProject(repo, { ...flags, 'max-iterations': 2 });
    const loop = await runTyped(project);
    expect(loop.iterations).toHaveLength(2);
    await rm(loop.workspace.path, { recursive: true });
    const resumed = await goOn(repo, project, loop.id);
    expect(resumed.status).toBe('complete');
    expect(await readdir(repo.outside)).toEqual([]);
    expect(existsSync(loop.workspace.path)).toBe(false);
  });

  it('is in no commit of the loop, also when the agent adds it by force', async () => {
    await using repo = await gitRepo();
    await typeWithInput(repo);
    await using project = await openedProject(repo, {
      agent:
        'command:rm .loopwright/inputs/.gitignore; echo x >> n.txt; git add -A; git commit -qm mine; echo y > .loopwright/more; git add -A -f; git commit -qm more',
      validate: 'test "$(wc -l < n.txt)" -ge 2',
    });
    const loop = await runTyped(project);
    expect(loop.status).toBe('complete');
    const branch = loop.workspace.branch ?? '';
    const named = await repo.git('log', '--format=', '--name-only', branch);
    expect(named).toContain('n.txt');
    expect(named).not.toContain('.loopwright');
    expect(loop.iterations.map(({ changes }) => changedPaths(changes!))).toEqual([
      ['n.txt'],
      ['n.txt'],
    ]);
  });

  it.each([
    ['the folder above', 'rm -rf .loopwright; echo file > .loopwright'],
    ['its folder', 'rm -rf .loopwright/inputs; echo file > .loopwright/inputs'],
    ['it', 'cd .loopwright/inputs; rm input-spec.md; mkdir -p input-spec.md/deep'],
  ])('is there again when an agent has put something else in place of %s', async (_, spoil) => {
    await using repo = await gitRepo();
    await typeWithInput(repo);
    const agent = `tail -n 1 .loopwright/inputs/input-spec.md >> ends.txt; (${spoil})`;
    await using project = await openedProject(repo, {
      agent: `command:${agent}`,
      validate: 'test "$(grep -c "OF SPEC" ends.txt)" -ge 2',
    });
    const loop = await runTyped(project);
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(2);
  });

  it('is gone from the checkout after an agent that worked in it', async () => {
    await using repo = await gitRepo();
    await typeWithInput(repo);
    await using project = await openedProject(repo, {});
    const agent = 'command:tail -n 1 .loopwright/inputs/input-spec.md > last.txt';
    const flags = ['--in-place', '--agent', agent, '--validate', 'grep -q "OF SPEC" last.txt'];
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode } = await cli.run('run', await typedTask(project), ...flags);
    expect(exitCode).toBe(0);
    expect(existsSync(path.join(repo.path, '.loopwright/inputs'))).toBe(false);
    expect(await repo.git('ls-tree', '-r', '--name-only', 'HEAD')).not.toContain('.loopwright');
  });

  it.each(['in place', 'outside git'])(
    'is seen by a sandboxed agent %s, beside nothing else of the state, and is gone afterwards',
    async (where) => {
      await using repo = await gitRepo();
      await typeWithInput(repo);
      if (where === 'outside git') await rm(path.join(repo.path, '.git'), { recursive: true });
      await using project = await openedProject(repo, {});
      const agent =
        'tail -n 1 .loopwright/inputs/input-spec.md > last.txt; ls .loopwright > ls.txt';
      const check = 'grep -q "OF SPEC" last.txt && ! grep -q state.db ls.txt';
      const walls = fault === null ? ['--sandbox', 'bubblewrap'] : [];
      const cli = memoryCli({ cwd: repo.path, env: repo.env });
      const { exitCode, out, err } = await cli.run(
        'run',
        await typedTask(project),
        '--agent',
        `command:${agent}`,
        '--validate',
        fault === null ? check : 'grep -q "OF SPEC" last.txt',
        ...walls,
        '--max-iterations',
        '1',
        ...(where === 'in place' ? ['--in-place'] : []),
      );
      expect(exitCode, out + err).toBe(0);
      expect(existsSync(path.join(repo.path, '.loopwright/inputs'))).toBe(false);
    },
  );
});

describe('guidance and shares that are too long', () => {
  it('are files too, whole, and later prompts name the guidance again', async () => {
    await using repo = await gitRepo();
    const agent =
      'cat .loopwright/inputs/*.md 2>/dev/null | grep -h "^END" >> ends.txt; echo x >> n.txt';
    const flags = { agent: `command:${agent}`, validate: 'test "$(wc -l < n.txt)" -ge 3' };
    await using project = await openedProject(repo, { ...flags, 'max-iterations': 1 });
    const loop = await project.runText('count');
    const { engine } = project;
    await guideLoop(engine, loop, long('END OF GUIDANCE'));
    for (const body of ['the port is 8080', long('END OF SHARE'), 'z'.repeat(1990)]) {
      await sendMessage(engine, { kind: 'share', sender: null, to: loop.id, body });
    }
    const done = await goOn(repo, project, loop.id);
    expect(done.status).toBe('complete');
    const [second, third] = [await prompt(project, done, 2), await prompt(project, done, 3)];
    expect(second).toContain('the port is 8080');
    expect(second).toContain('`.loopwright/inputs/guidance-1.md`');
    expect(second).toContain('2 more of these (');
    expect(second).toContain('`.loopwright/inputs/shared-2.md`');
    expect(third).toContain('`.loopwright/inputs/guidance-1.md`');
    expect(third).not.toContain('shared-');
    const ends = await repo.git('show', `${done.workspace.branch}:ends.txt`);
    expect(ends.split('\n').slice(0, 2).toSorted()).toEqual(['END OF GUIDANCE', 'END OF SHARE']);
  });
});
