import { realpathSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { livingIn } from '../../../process/fixture.ts';
import { worktree } from '../worktree.ts';

describe('bash', () => {
  test.each([
    ['echo out; echo err >&2', 'out\nerr\n\n(exit code 0)', false],
    ['exit 7', '(no output)\n(exit code 7)', true],
    ['kill -9 $$', '(no output)\n(killed by SIGKILL)', true],
    ['cat', '(no output)\n(exit code 0)', false],
    ['printf "\\377\\n"', '\uFFFD\n\n(exit code 0)', false],
  ])('%s', async (command, text, isError) => {
    await using tree = await worktree();
    expect(await tree.output('bash', { command })).toEqual({ text, isError });
  });

  test('starts in the worktree each time, without keys and with nobody to page', async () => {
    await using tree = await worktree();
    await tree.call('bash', { command: 'cd /' });
    const answer = await tree.call('bash', { command: 'pwd; echo "$PAGER $GIT_TERMINAL_PROMPT"' });
    expect(answer).toBe(`${realpathSync(tree.folder)}\ncat 0\n\n(exit code 0)`);
  });

  test('keeps 30 000 characters of long output, the beginning and the end', async () => {
    await using tree = await worktree();
    const answer = await tree.call('bash', { command: 'seq 1 3000000' });
    expect(answer.length).toBeLessThan(30_200);
    expect(answer.startsWith('1\n2\n3\n')).toBe(true);
    expect(answer).toContain('characters left out');
    expect(answer).toContain('\n3000000\n');
  });

  test('ends at its time limit with everything it started', async () => {
    await using tree = await worktree();
    const command = 'echo begun; setsid sleep 300 & (trap "" TERM; sleep 300) & sleep 300';
    const output = await tree.output('bash', { command, timeout_seconds: 1 });
    expect(output).toEqual({ text: 'begun\n\n(ended after 1 s, the time limit)', isError: true });
    expect(livingIn(tree.folder)).toEqual([]);
  });

  test('leaves nothing in the background, and does not wait for it', async () => {
    await using tree = await worktree();
    const command = 'nohup sleep 300 & setsid -f sleep 300; echo left';
    expect(await tree.call('bash', { command })).toContain('left\n');
    expect(livingIn(tree.folder)).toEqual([]);
  });

  test.each([0, 601, -1, '10'])('refuses %s as a time limit', async (seconds) => {
    await using tree = await worktree();
    const answer = await tree.call('bash', { command: 'true', timeout_seconds: seconds });
    expect(answer).toContain('refused: the input does not fit');
  });

  test('is cut short when the agent is told to stop', async () => {
    await using tree = await worktree();
    const stop = new AbortController();
    const running = tree.output('bash', { command: 'touch begun; sleep 300' }, stop.signal);
    stop.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
    expect(livingIn(tree.folder)).toEqual([]);
  });
});

test('todo gives the list back', async () => {
  await using tree = await worktree();
  const items = [
    { text: 'read' },
    { text: 'write', status: 'in_progress' },
    { text: 'x', status: 'done' },
  ];
  expect(await tree.call('todo', { items })).toBe('[ ] read\n[~] write\n[x] x\n(2 of 3 to do)');
  const many = Array.from({ length: 51 }, () => ({ text: 'x' }));
  expect(await tree.call('todo', { items: many })).toContain('refused');
});

test('what is surely destructive is refused before anything of it runs', async () => {
  await using tree = await worktree();
  const answer = await tree.call('bash', { command: 'touch ran; sudo true' });
  expect(answer).toContain('refused: The command was refused and nothing of it has run: `sudo`');
  expect(await tree.call('bash', { command: 'ls' })).toContain('(no output)');
});
