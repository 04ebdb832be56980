import { execFileSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { memoryCli } from '../cli/memory-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject, type TestProject } from '../support/opened-project.ts';

const prompt = ({ engine }: TestProject, loop: Loop, number = 1) =>
  readFile(
    path.join(engine.artifacts.loopDir(loop.id), `iterations/00${number}/prompt.md`),
    'utf8',
  );

const store = [
  '---',
  'title: The store',
  'tags: [sqlite, locks]',
  'layout: page',
  '---',
  'Writers wait for the SQLite lock in src/store.ts for 5 seconds.',
  '',
].join('\n');

const works = { agent: 'command:echo x >> work.txt', validate: 'false', 'max-iterations': 1 };
const title = 'Fix the sqlite lock in src/store.ts';

async function withConfig(repo: GitRepo, ...lines: readonly string[]): Promise<void> {
  await repo.write('loopwright.yml', ['memory:', ...lines, ''].join('\n'));
}

const sameIds = (text: string, { taskId }: Loop) => text.replaceAll(taskId, 'TASK');

describe('knowledge files', () => {
  it('that match a task are in its prompt, others are not', async () => {
    await using repo = await gitRepo();
    await withConfig(repo, "  knowledge: ['docs/know/**']");
    await repo.write('docs/know/store.md', store);
    await repo.write('docs/know/deep/colours.md', '---\ntags: theme\n---\nBlue is the accent.\n');
    await repo.write('docs/know/store.txt', 'sqlite lock in src/store.ts, but no Markdown');
    await using project = await openedProject(repo, works);
    const loop = await project.runText(title);
    const text = await prompt(project, loop);
    expect(text).toContain('### Project Knowledge');
    expect(text).toContain('#### `docs/know/store.md` (sqlite, locks)');
    expect(text).toContain('Writers wait for the SQLite lock');
    expect(text).not.toContain('Blue is the accent');
    expect(text).not.toContain('no Markdown');
    expect(loop.iterations[0]?.injected).toEqual(['knowledge:docs/know/store.md']);
    const rendered = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'prompt',
      'render',
      loop.taskId,
    );
    expect(rendered.out).toContain('#### `docs/know/store.md` (sqlite, locks)');
  });

  it('come from the checkout: what an agent writes into its worktree is not read', async () => {
    await using repo = await gitRepo();
    await repo.write('docs/know/store.md', store);
    await repo.write('docs/codebase-map.md', 'The map of a person.\n');
    await withConfig(repo, "  knowledge: ['docs/know/*.md']");
    await repo.commitAll('knowledge');
    const agent =
      'command:echo sqlite lock src/store.ts obey > docs/know/store.md; echo obey > docs/codebase-map.md';
    await using project = await openedProject(repo, { ...works, agent, 'max-iterations': 2 });
    const loop = await project.runText(title);
    const second = await prompt(project, loop, 2);
    expect(second).toContain('Writers wait for the SQLite lock');
    expect(second).toContain('The map of a person.');
    expect(second.match(/obey/g)).toBeNull();
  });

  it('come from the base where the agent works in the checkout itself', async () => {
    await using repo = await gitRepo();
    await repo.write('docs/know/store.md', store);
    await repo.write('docs/codebase-map.md', 'The map of a person.\n');
    await withConfig(repo, "  knowledge: ['docs/know/*.md']");
    await repo.commitAll('knowledge');
    const agent =
      'command:echo sqlite lock src/store.ts obey > docs/know/store.md; echo obey > docs/codebase-map.md';
    await using project = await openedProject(repo, { ...works, agent, 'max-iterations': 2 });
    const loop = await project.runText(title, { inPlace: true });
    const second = await prompt(project, loop, 2);
    expect(second).toContain('Writers wait for the SQLite lock');
    expect(second).toContain('The map of a person.');
    expect(second.match(/obey/g)).toBeNull();
  });

  it('that are links, too large or not readable as YAML are told and end nothing', async () => {
    await using repo = await gitRepo();
    await withConfig(repo, "  knowledge: ['know/**']", '  map: know/map.md');
    await mkdir(path.join(repo.path, 'know'));
    await writeFile(path.join(repo.outside, 'key.md'), 'sqlite lock src/store.ts SECRET');
    await symlink(path.join(repo.outside, 'key.md'), path.join(repo.path, 'know/link.md'));
    await symlink(path.join(repo.outside, 'key.md'), path.join(repo.path, 'know/map.md'));
    await symlink(repo.outside, path.join(repo.path, 'know/folder'));
    execFileSync('mkfifo', [path.join(repo.path, 'know/pipe.md')]);
    await repo.write('know/huge.md', `sqlite lock src/store.ts HUGE ${'x'.repeat(200_000)}`);
    await repo.write(
      'know/bad.md',
      `---\ntags: [a, b\n---\nThe sqlite lock of src/store.ts: BAD\n`,
    );
    const laughs = Array.from({ length: 30 }, (_, i) => `k${i}: &a${i} [*a${i - 1}, *a${i - 1}]`);
    const bomb = ['---', 'k: &a-1 [x]', ...laughs, '---', 'boom'].join('\n');
    await repo.write('know/bomb.md', bomb);
    await using project = await openedProject(repo, works);
    const text = await prompt(project, await project.runText(title));
    expect(text).toContain('The sqlite lock of src/store.ts: BAD');
    expect(text).not.toContain('SECRET');
    expect(text).not.toContain('HUGE');
    const told = project.live.flatMap((event) =>
      event.kind === 'recorded' && event.recorded.event.type === 'prompt.built'
        ? event.recorded.event.warnings
        : [],
    );
    expect(told).toEqual([
      'know/folder is a link, or below one: it is not used',
      'know/link.md is a link, or below one: it is not used',
      'know/map.md is a link, or below one: it is not used',
      'know/pipe.md is a pipe: it is not used',
      'the front matter of know/bad.md is not YAML: the file is used without its tags',
      'the front matter of know/bomb.md is not YAML: the file is used without its tags',
      'knowledge file know/huge.md is larger than 128 KB: it is not used',
    ]);
  });
});

describe('the codebase map', () => {
  it('that a person named and that is missing is told', async () => {
    await using repo = await gitRepo();
    await withConfig(repo, '  map: docs/nowhere.md');
    await using project = await openedProject(repo, works);
    await project.runText(title);
    const told = project.live.flatMap((event) =>
      event.kind === 'recorded' && event.recorded.event.type === 'prompt.built'
        ? event.recorded.event.warnings
        : [],
    );
    expect(told).toEqual(['memory.map: there is no plain file docs/nowhere.md']);
  });

  it('is a block of its own, cut with the marker, beside the memory budget', async () => {
    await using repo = await gitRepo();
    await repo.write('docs/codebase-map.md', `# Map\n${'src/app.js starts it.\n'.repeat(600)}`);
    await using project = await openedProject(repo, works);
    const text = await prompt(project, await project.runText('say hello'));
    expect(text).toContain('## Codebase Map\n\n_An overview of the code base');
    expect(text).toContain('src/app.js starts it.\n```\n_(truncated)_\n');
    const shown = text.split('src/app.js starts it.').length - 1;
    expect(shown).toBeGreaterThan(340);
    expect(shown * 22).toBeLessThanOrEqual(8000);
  });

  it('is appended, without a warning, to a template that does not print it', async () => {
    await using repo = await gitRepo();
    await repo.write('docs/codebase-map.md', 'src/app.js starts it.\n');
    const template = '{{task-title}} {{memory}}{{progress}}{{feedback}}{{guidance}}';
    await repo.write('loopwright/types/mine.yml', `prompt-template: '${template}'\n`);
    await using project = await openedProject(repo, works);
    const task = await project.engine.store.write((tx) =>
      tx.tasks.add('t-00000001', { title: 'say hello', description: '', type: 'mine' }, 1),
    );
    const [loop] = await project.runTask(task.id);
    const text = await prompt(project, loop!);
    expect(text).toContain('## Codebase Map\n\n');
    const warned = project.live.some(
      (event) =>
        event.kind === 'recorded' &&
        event.recorded.event.type === 'prompt.built' &&
        event.recorded.event.warnings.length > 0,
    );
    expect(warned).toBe(false);
  });

  it('and knowledge leave no trace where there are none, or memory is off', async () => {
    await using repo = await gitRepo();
    await using plain = await openedProject(repo, works);
    const before = await plain.runText(title);
    const bare = await prompt(plain, before);
    await withConfig(repo, "  knowledge: ['docs/**']");
    await repo.write('docs/know/colours.md', '---\ntags: theme\n---\nBlue is the accent.\n');
    await using project = await openedProject(repo, works);
    const loop = await project.runText(title);
    expect(sameIds(await prompt(project, loop), loop)).toBe(sameIds(bare, before));
    await repo.write('docs/codebase-map.md', 'Map.\n');
    await repo.write('docs/know/store.md', store);
    await using off = await openedProject(repo, { ...works, memory: false });
    const last = await off.runText(title);
    expect(sameIds(await prompt(off, last), last)).toBe(sameIds(bare, before));
  });
});
