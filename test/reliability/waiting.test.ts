import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { storedLoops } from '../support/invariants.ts';

async function project(outcome: string): Promise<GitRepo> {
  const repo = await gitRepo();
  const script = path.join(repo.outside, 'agent.yml');
  await writeFile(
    script,
    `iterations:
  - steps:
      - append: { path: starts.txt, content: "x" }
      - outcome: { ${outcome}, times: 1 }
      - write: { path: done.txt, content: x }`,
  );
  await repo.write(
    'loopwright.yml',
    `agent: 'scripted:${script}'\nvalidation: { command: test -f done.txt }\n`,
  );
  await repo.commitAll('project');
  return repo;
}

/** The real program, killed as soon as it waits. */
async function killedWhileWaiting(repo: GitRepo, argv: readonly string[]): Promise<Loop> {
  const run = realCli(repo.path, repo.env, argv);
  await run.printed((text) => / {2}waiting {4}/.test(text));
  run.child.kill('SIGKILL');
  await run.ended;
  return (await storedLoops(repo))[0]!.loop;
}

describe('a loop that waits for its provider', () => {
  it('waits for the same reset after the engine was killed, and starts no agent before it', async () => {
    await using repo = await project('kind: usage_limit, reset-in: 3h');
    const before = await killedWhileWaiting(repo, ['run', 'be patient']);
    expect(before).toMatchObject({ status: 'waiting', wait: { condition: 'usage_limit' } });
    expect(before.iterations).toHaveLength(1);

    const again = realCli(repo.path, repo.env, ['run']);
    await again.printed((text) => text.includes('usage limit'));
    again.child.kill('SIGTERM');
    const { exitCode } = await again.ended;
    expect(exitCode).toBe(130);

    const { loop, events } = (await storedLoops(repo))[0]!;
    expect(loop.status).toBe('paused');
    expect(events.filter(({ event }) => event.type === 'agent.started')).toHaveLength(1);
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]).toMatchObject({ number: 1, tries: 1, counted: false });
    expect(loop.wait?.until).toBe(before.wait?.until);
  }, 120_000);

  it('goes on in the same iteration when the time has come, and counts it once', async () => {
    await using repo = await project('kind: rate_limited, retry-after: 2s');
    const before = await killedWhileWaiting(repo, ['run', 'be patient']);
    expect(before).toMatchObject({ status: 'waiting', wait: { condition: 'rate_limit' } });

    const { exitCode } = await realCli(repo.path, repo.env, ['run']).ended;
    expect(exitCode).toBe(0);
    const { loop } = (await storedLoops(repo))[0]!;
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(1);
    expect(loop.iterations[0]).toMatchObject({ number: 1, counted: true });
  }, 120_000);
});
