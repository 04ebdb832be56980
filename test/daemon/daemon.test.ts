import { rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { connected, eventually, noDaemonLeft, readEvents, realDaemon } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import {
  agentStarts,
  startViolations,
  storedLoops,
  storeViolations,
} from '../support/invariants.ts';

/** Loops of three iterations; an agent waits in its second one while the file `hold` exists. */
async function project(): Promise<GitRepo & { readonly hold: string; readonly agentLog: string }> {
  const repo = await gitRepo();
  const hold = path.join(repo.outside, 'hold');
  const agentLog = path.join(repo.outside, 'agent.log');
  const agent = `
echo "$LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> '${agentLog}'
echo x >> n.txt
if [ "$LOOPWRIGHT_ITERATION" = 2 ]; then while [ -e '${hold}' ]; do sleep 0.05; done; fi
`;
  await writeFile(path.join(repo.outside, 'agent.sh'), agent);
  await repo.write(
    'loopwright.yml',
    `agent: "command:sh '${repo.outside}/agent.sh'"
validation: { command: 'test "$(wc -l < n.txt)" -ge 3' }
`,
  );
  await repo.commitAll('project');
  return Object.assign(repo, { hold, agentLog });
}

const cli = (repo: GitRepo, ...argv: readonly string[]) => realCli(repo.path, repo.env, argv).ended;

describe('the daemon', () => {
  it('is started, runs what is added, streams it, and is stopped', async () => {
    await using repo = await project();
    await using _none = noDaemonLeft(repo);
    const started = await cli(repo, 'daemon', 'start');
    expect(started.err).not.toContain('error');
    expect(started.out).toMatch(/^the daemon works in the background: process \d+, http:/);
    const file = path.join(repo.path, '.loopwright/daemon.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.join(repo.path, '.loopwright/daemon.sock'))).mode & 0o777).toBe(0o600);

    const { registration, client } = await connected(repo);
    using reader = readEvents(registration);
    await reader.until(({ event }) => event === 'hello');
    await cli(repo, 'task', 'add', 'count to three');
    const rested = await reader.until(({ data }) => data['type'] === 'loop.rested');
    expect(rested.data).toMatchObject({ status: 'complete', reason: 'verified' });
    const ids = reader.events.flatMap(({ id }) => (id === null ? [] : [Number(id)]));
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));

    const { driven, state } = await client.call('daemon');
    expect(state).toBe('running');
    expect(driven.length).toBeLessThanOrEqual(1);
    const again = await cli(repo, 'daemon', 'start');
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.out).toContain(`works already: process ${registration.pid}`);
    const second = await cli(repo, 'daemon', 'start', '--foreground');
    expect(second.exitCode).toBe(2);
    expect(second.err).toContain(`works for this repository already: process ${registration.pid}`);

    const stopped = await cli(repo, 'daemon', 'stop');
    expect(stopped.out).toBe('the daemon has ended; loops go on with the next one\n');
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    expect((await cli(repo, 'daemon', 'status')).exitCode).toBe(3);
    await reader.closed;
    expect(await storeViolations(repo)).toEqual([]);
  }, 240_000);

  it('killed with loops under way goes on with all of them, and repeats nothing', async () => {
    await using repo = await project();
    await writeFile(repo.hold, '');
    for (const title of ['one', 'two', 'three']) await cli(repo, 'task', 'add', title);
    const first = await realDaemon(repo);
    await eventually(async () => {
      const starts = await agentStarts(repo.agentLog);
      return starts.filter((line) => line.endsWith(' 2')).length === 3;
    }, 'three second iterations');
    first.child.kill('SIGKILL');
    await first.ended;
    expect((await cli(repo, 'daemon', 'status')).out).toContain('ended without a goodbye');

    await rm(repo.hold);
    const next = await realDaemon(repo);
    const { registration } = await connected(repo);
    using reader = readEvents(registration, '0');
    const ended = new Set<unknown>();
    await reader.until(({ data }) => {
      if (data['type'] === 'loop.rested') ended.add(data['loop']);
      return ended.size === 3;
    });
    next.child.kill('SIGTERM');
    expect((await next.ended).exitCode).toBe(0);

    const loops = await storedLoops(repo);
    expect(loops.map(({ loop }) => loop.status)).toEqual(['complete', 'complete', 'complete']);
    expect(startViolations(await agentStarts(repo.agentLog), loops)).toEqual([]);
    expect(await storeViolations(repo)).toEqual([]);
    for (const { loop } of loops) {
      expect(loop.iterations.map(({ status }) => status)[1]).toBe('interrupted');
    }
  }, 240_000);

  it('drains on the first signal and cuts on the second', async () => {
    await using repo = await project();
    await writeFile(repo.hold, '');
    await cli(repo, 'task', 'add', 'one');
    const daemon = await realDaemon(repo);
    const underWay = async () => (await agentStarts(repo.agentLog)).some((l) => l.endsWith(' 2'));
    await eventually(underWay, 'the second iteration');
    daemon.child.kill('SIGTERM');
    await daemon.printed((text) => text.includes('come to their end'));
    expect((await connected(repo)).health.state).toBe('draining');
    daemon.child.kill('SIGTERM');
    const { exitCode, out } = await daemon.ended;
    expect(exitCode).toBe(0);
    expect(out).toContain('cut short');
    const [stored] = await storedLoops(repo);
    expect(stored?.loop).toMatchObject({ status: 'paused', reason: 'interrupted' });
    expect(stored?.loop.iterations[1]).toMatchObject({ status: 'interrupted', counted: false });
  }, 240_000);
});
