import { expect, it } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import { openProject } from '../../src/adapters/git/open-project.ts';
import { defaultSettings } from '../../src/core/config/schema.ts';
import { BaseWatch } from '../../src/engine/base-watch.ts';
import { gitRepo } from '../support/git-repo.ts';

const { signal } = new AbortController();

it.each(['main', 'feature/x'])(
  'a move of %s is seen without waiting for the interval',
  async (branch) => {
    await using repo = await gitRepo();
    if (branch !== 'main') await repo.git('switch', '-qc', branch);
    const project = await openProject(repo.path, signal, repo.env);
    using watch = new BaseWatch({ clock: createSystemClock(), project });
    const settings = defaultSettings();
    const workspace = {
      mode: 'worktree',
      path: '',
      branch: '',
      base: '',
      baseRef: branch,
    } as const;
    const loop = {
      settings: { ...settings, git: { ...settings.git, 'watch-interval': 3_600_000 } },
      workspace,
    };
    const look = () => watch.head(loop, signal);
    for (const name of ['one', 'two']) {
      const before = await look();
      await repo.write('file.txt', name);
      await repo.commitAll(name);
      const head = await repo.git('rev-parse', 'HEAD');
      expect(head).not.toBe(before);
      await expect.poll(look, { timeout: 10_000 }).toBe(head);
      await repo.git('pack-refs', '--all');
      expect(await look()).toBe(head);
    }
  },
);
