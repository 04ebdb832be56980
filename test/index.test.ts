import { describe, expect, it } from 'vitest';
import { run } from '../src/index.ts';
import { gitRepo } from './support/git-repo.ts';

describe('the library', () => {
  it('runs a task as the command line does and streams its events in order', async () => {
    await using repo = await gitRepo();
    const types: string[] = [];
    const sequences: number[] = [];
    const result = await run({
      cwd: repo.path,
      env: repo.env,
      text: 'write a file',
      settings: { agent: 'command:echo hello; echo x > work.txt', validate: 'test -f work.txt' },
      onEvent(event) {
        types.push(event.type);
        if (event.seq !== null) sequences.push(event.seq);
      },
    });
    expect(result).toMatchObject({
      exitCode: 0,
      loops: [{ status: 'complete', filesChanged: ['work.txt'] }],
    });
    expect(types[0]).toBe('loop.created');
    expect(types).toContain('activity');
    expect(types.at(-1)).toBe('loop.rested');
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  });

  it('cuts the loop on abort, leaves it paused, and goes on with it the next time', async () => {
    await using repo = await gitRepo();
    const controller = new AbortController();
    const settings = {
      agent: 'command:echo x >> n.txt; sleep 0.5',
      validate: 'test "$(wc -l < n.txt)" -ge 3',
    };
    const cut = await run({
      cwd: repo.path,
      env: repo.env,
      text: 'count',
      settings,
      signal: controller.signal,
      onEvent: (event) => void (event.type === 'agent.started' && controller.abort()),
    });
    expect(cut).toMatchObject({ exitCode: 130, loops: [{ status: 'paused' }] });
    const resumed = await run({ cwd: repo.path, env: repo.env, text: 'count', settings });
    expect(resumed).toMatchObject({ exitCode: 0 });
    expect(resumed.loops[0]?.loop).toBe(cut.loops[0]?.loop);
  });

  it('refuses what cannot run, with a code and a hint', async () => {
    await using repo = await gitRepo();
    const input = { cwd: repo.path, env: repo.env, text: 'x', settings: { agent: 'command:true' } };
    await expect(run(input)).rejects.toMatchObject({ code: 'run.no_validation' });
  });

  it('has nothing to do without tasks', async () => {
    await using repo = await gitRepo();
    const input = {
      cwd: repo.path,
      env: repo.env,
      settings: { agent: 'command:true', validate: 'true' },
    };
    expect(await run(input)).toEqual({ loops: [], exitCode: 3 });
  });
});
