import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

/** Writes into everything a check could: a file of the base, one of the agent, a new one, an ignored one, a deleted one. */
const check = [
  'grep -q checked README.md && echo seen-readme >> "$SEEN"',
  'test -e report.xml && echo seen-report >> "$SEEN"',
  'test -e gone.txt || echo seen-gone >> "$SEEN"',
  'test -e cache/x && echo seen-cache >> "$SEEN"',
  'echo checked >> README.md; echo checked >> work.txt; echo x > report.xml; rm -f gone.txt',
  'mkdir -p cache; echo x > cache/x',
  'test -f done',
].join('\n');

async function prepared(repo: GitRepo): Promise<string> {
  const seen = path.join(repo.outside, 'seen');
  await writeFile(seen, '');
  await repo.write('README.md', 'text\n');
  await repo.write('gone.txt', 'here\n');
  await repo.write('.gitignore', 'cache/\n');
  await repo.write('check.sh', check);
  await repo.write(
    'loopwright.yml',
    `validation: {command: "sh check.sh"}\nverify: {product: [done], confirm: off}\nenv: {set: {SEEN: ${JSON.stringify(seen)}}}\n`,
  );
  await repo.commitAll('start');
  return seen;
}

const agent = `command:cat README.md >> ../../../../seen-by-agent; echo $LOOPWRIGHT_ITERATION >> work.txt; test $LOOPWRIGHT_ITERATION -lt 3 || touch done`;

const lines = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter(Boolean);

describe('what a check writes into the worktree', () => {
  it('does not mean that it made a program executable', async () => {
    await using repo = await gitRepo();
    await repo.write('tool', '#!/bin/sh\nexit 1\n');
    await repo.write('check.sh', 'test -e "$SEEN" || chmod +x tool; touch "$SEEN"; ./tool\n');
    const seen = JSON.stringify(path.join(repo.outside, 'seen'));
    const settings = `validation: {command: "sh check.sh"}\nenv: {set: {SEEN: ${seen}}}\n`;
    await repo.write('loopwright.yml', `${settings}verify: {confirm: off}\n`);
    await repo.commitAll('start');
    const fix = 'command:sed -i "s/exit 1/exit 0/" tool';
    await using project = await openedProject(repo, { agent: fix, 'max-iterations': 1 });
    expect((await project.runText('fix the tool')).status).toBe('complete');
  });

  it('is put back before the next verification, and is in no commit', async () => {
    await using repo = await gitRepo();
    const seen = await prepared(repo);
    await using project = await openedProject(repo, { agent, 'max-iterations': 5 });
    const loop = await project.runText('count');
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(3);
    // Ignored files stay: they are what makes the next run fast.
    expect([...new Set(await lines(seen))]).toEqual(['seen-cache']);
    const at = (file: string) => repo.git('show', `${loop.head ?? ''}:${file}`);
    expect(await at('README.md')).toBe('text');
    expect(await at('work.txt')).toBe('1\n2\n3');
    expect(await at('gone.txt')).toBe('here');
    const files = await repo.git('ls-tree', '-r', '--name-only', loop.head ?? '');
    expect(files).not.toContain('report.xml');
    expect(loop.iterations.map(({ changes }) => changes?.modified)).toEqual([
      [],
      ['work.txt'],
      ['work.txt'],
    ]);
    expect(loop.warnings.join('\n')).toContain('the checks changed files of the work');
  });

  it('is put back when the loop comes to rest, and by a post-iteration hook nothing is lost', async () => {
    await using repo = await gitRepo();
    const seen = await prepared(repo);
    const hook = 'echo note > hook.txt';
    await repo.write(
      'loopwright.yml',
      `${await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8')}hooks: {post-iteration: [{command: ${JSON.stringify(hook)}}]}\n`,
    );
    await repo.commitAll('hook');
    await using project = await openedProject(repo, { agent, 'max-iterations': 2 });
    const loop = await project.runText('count');
    expect(loop.status).toBe('failed');
    const read = (file: string) => readFile(path.join(loop.workspace.path, file), 'utf8');
    expect(await read('README.md')).toBe('text\n');
    expect(await read('work.txt')).toBe('1\n2\n');
    expect(await read('hook.txt')).toBe('note\n');
    expect(existsSync(path.join(loop.workspace.path, 'report.xml'))).toBe(false);
    expect([...new Set(await lines(seen))]).toEqual(['seen-cache']);
  });

  it('leaves what a person changed meanwhile', async () => {
    await using repo = await gitRepo();
    await prepared(repo);
    await using project = await openedProject(repo, { agent, 'max-iterations': 1 });
    const loop = await project.runText('count');
    const mine = path.join(loop.workspace.path, 'README.md');
    await writeFile(mine, 'of a person\n');
    const more = ['loop', 'resume', loop.id, '--max-iterations', '2', '--agent', agent];
    const { exitCode } = await realCli(repo.path, repo.env, more).ended;
    expect(exitCode).toBe(1);
    expect(await readFile(mine, 'utf8')).toMatch(/^of a person\n/);
  });

  it('in the user’s own checkout only files as committed are put back, and nothing is deleted', async () => {
    await using repo = await gitRepo();
    await prepared(repo);
    await using project = await openedProject(repo, { agent, 'max-iterations': 2 });
    const loop = await project.runText('count', { inPlace: true });
    expect(loop.workspace.mode).toBe('in-place');
    const read = (file: string) => readFile(path.join(repo.path, file), 'utf8');
    expect(await read('README.md')).toBe('text\n');
    expect(await read('report.xml')).toBe('x\n');
    expect(await read('gone.txt')).toBe('here\n');
  });

  it.each([
    'before:put-back:1',
    'after:put-back:1',
    'after:run-check:2',
    'after:verification.ended:1',
  ])('is put back by the next engine when the first was killed at %s', async (point) => {
    await using repo = await gitRepo();
    const seen = await prepared(repo);
    const run = ['run', 'count', '--agent', agent, '--max-iterations', '6'];
    const first = realCli(repo.path, { ...repo.env, LOOPWRIGHT_FAIL_AT: `${point}:kill` }, run);
    await first.ended;
    expect(first.child.signalCode).toBe('SIGKILL');
    const then = await realCli(repo.path, repo.env, ['run', '--agent', agent, '--json']).ended;
    expect(then.exitCode, then.out + then.err).toBe(0);
    expect([...new Set(await lines(seen))].filter((line) => line !== 'seen-cache')).toEqual([]);
    const branch = (
      await repo.git('branch', '--list', 'loopwright/*', '--format=%(refname)')
    ).trim();
    expect(await repo.git('show', `${branch}:README.md`)).toBe('text');
    expect(await repo.git('show', `${branch}:work.txt`)).not.toContain('checked');
  });
});
