import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

type Obstacle = {
  readonly what: string;
  readonly put: (repo: GitRepo) => Promise<void>;
  readonly take: (repo: GitRepo) => Promise<void>;
};

const obstacles: readonly Obstacle[] = [
  {
    what: 'a lock of the user’s git',
    put: (repo) => writeFile(path.join(repo.path, '.git/index.lock'), ''),
    take: (repo) => rm(path.join(repo.path, '.git/index.lock')),
  },
  {
    what: 'an edit that is not committed',
    put: (repo) => repo.write('README.md', 'edited\n'),
    take: async (repo) => void (await repo.git('checkout', '--', 'README.md')),
  },
];

describe('a complete loop that could not be merged', () => {
  it.each(obstacles)(
    'is merged by the next run when $what is gone, and stays blocked while it is not',
    async ({ put, take }) => {
      await using repo = await gitRepo();
      await repo.write(
        'loopwright.yml',
        'agent: "command:echo done > $LOOPWRIGHT_TASK.txt"\nvalidation: { command: "ls t-*.txt" }\ngit: { merge: local }\n',
      );
      await repo.commitAll('project');
      const cli = memoryCli({ cwd: repo.path, env: repo.env });
      for (const title of ['first', 'second']) await cli.run('task', 'add', title);
      await put(repo);
      const blocked = await cli.run('run', '--jobs', '2');
      expect(blocked.exitCode, blocked.err).toBe(2);
      const still = await cli.run('run');
      expect(still.exitCode, still.err).toBe(2);
      expect(still.err).toContain('is still blocked');
      expect(await tasks(cli)).toEqual(['blocked', 'blocked']);
      await take(repo);
      const merged = await cli.run('run');
      expect(merged.exitCode, merged.err).toBe(0);
      expect(await tasks(cli)).toEqual(['done', 'done']);
      expect((await repo.git('ls-files')).match(/^t-.*\.txt$/gm)).toHaveLength(2);
      expect(await repo.git('status', '--porcelain')).toBe('');
    },
    120_000,
  );
});

async function tasks(cli: ReturnType<typeof memoryCli>): Promise<readonly string[]> {
  const { out } = await cli.run('task', 'list', '--json');
  return JSON.parse(out).tasks.map(({ status }: { status: string }) => status);
}
