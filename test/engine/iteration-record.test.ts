import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, test } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { loopDetail } from '../../src/protocol/loop-detail.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

/** A scripted agent, as flags. */
async function scripted(repo: GitRepo, iterations: readonly object[]): Promise<{ agent: string }> {
  const file = path.join(repo.outside, 'script.json');
  await writeFile(file, JSON.stringify({ iterations }));
  return { agent: `scripted:${file}` };
}

async function promptOf({ engine }: TestProject, loop: Loop, number: number): Promise<string> {
  const dir = await engine.artifacts.iterationDir(loop.id, number);
  return readFile(path.join(dir, 'prompt.md'), 'utf8');
}

const write = (name: string, content = 'x\n') => ({ write: { path: name, content } });
const fail = (kind: string) => ({ outcome: { kind } });

describe('a limit that ended an agent', () => {
  test.each([
    ['max_turns', 'at the turn limit of 7 turns'],
    ['max_tokens', 'at the token limit of an answer'],
    ['context_full', 'because its context was full'],
  ])('%s is told to the next iteration', async (kind, text) => {
    await using repo = await gitRepo();
    const flags = await scripted(repo, [
      { steps: [write('a.txt'), fail(kind)] },
      { steps: [write('done.txt')] },
    ]);
    await using project = await openedProject(repo, {
      ...flags,
      validate: 'test -f done.txt',
      memory: 'off',
      'max-turns-per-iteration': '7',
    });
    const loop = await project.runText('work');
    expect(loop.iterations.map(({ agent }) => agent?.kind)).toEqual([kind, 'done']);
    expect(await promptOf(project, loop, 1)).not.toContain('was ended');
    const prompt = await promptOf(project, loop, 2);
    expect(prompt).toContain(`The agent of the last iteration was ended ${text}`);
  });

  it('is told once, however often agents do nothing after it', async () => {
    await using repo = await gitRepo();
    const flags = await scripted(repo, [
      { steps: [fail('timeout')] },
      { steps: [fail('timeout')] },
      { steps: [fail('timeout')] },
      { steps: [write('done.txt')] },
    ]);
    await using project = await openedProject(repo, {
      ...flags,
      validate: 'echo MARK; test -f done.txt',
      'error-backoff': '1ms',
    });
    const loop = await project.runText('work');
    expect(loop.status).toBe('complete');
    const prompt = await promptOf(project, loop, 4);
    expect(
      prompt.split('The agent of the last iteration was ended at its time limit'),
    ).toHaveLength(2);
  });
});

test('a cause is kept in the tables and the prompt, also when files changed', async () => {
  await using repo = await gitRepo();
  const flags = await scripted(repo, [
    { steps: [write('a.txt'), fail('crashed')] },
    { steps: [write('b.txt'), fail('timeout')] },
    { steps: [write('c.txt'), fail('refused')] },
    { steps: [write('done.txt')] },
  ]);
  await using project = await openedProject(repo, {
    ...flags,
    validate: 'echo "AssertionError: no"; test -f done.txt',
    'error-backoff': '1ms',
    'no-progress-limit': '0',
  });
  const loop = await project.runText('work');
  expect(loop.status).toBe('complete');
  const prompt = await promptOf(project, loop, 4);
  using database = new DatabaseSync(path.join(repo.path, '.loopwright/state.db'), {
    readOnly: true,
  });
  const column = (table: string, name: string) =>
    database
      .prepare(`select ${name} as value from ${table} order by attempt_number`)
      .all()
      .map((row) => row['value']);
  expect(column('iteration_outcomes', 'error_type')).toEqual([
    'crashed',
    'timeout',
    'refused',
    null,
  ]);
  expect(column('failure_reports', 'error_category')).toEqual(['crashed', 'timeout', 'refused']);
  for (const cause of ['crashed', 'timeout', 'refused']) {
    expect(prompt).toContain(`- **Error type:** ${cause}`);
  }
  expect(prompt).toMatch(/\*\*Why it failed:\*\* the agent crashed.*check validation: exit code 1/);
});

test('a crash does not use up what the failing checks say', async () => {
  await using repo = await gitRepo();
  const flags = await scripted(repo, [
    { steps: [write('a.txt')] },
    { steps: [fail('crashed')] },
    { steps: [fail('crashed')] },
    { steps: [write('done.txt')] },
  ]);
  await using project = await openedProject(repo, {
    ...flags,
    validate: 'ls; echo MARK; test -f done.txt',
    'error-backoff': '1ms',
    memory: 'off',
  });
  const loop = await project.runText('work');
  const feedback = async (number: number) =>
    (await promptOf(project, loop, number)).split('L1/validation').slice(1).join();
  expect(await feedback(2)).toContain('a.txt');
  expect(await feedback(4)).toBe(await feedback(2));
});

test('whether the files differ from the base is known, whatever the checks say', async () => {
  await using repo = await gitRepo();
  const flags = await scripted(repo, [
    { steps: [] },
    { steps: [write('a.txt')] },
    { steps: [write('done.txt')] },
  ]);
  await using project = await openedProject(repo, { ...flags, validate: 'test -f done.txt' });
  const loop = await project.runText('work');
  expect(loop.iterations.map(({ differsFromBase }) => differsFromBase)).toEqual([
    false,
    true,
    true,
  ]);
});

describe('the first prompt on a green base', () => {
  const command = `test -f file.txt ${'&& true '.repeat(30)}`.trim();
  test.each([
    [{}, 'already pass on the base, so passing them again proves nothing'],
    [{ proof: 'off' }, 'already pass on the base, and must pass with your work'],
    [{ confirm: 'off' }, 'already pass on the base, and must pass with your work'],
    [{ baseline: 'skip' }, 'were not run on the base'],
  ])('names the check command with %o', async (more, text) => {
    await using repo = await gitRepo();
    await repo.write('file.txt', '');
    await repo.commitAll('green');
    const flags = await scripted(repo, [{ steps: [] }]);
    await using project = await openedProject(repo, {
      ...flags,
      ...more,
      validate: command,
      'max-iterations': '1',
    });
    const loop = await project.runText('work');
    const prompt = await promptOf(project, loop, 1);
    expect(prompt).toContain(text);
    expect(prompt).toContain(`\`${command}\``);
  });
});

describe('verify.track-file-changes: false', () => {
  it('records how many files changed, without their names and without a patch', async () => {
    await using repo = await gitRepo();
    const flags = await scripted(repo, [
      { steps: [write('a.txt'), write('b.txt')] },
      { steps: [write('c.txt'), fail('crashed')] },
      { steps: [write('done.txt')] },
    ]);
    await using project = await openedProject(repo, {
      ...flags,
      validate: 'test -f done.txt',
      'track-file-changes': 'off',
      'error-backoff': '1ms',
    });
    const loop = await project.runText('work');
    expect(loop.status).toBe('complete');
    expect(loop.iterations.map(({ changes }) => changes)).toMatchObject([
      { created: [], modified: [], deleted: [], renamed: [], lines: 2, untracked: 2 },
      { created: [], untracked: 1 },
      { created: [], untracked: 1 },
    ]);
    // What crashed had changed something: its files were judged.
    expect(loop.iterations[1]?.report?.overall.passed).toBe(false);
    const progress = loop.iterations.map(({ decision }) => decision?.inputs.progress?.progress);
    expect(progress).toEqual([true, true, true]);
    expect(loopDetail(loop, []).iterations.flatMap(({ filesCreated }) => filesCreated)).toEqual([]);
    const dir = await project.engine.artifacts.iterationDir(loop.id, 1);
    await expect(readFile(path.join(dir, 'changes.patch'))).rejects.toThrow('ENOENT');
    expect(await promptOf(project, loop, 2)).toContain('2 (names not recorded)');
  });

  it('lets nothing past that judges by names', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'verify: {track-file-changes: false}\n');
    await repo.commitAll('config');
    const flags = await scripted(repo, [
      { steps: [write('.env', 'A=1\n'), write('done.txt')] },
      { steps: [{ run: 'rm .env' }, write('more.txt')] },
    ]);
    await using project = await openedProject(repo, { ...flags, validate: 'test -f done.txt' });
    const loop = await project.runText('work');
    const [first, second] = loop.iterations;
    expect(first?.report?.levels.L0?.passed).toBe(false);
    expect(second?.report?.overall.passed).toBe(true);
  });

  it('still asks a person about very many files', async () => {
    await using repo = await gitRepo();
    const many = Array.from({ length: 4 }, (_, index) => write(`f${index}.txt`));
    const flags = await scripted(repo, [{ steps: many }]);
    await repo.write('loopwright.yml', 'mode: {max-changed-files: 3}\n');
    await repo.commitAll('config');
    await using project = await openedProject(repo, {
      ...flags,
      validate: 'test -f f3.txt',
      'track-file-changes': 'off',
    });
    const loop = await project.runText('work');
    expect(loop).toMatchObject({ status: 'blocked', reason: 'approval' });
    expect(loop.text).toContain('changed 4 files');
  });
});
