import { cp } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { emptyRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

const examples = path.join(import.meta.dirname, '../../examples');

describe('the examples', () => {
  it('own-agent works through its plan, each task on top of the one before', async () => {
    await using repo = await emptyRepo();
    await cp(path.join(examples, 'own-agent'), repo.path, { recursive: true });
    await repo.commitAll('start');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    expect(JSON.parse((await cli.run('task', 'import', 'plan.yml', '--json')).out)).toMatchObject({
      added: 3,
    });
    const { exitCode, out } = await cli.run('run', '--json');
    expect(exitCode).toBe(0);
    const loops = JSON.parse(out).loops.map((loop: { status: string; iterations: number }) => [
      loop.status,
      loop.iterations,
    ]);
    expect(loops).toEqual([
      ['complete', 2],
      ['complete', 1],
      ['complete', 1],
    ]);
    expect(await repo.git('ls-files')).toContain('GREETING.md');
    expect(await repo.git('status', '--porcelain')).toBe('');
  });

  it('checklist is read as its text says', async () => {
    await using repo = await emptyRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode, out } = await cli.run(
      'task',
      'import',
      path.join(examples, 'checklist/plan.md'),
      '--json',
    );
    expect([exitCode, JSON.parse(out).added]).toEqual([0, 6]);
    expect(JSON.parse((await cli.run('task', 'next', '--json')).out).next.title).toBe(
      'Trailing commas',
    );
  });
});
