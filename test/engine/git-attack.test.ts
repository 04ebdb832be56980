import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo } from '../support/git-repo.ts';
import type { GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { plantedPrograms } from '../support/planted-programs.ts';
import type { Plants } from '../support/planted-programs.ts';

const promptWithGit = 'prompt-template: |\n  {{git-status}}\n  {{git-diff}}\n  {{git-log}}\n';

/** Files that attributes name, a protected file, and a prompt that asks git for everything. */
async function prepare(repo: GitRepo): Promise<void> {
  await repo.write('.gitattributes', '*.txt filter=evil diff=evil merge=evil\n*.yml filter=evil\n');
  await repo.write('old.txt', 'original\n');
  await repo.write('loopwright.yml', 'limits:\n  iteration-delay: 0\n');
  await repo.write('loopwright/types/ralph.yml', promptWithGit);
  await repo.commitAll('attributes');
}

/**
 * Three iterations with every command the engine has: the first moves the base (a rebase) and plants, all of them edit
 * files under attributes and a protected one (a restore), and the end is merged into the user's checkout.
 */
async function runPlanting(repo: GitRepo, plant: string, flags: Record<string, string> = {}) {
  const script = path.join(repo.outside, 'agent.sh');
  // As a person would, in another second than the agent's own git, whose moves are moved back.
  const moveBase = `(unset GIT_TRACE2_EVENT; cd ${repo.path} && echo news > news.md && git add news.md && git commit -qm news; second=$(date +%s); while [ $(($(date +%s%3N) - second * 1000)) -lt 1100 ]; do :; done)`;
  const lines = [
    `ROOT=${repo.path}; export ROOT`,
    'echo "$LOOPWRIGHT_ITERATION" >> work.txt',
    'echo edited >> old.txt; echo "limits: {}" > loopwright.yml',
    `if test "$LOOPWRIGHT_ITERATION" = 1; then ${moveBase}; ${plant}\nfi`,
    'true',
  ];
  await writeFile(script, lines.join('\n'));
  const all = {
    agent: `command:sh ${script}`,
    validate: 'test "$(wc -l < work.txt)" -ge 3',
    'watch-interval': '0',
    merge: 'local',
    ...flags,
  };
  await using project = await openedProject(repo, all);
  return await project.runText('plant and go on');
}

const inCommon = 'CONFIG="$ROOT/.git/config"; HOOKS="$ROOT/.git/hooks"';

/** What is planted, and where the programs and hooks go. */
const places: readonly (readonly [string, (plants: Plants) => string])[] = [
  ['the repository’s config and hooks', ({ config, hooks }) => `${inCommon}\n${hooks}\n${config}`],
  [
    'a hooks folder of its own',
    ({ hooks }) =>
      `HOOKS="$PWD/.evil"\n${hooks}\ngit config --file "$ROOT/.git/config" core.hooksPath "$HOOKS"`,
  ],
  [
    'the config of the worktree',
    ({ config }) =>
      `git config extensions.worktreeConfig true\nCONFIG="$(git rev-parse --git-dir)/config.worktree"\n${config}`,
  ],
  [
    'an included file',
    ({ config }) =>
      `CONFIG="$PWD/included"\n${config}\ngit config --file "$ROOT/.git/config" include.path "$CONFIG"`,
  ],
  [
    'a file included for this git folder only',
    ({ config }) =>
      `CONFIG="$PWD/included"\n${config}\ngit config --file "$ROOT/.git/config" 'includeIf.gitdir:**.path' "$CONFIG"`,
  ],
  [
    'a repository in place of the .git file',
    ({ config, hooks }) =>
      `rm .git; git init -q; CONFIG=.git/config; HOOKS=.git/hooks\n${hooks}\n${config}`,
  ],
  [
    'a .git file that leads to a repository elsewhere',
    ({ config, hooks }) =>
      `git init -q ../elsewhere; echo "gitdir: $PWD/../elsewhere/.git" > .git; CONFIG=../elsewhere/.git/config; HOOKS=../elsewhere/.git/hooks\n${hooks}\n${config}`,
  ],
  [
    'attributes of the repository',
    ({ config }) =>
      `${inCommon}\necho '* filter=evil diff=evil merge=evil' > "$ROOT/.git/info/attributes"\n${config}`,
  ],
  [
    'the user’s own configuration',
    ({ config, hooks }) =>
      `CONFIG="$HOME/.gitconfig"; HOOKS="$HOME/hooks"\n${hooks}\ngit config --global core.hooksPath "$HOOKS"\n${config}`,
  ],
  [
    'the link from the worktree to its repository',
    ({ config, hooks }) =>
      `git init -q --bare ../fake.git; CONFIG=../fake.git/config; HOOKS=../fake.git/hooks\n${hooks}\n${config}\necho "$PWD/../fake.git" > "$ROOT/.git/worktrees/$(basename "$PWD")/commondir"`,
  ],
];

describe('what an agent plants during an iteration', () => {
  it.each(places)('never runs from %s', async (_, plant) => {
    await using repo = await gitRepo();
    await prepare(repo);
    const plants = await plantedPrograms(repo);
    const loop = await runPlanting(repo, plant(plants));
    expect(await plants.fired()).toEqual([]);
    expect(loop).toMatchObject({ status: 'complete', mergedInto: 'main' });
    expect(loop.iterations).toHaveLength(3);
    expect(loop.iterations.every(({ restored }) => restored.includes('loopwright.yml'))).toBe(true);
    expect(await readFile(path.join(repo.path, 'work.txt'), 'utf8')).toBe('1\n2\n3\n');
    expect(existsSync(path.join(repo.path, 'news.md'))).toBe(true);
  });

  it('does not make the engine write through links into files of the user', async () => {
    await using repo = await gitRepo();
    await prepare(repo);
    const target = path.join(repo.outside, 'precious');
    await writeFile(target, 'precious\n');
    const names = ['index', 'HEAD', 'commondir', 'gitdir', 'ready', 'rebasing', 'commit-index'];
    const link = `for f in ${names.join(' ')} restore-index; do for d in "$G" "$G/loopwright/$ID"; do for s in "" .partial .lock; do rm -f "$d/$f$s"; ln -s ${target} "$d/$f$s"; done; done; done`;
    const plant = `ID=$(basename "$PWD"); G="$ROOT/.git/worktrees/$ID"; cp "$G/gitdir" saved; ${link}; rm "$G/gitdir"; mv saved "$G/gitdir"; rm .git; ln -s ${target} .git`;
    const loop = await runPlanting(repo, plant);
    expect(await readFile(target, 'utf8')).toBe('precious\n');
    expect(loop).toMatchObject({ status: 'complete', mergedInto: 'main' });
  });

  it('would have run for the user: the same plants fire in git as it comes', async () => {
    await using repo = await gitRepo();
    await prepare(repo);
    const plants = await plantedPrograms(repo);
    const [, plant = () => ''] = places[0] ?? [];
    await runPlanting(repo, plant(plants));
    await repo.write('old.txt', 'by hand\n');
    await repo.git('diff').catch(() => undefined);
    await repo.git('commit', '-qam', 'by hand').catch(() => undefined);
    const names = ['core.fsmonitor', 'filter.evil.clean', 'diff.evil.command', 'hook/pre-commit'];
    expect(await plants.fired()).toEqual(expect.arrayContaining(names));
  });

  it('is named, and blocks the loop with sandbox: worktree', async () => {
    await using repo = await gitRepo();
    await prepare(repo);
    const plants = await plantedPrograms(repo);
    const [, plant = () => ''] = places[0] ?? [];
    const loop = await runPlanting(repo, plant(plants), { sandbox: 'worktree' });
    expect(loop).toMatchObject({ status: 'blocked', reason: 'integrity' });
    for (const name of ['.git/config', '.git/hooks/pre-commit', 'refs/heads/main', 'your checkout'])
      expect(loop.text).toContain(name);
    expect(await plants.fired()).toEqual([]);
  });
});
