import { existsSync } from 'node:fs';
import { appendFile, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Loop } from '../../src/core/loop/loop.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';

/** The check needs what the trick hides; `$COMMON` and `$GITDIR` are the repository and the worktree's part of it. */
async function runTrick(repo: GitRepo, trick: string, flags = {}): Promise<Loop> {
  const places =
    'COMMON=$(git rev-parse --git-common-dir); GITDIR=$(git rev-parse --git-dir); mkdir -p lib $COMMON/info $GITDIR/info';
  const agent = `command:${places}; echo x > lib/plain; ${trick}; true`;
  const validate = 'test -e lib/plain';
  const all = { agent, validate, 'max-iterations': 2, ...flags };
  await using project = await openedProject(repo, all);
  return await project.runText('hide');
}

async function committed(repo: GitRepo, loop: Loop): Promise<readonly string[]> {
  const branch = loop.workspace.branch ?? '';
  return (await repo.git('ls-tree', '-rz', '--name-only', branch)).split('\0').filter(Boolean);
}

/** Ways to hide a file that no longer work: what is there is committed. */
const stored: readonly (readonly [string, string, string])[] = [
  ['info/exclude', 'echo hidden >> $COMMON/info/exclude; echo x > lib/hidden', 'lib/hidden'],
  ['the worktree’s info/exclude', 'echo hidden >> $GITDIR/info/exclude; : > hidden', 'hidden'],
  [
    'info/exclude and a repository of its own',
    'echo hidden >> $COMMON/info/exclude; git init -q lib/inner; echo x > lib/inner/hidden',
    'lib/inner/hidden',
  ],
  [
    'an ignore file of the user’s',
    'mkdir -p ~/.config/git; echo hidden >> ~/.config/git/ignore; : > hidden',
    'hidden',
  ],
  ['names that differ by case', 'git config core.ignorecase true; echo x > readme.md', 'readme.md'],
];

/** Ways to hide a change. */
const changed: readonly (readonly [string, string])[] = [
  ['assume-unchanged', 'git update-index --assume-unchanged README.md; echo y > README.md'],
  ['skip-worktree', 'git update-index --skip-worktree README.md; echo y > README.md'],
  [
    'a flag in the engine’s own index',
    'for i in $GITDIR/loopwright/*/index; do GIT_INDEX_FILE=$i git update-index --assume-unchanged README.md; done; echo y > README.md',
  ],
];

/** What git cannot store, and how it is named. */
const unstorable: readonly (readonly [string, string, string])[] = [
  ['a folder .GIT', 'mkdir lib/.GIT; echo x > lib/.GIT/x', 'lib/.GIT/x (has a name'],
  ['a folder git~1', 'mkdir "git~1"; echo x > "git~1/x"', 'git~1/x (has a name'],
  ['a .gitmodules that is a link', 'ln -s lib/plain .gitmodules', '.gitmodules (has a name'],
  [
    'an encoding it does not have',
    'echo "*.md working-tree-encoding=UTF-16" > .gitattributes; echo y > README.md',
    'README.md (cannot be converted',
  ],
  [
    'an encoding named outside of the files',
    'echo "*.md working-tree-encoding=UTF-16" > $COMMON/info/attributes; echo y > README.md; echo z > other.md',
    'other.md (cannot be converted',
  ],
  [
    'an encoding that nobody knows',
    'echo "*.md working-tree-encoding=nonsense" > $COMMON/info/attributes; echo y > README.md',
    'README.md (cannot be converted',
  ],
];

/** What an agent hides in ways that git does not speak of. */
const silent: readonly (readonly [string, string, string])[] = [
  [
    'a folder that ignores itself',
    "mkdir hidden; echo '*' > hidden/.gitignore; echo x > hidden/code.js",
    'hidden/.gitignore (is in no commit',
  ],
  [
    'an ignore file that names itself',
    "printf '.gitignore\\n*.js\\n' > .gitignore; echo x > code.js",
    '.gitignore (is in no commit',
  ],
  [
    'an ignore file that a committed one hides',
    "mkdir deep; echo '/deep/.gitignore' > .gitignore; echo '*.js' > deep/.gitignore; echo x > deep/code.js",
    'deep/.gitignore (is in no commit',
  ],
  ['files in a folder .git', 'mkdir lib/.git; echo x > lib/.git/code.js', 'lib/.git/ (has a name'],
  ['a file called .git', 'echo x > lib/.git', 'lib/.git (has a name'],
  [
    'files in the repository of a generator',
    'git init -q lib/inner; echo x > lib/inner/.git/code.js; echo x > lib/inner/a',
    'lib/inner/.git/code.js (has a name',
  ],
  [
    'hooks of such a repository',
    'git init -q lib/inner; echo x > lib/inner/.git/hooks/code; echo x > lib/inner/a',
    'lib/inner/.git/hooks/code (has a name',
  ],
];

/** As tools do with their caches. */
function ignoring(folder: string): string {
  return `mkdir -p ${folder}; echo '*' > ${folder}/.gitignore; : > ${folder}/x`;
}

describe('what was verified is what is committed', () => {
  it.each(stored)('although an agent hides it by %s', async (_, trick, name) => {
    await using repo = await gitRepo();
    const loop = await runTrick(repo, trick);
    expect(loop.status).toBe('complete');
    expect(await committed(repo, loop)).toContain(name);
  });

  it.each(changed)('although an agent hides it by %s', async (_, trick) => {
    await using repo = await gitRepo();
    const loop = await runTrick(repo, trick);
    expect(loop.status).toBe('complete');
    expect(await repo.git('show', `${loop.workspace.branch}:README.md`)).toBe('y');
  });

  it('modes and links are what they are, whatever the configuration says', async () => {
    await using repo = await gitRepo();
    const lies = 'git config core.fileMode false; git config core.symlinks false';
    const loop = await runTrick(repo, `${lies}; chmod +x README.md; ln -s plain lib/link`);
    const tree = await repo.git('ls-tree', '-r', loop.workspace.branch ?? '');
    expect(tree).toMatch(/^100755 .*README\.md$/m);
    expect(tree).toMatch(/^120000 .*lib\/link$/m);
  });

  it.each([...unstorable, ...silent])(
    'or the loop does not complete: %s',
    async (_, trick, named) => {
      await using repo = await gitRepo();
      const loop = await runTrick(repo, trick);
      expect(loop).toMatchObject({ status: 'failed', reason: 'max_iterations' });
      expect(loop.text).toContain('in no commit');
      expect(loop.text).toContain(named);
      expect(loop.iterations).toHaveLength(2);
      // The rest of the work is kept, and the next prompt says what is wrong.
      expect(await committed(repo, loop)).toContain('lib/plain');
      expect(loop.feedback).toContain(named);
    },
  );

  // Permissions mean nothing to root.
  it.skipIf(process.getuid?.() === 0)('or a file that nobody may read is named', async () => {
    await using repo = await gitRepo();
    const loop = await runTrick(repo, 'echo x > closed.txt; chmod 000 closed.txt');
    expect(loop.status).toBe('failed');
    expect(loop.text).toContain('closed.txt (cannot be read)');
  });

  it('a loop completes once its agent has made good what could not be stored', async () => {
    await using repo = await gitRepo();
    const first = 'mkdir lib/.GIT; echo x > lib/.GIT/x';
    const trick = `if test $LOOPWRIGHT_ITERATION = 1; then ${first}; else rm -r lib/.GIT; fi`;
    const loop = await runTrick(repo, trick);
    expect(loop.status).toBe('complete');
    expect(loop.iterations).toHaveLength(2);
  });

  it('files that committed or user’s own lists ignored before stay out', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', 'build/\n');
    await repo.commitAll('ignore');
    await appendFile(path.join(repo.path, '.git/info/exclude'), 'mine.txt\n');
    const loop = await runTrick(repo, 'mkdir build; : > build/out; : > mine.txt');
    expect(loop.status).toBe('complete');
    expect(await committed(repo, loop)).not.toContain('mine.txt');
    expect(await committed(repo, loop)).not.toContain('build/out');
  });

  it('caches, and folders that ignored themselves before, are nobody’s work', async () => {
    await using repo = await gitRepo();
    const trick = `${ignoring('.pytest_cache')}; ${ignoring('generated')}; ${ignoring('.venv/lib')}`;
    await repo.write('loopwright.yml', `workspace: { setup: "${ignoring('generated')}" }\n`);
    await repo.commitAll('set up');
    const loop = await runTrick(repo, trick);
    expect(loop.status).toBe('complete');
    expect(await committed(repo, loop)).not.toContain('generated/x');
  });

  it('a folder that a committed list ignores may ignore itself as well', async () => {
    await using repo = await gitRepo();
    const trick =
      "mkdir -p out/in; echo out/ > .gitignore; echo '*' > out/in/.gitignore; : > out/in/x; mkdir out/.git; : > out/.git/x";
    const loop = await runTrick(repo, trick);
    expect(loop.status).toBe('complete');
    expect(await committed(repo, loop)).toContain('.gitignore');
  });

  it('in place, a file behind a flag of the user’s is left alone until it is touched', async () => {
    await using repo = await gitRepo();
    await repo.git('update-index', '--assume-unchanged', 'README.md', 'src/app.js');
    await repo.write('README.md', 'mine\n');
    const flags = {
      agent: 'command:echo y > src/app.js; echo x > plain',
      validate: 'test -e plain',
    };
    await using project = await openedProject(repo, flags);
    const loop = await project.runText('in place', { inPlace: true });
    expect(loop.status).toBe('complete');
    expect(await repo.git('show', 'HEAD:README.md')).toBe('hello');
    expect(await repo.git('show', 'HEAD:src/app.js')).toBe('y');
    expect(await readFile(path.join(repo.path, 'README.md'), 'utf8')).toBe('mine\n');
  });

  it('nothing is left of the looking', async () => {
    await using repo = await gitRepo();
    await runTrick(repo, 'true');
    const folder = path.join(repo.path, '.loopwright/worktrees');
    const left = existsSync(folder) ? await readdir(folder) : [];
    expect(left.filter((name) => name !== '.pool')).toEqual([]);
  });
});
