import { expect, it } from 'vitest';
import { memoryCli } from '../cli/memory-cli.ts';
import { connected, readEvents, servedDaemon } from '../support/daemon.ts';
import { gitRepo } from '../support/git-repo.ts';

it('a reader gets only the types of events it asks for, from the daemon and from `events`', async () => {
  await using repo = await gitRepo();
  await repo.write(
    'loopwright.yml',
    'agent: "command:echo x > n.txt"\nvalidation: { command: test -f n.txt }\n',
  );
  await repo.commitAll('project');
  await using daemon = await servedDaemon(repo);
  using reader = readEvents(daemon.registration, null, '?types=iteration.started,loop.rested');
  await reader.until(({ event }) => event === 'hello');
  const { client } = await connected(repo);
  await client.call('addTask', { body: { title: 'write' } });
  const types: unknown[] = [];
  await reader.until(({ event, data }) => {
    if (event !== 'hello') types.push(data['type']);
    return data['type'] === 'loop.rested';
  });
  expect([...new Set(types)]).toEqual(['iteration.started', 'loop.rested']);
  const cli = memoryCli({ cwd: repo.path, env: { ...repo.env } });
  const { out } = await cli.run(
    'events',
    'last',
    '--type',
    'loop.rested',
    '--type',
    'loop.started',
  );
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).type);
  expect(lines).toEqual(['loop.started', 'loop.rested']);
});
