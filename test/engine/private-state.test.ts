import { chmodSync, linkSync, lstatSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStateDir } from '../../src/adapters/files/state-dir.ts';
import { gitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { tempDir } from '../support/temp-dir.ts';

/** What others than the user may do something with, but for the worktrees. */
function openToOthers(state: string): readonly string[] {
  const entries = readdirSync(state, { recursive: true, withFileTypes: true });
  const places = entries.map((entry) => path.join(entry.parentPath, entry.name));
  return [state, ...places]
    .filter((place) => !place.startsWith(path.join(state, 'worktrees')))
    .filter((place) => !lstatSync(place).isSymbolicLink())
    .filter((place) => (lstatSync(place).mode & 0o077) !== 0)
    .map((place) => path.relative(state, place));
}

describe('the state folder', () => {
  it('is the user’s alone, with everything in it, while a loop runs and afterwards', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      `hooks: { pre-iteration: ["ls -lA .. >/dev/null"], post-iteration: ["true"] }
workspace: { setup: "true" }
gates: [{ type: command, command: "true" }]
`,
    );
    await repo.commitAll('all kinds of files');
    const state = path.join(repo.path, '.loopwright');
    const seen = path.join(repo.outside, 'seen');
    // The agent looks as well: at the sockets and the files of its own run.
    const look = `find '${state}' -not -path '*/worktrees*' -not -type l -perm /077 >> '${seen}'`;
    const flags = {
      agent: `command:${look}; git status; git commit -q --allow-empty -m x; echo x >> app.js; echo '<promise>COMPLETE</promise>'`,
      validate: 'test $(grep -c x app.js) -ge 2',
      'max-iterations': 3,
    };
    {
      await using project = await openedProject(repo, flags);
      const loop = await project.runText('make it');
      expect(loop.status).toBe('complete');
      await project.engine.store.backUp(project.engine.clock.now());
      expect(openToOthers(state)).toEqual([]);
    }
    expect(openToOthers(state)).toEqual([]);
    expect(statSync(seen).size).toBe(0);
    expect(statSync(state).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(state, 'state.db')).mode & 0o777).toBe(0o600);
  });

  it('of a project without git is the user’s alone', async () => {
    await using tmp = await tempDir();
    await writeFile(path.join(tmp.path, 'app.js'), '1\n');
    const env = { PATH: process.env['PATH'] ?? '', HOME: tmp.path };
    const flags = { agent: 'command:echo x >> app.js', validate: 'false', 'max-iterations': 1 };
    await using project = await openedProject({ path: tmp.path, env }, flags);
    await project.runText('make it', { inPlace: true });
    expect(openToOthers(path.join(tmp.path, '.loopwright'))).toEqual([]);
  });

  it('of an older version is closed at start, without following links', async () => {
    await using repo = await gitRepo();
    const state = path.join(repo.path, '.loopwright');
    const flags = { agent: 'command:echo x >> app.js', validate: 'false', 'max-iterations': 1 };
    let worktree = '';
    {
      await using project = await openedProject(repo, flags);
      worktree = (await project.runText('make it')).workspace.path;
    }
    const own = path.join(repo.outside, 'own');
    await writeFile(own, 'mine', { mode: 0o644 });
    symlinkSync(own, path.join(state, 'log-link'));
    linkSync(own, path.join(state, 'second-name'));
    for (const entry of readdirSync(state, { recursive: true, withFileTypes: true })) {
      const place = path.join(entry.parentPath, entry.name);
      if (place.startsWith(path.join(state, 'worktrees')) || entry.isSymbolicLink()) continue;
      chmodSync(place, entry.isDirectory() ? 0o755 : 0o644);
    }
    chmodSync(state, 0o755);
    const script = path.join(state, 'script');
    await writeFile(script, '', { mode: 0o755 });
    const before = statSync(path.join(worktree, 'app.js')).mode;
    expect(before & 0o044).toBe(0o044);

    await openStateDir(repo.path);

    expect(openToOthers(state)).toEqual(['second-name']);
    expect(statSync(own).mode & 0o777).toBe(0o644);
    expect(statSync(script).mode & 0o777).toBe(0o700);
    expect(statSync(path.join(worktree, 'app.js')).mode).toBe(before);
    await using project = await openedProject(repo, flags);
    expect((await project.engine.store.read((tx) => tx.loops.list({}))).length).toBe(1);
  });
});
