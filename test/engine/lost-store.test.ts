import { existsSync } from 'node:fs';
import { copyFile, readdir, rm, stat, utimes } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/adapters/sqlite/store.ts';
import type { Task } from '../../src/core/task/task.ts';
import { runLoops } from '../../src/engine/run-loops.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

describe('a store that is lost', () => {
  const flags = { agent: 'command:echo x > work.txt', validate: 'test -f work.txt' };

  it.each([
    ['emptied', (repo: GitRepo) => repo.write('.loopwright/state.db', '')],
    ['removed', (repo: GitRepo) => rm(path.join(repo.path, '.loopwright/state.db'))],
  ])(
    'is refused when it was %s, not taken for a new one, and a backup is named',
    async (_, lose) => {
      await using repo = await gitRepo();
      {
        await using project = await openedProject(repo, flags);
        await project.runText('first');
      }
      const state = path.join(repo.path, '.loopwright');
      const [backup] = (await readdir(state)).filter((name) => name.includes('.backup-'));
      await lose(repo);
      const names = (await readdir(state)).toSorted();
      await expect(openedProject(repo, flags)).rejects.toMatchObject({
        code: 'store.corrupt',
        hint: expect.stringContaining(`copy ${path.join(state, backup ?? 'no backup')} into`),
      });
      expect((await readdir(state)).toSorted()).toEqual(names);
      // What the error says helps.
      await copyFile(path.join(state, backup ?? ''), path.join(state, 'state.db'));
      await using project = await openedProject(repo, flags);
      const [loop] = await project.engine.store.read((tx) => tx.loops.list({}));
      expect(loop?.status).toBe('complete');
    },
  );

  it('is backed up once a day, when a loop has ended', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, flags);
    const backup = async () => {
      const names = await readdir(path.join(repo.path, '.loopwright'));
      const found = names.filter((name) => name.includes('.backup-'));
      expect(found).toHaveLength(1);
      return path.join(repo.path, '.loopwright', found[0] ?? '');
    };
    await project.runText('first');
    const file = await backup();
    const { ino } = await stat(file);
    await project.runText('second');
    expect((await stat(await backup())).ino).toBe(ino);
    await utimes(file, new Date(0), new Date(0));
    await project.runText('third');
    await using copy = await openStore(await backup());
    const rows = await copy.read((tx) => tx.loops.list({}));
    expect(rows.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete']);
  });
});

it('a long run is backed up while an agent works, and at its end only when a day has passed', async () => {
  await using repo = await gitRepo();
  const state = path.join(repo.path, '.loopwright');
  const waits = `i=0; until ls '${state}'/state.db.backup-*[0-9] || [ $i = 200 ]; do i=$((i+1)); sleep 0.1; done`;
  const flags = { agent: `command:(${waits}) >> work.txt`, validate: 'grep -q backup- work.txt' };
  await using project = await openedProject(repo, flags);
  await project.engine.store.write((tx) => tx.tasks.add('t-1', { title: 'long' }, 1));
  // Two hours after it began.
  let looks = 0;
  const { clock, store } = project.engine;
  const monotonic = () => clock.monotonic() + (looks++ === 0 ? 0 : 7_200_000);
  const engine = { ...project.engine, clock: { ...clock, monotonic } };
  const options = {
    loop: { inPlace: false, commit: true, verify: true, keepGoing: false },
    allowDirty: false,
    planFor: (task: Task) => project.planFor(task, true),
  };
  const request = { kind: 'task', taskId: 't-1', fresh: false } as const;
  const { loops } = await runLoops(engine, request, options, project.control);
  expect(loops[0]?.status).toBe('complete');
  const [backup = ''] = (await readdir(state)).filter((name) => /backup-\d+$/.test(name));
  const { ino } = await stat(path.join(state, backup));
  await Promise.all([store.backUp(Date.now() + 1000), store.backUp(Date.now() + 1000)]);
  expect((await stat(path.join(state, backup))).ino).not.toBe(ino);
  await using copy = await openStore(path.join(state, backup));
  expect((await copy.read((tx) => tx.loops.list({})))[0]?.status).toBe('complete');
});

it('a state folder deleted by the agent ends the run, and is not made again', async () => {
  await using repo = await gitRepo();
  const state = path.join(repo.path, '.loopwright');
  const flags = { agent: `command:rm -rf '${state}'`, validate: 'false', 'max-iterations': 2 };
  {
    await using project = await openedProject(repo, flags);
    await expect(project.runText('first')).rejects.toMatchObject({ code: 'store.gone' });
  }
  expect(existsSync(state)).toBe(false);
});
