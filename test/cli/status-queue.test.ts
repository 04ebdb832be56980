import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { Overview } from '../../src/protocol/overview.ts';
import { gitRepo } from '../support/git-repo.ts';
import { realCli } from './real-cli.ts';

const slow = { timeout: 40_000, interval: 300 };

it('status beside a foreground run tells who waits for a place, why, and the statistics', async () => {
  await using repo = await gitRepo();
  const hold = path.join(repo.outside, 'hold');
  await writeFile(hold, '');
  await repo.write(
    'loopwright.yml',
    `agent: "command:while [ -e '${hold}' ]; do sleep 0.1; done; echo x >> n.txt"
validation: { command: 'test "$(wc -l < n.txt)" -ge 1' }
`,
  );
  await repo.commitAll('project');
  const cli = async (...words: readonly string[]) =>
    (await realCli(repo.path, repo.env, words).ended).out;
  const ids: string[] = [];
  for (const priority of ['critical', 'low', 'high']) {
    const made: { readonly id: string } = JSON.parse(
      await cli('task', 'add', priority, '--priority', priority, '--json'),
    );
    ids.push(made.id);
  }
  const [critical = '', low = '', high = ''] = ids;
  const run = realCli(repo.path, repo.env, ['run']);
  const status = async () => Overview().parse(JSON.parse(await cli('status', '--json')));
  await expect.poll(async () => (await status()).queues[0]?.waiting.length, slow).toBe(2);
  const { queues, active } = await status();
  expect(active.map(({ task }) => task)).toEqual([critical]);
  const [queue] = queues;
  expect(queue).toMatchObject({ kind: 'run', pid: run.child.pid, held: { loop: 1, agent: 1 } });
  expect(queue?.waiting).toMatchObject([
    { kind: 'loop', id: high, position: 1, reason: 'the one loop slot is in use' },
    { kind: 'loop', id: low, position: 2, reason: 'the one loop slot is in use' },
  ]);
  expect(queue?.statistics).toMatchObject({ peaks: { loop: 1, agent: 1 }, rejected: 0 });
  const shown = await cli('status');
  expect(shown).toContain('waits for a place: the one loop slot is in use · number 1 in line');
  expect(shown).toContain(`process ${run.child.pid}: 1 of 1 loop, 1 of 1 agent`);
  await rm(hold);
  expect((await run.ended).exitCode).toBe(0);
  expect((await status()).queues).toEqual([]);
}, 120_000);

it('a queue that a killed run has left is not shown', async () => {
  await using repo = await gitRepo();
  await repo.write(
    'loopwright.yml',
    'agent: "command:sleep 600"\nvalidation: { command: "false" }\n',
  );
  await repo.commitAll('project');
  const run = realCli(repo.path, repo.env, ['run', 'wait']);
  const status = async () => {
    const { out } = await realCli(repo.path, repo.env, ['status', '--json']).ended;
    return Overview().parse(JSON.parse(out)).queues.length;
  };
  await expect.poll(status, slow).toBe(1);
  run.child.kill('SIGKILL');
  await run.ended;
  expect(await status()).toBe(0);
}, 120_000);
