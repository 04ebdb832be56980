import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { callingLoop } from '../../src/cli/calling-loop.ts';
import { gitRepo } from '../support/git-repo.ts';
import { tempDir } from '../support/temp-dir.ts';
import { memoryCli } from './memory-cli.ts';

const entry = path.join(import.meta.dirname, '../../bin/loopwright.cjs');
const ours = `"${process.execPath}" "${entry}"`;

test.each([
  ['a person', '/work/project', {}, null],
  ['a program of a loop', '/work', { LOOPWRIGHT_LOOP: 'loop-00000001' }, ['loop-00000001', null]],
  ['no loop, said emptily', '/work', { LOOPWRIGHT_LOOP: '' }, null],
  [
    'whoever works in its worktree',
    '/work/project/.loopwright/worktrees/loop-00000001/src',
    {},
    ['loop-00000001', '/work/project'],
  ],
  ['whoever works in a worktree elsewhere', '/trees/loop-00000001', {}, ['loop-00000001', null]],
  ['a folder with a similar name', '/trees/loop-00000001-old/loop', {}, null],
])('%s calls', (_, cwd, env, expected) => {
  const loop = callingLoop({ cwd, env });
  expect(loop === null ? null : [loop.id, loop.root]).toEqual(expected);
});

describe('an agent that calls loopwright itself', () => {
  it('teaches candidates of its loop, from anywhere, and decides nothing about memory', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    await cli.run('memory', 'add', 'A person said so.');
    const agent = [
      'command:echo x >> work.txt',
      `env -u LOOPWRIGHT_LOOP ${ours} memory add "From the worktree." --tags counter`,
      'cd ../../..',
      `${ours} memory add "From the project."`,
      `${ours} memory reset --yes 2>&1`,
    ].join('; ');
    const flags = ['--agent', agent, '--validate', 'test -f work.txt', '--json'];
    const ran = JSON.parse((await cli.run('run', 'raise the counter', ...flags)).out);
    const said = await cli.run('logs', ran.loop);
    expect(said.out).toContain(`is not for agents, and this is inside ${ran.loop}`);
    const { learnings } = JSON.parse((await cli.run('memory', 'list', '--json')).out);
    const taught = learnings.filter(({ loop }: { loop: string | null }) => loop === ran.loop);
    expect(taught.map(({ content }: { content: string }) => content).toSorted()).toEqual([
      'From the project.',
      'From the worktree.',
    ]);
    for (const learning of taught) {
      expect(learning).toMatchObject({
        status: 'candidate',
        byHand: false,
        origin: 'agent',
        task: ran.task,
        iteration: 1,
      });
    }
    await cli.run('memory', 'forget', '--loop', ran.loop);
    const left = JSON.parse((await cli.run('memory', 'list', '--json')).out).learnings;
    expect(left).toMatchObject([{ content: 'A person said so.', status: 'active' }]);
  });

  it.each([
    ['reset', '--yes'],
    ['forget', '--loop', 'last'],
    ['prune'],
    ['edit', 'l-', '--status', 'active'],
    ['import', 'x'],
  ])('is refused memory %s', async (...words) => {
    await using dir = await tempDir();
    const env = { HOME: dir.path, LOOPWRIGHT_LOOP: 'loop-00000001' };
    const { exitCode, err } = await memoryCli({ cwd: dir.path, env }).run('memory', ...words);
    expect(exitCode).toBe(3);
    expect(err).toContain('is not for agents');
  });

  it('is refused when its loop is not of this project', async () => {
    await using dir = await tempDir();
    const env = { HOME: dir.path, LOOPWRIGHT_LOOP: 'loop-00000001' };
    const { exitCode, err } = await memoryCli({ cwd: dir.path, env }).run('memory', 'add', 'x');
    expect(exitCode).toBe(3);
    expect(err).toContain('this is inside loop-00000001, which is no loop here');
  });
});
