import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, readlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { tempDir } from './temp-dir.ts';

const run = promisify(execFile);

export type GitRepo = AsyncDisposable & {
  /** The user's checkout. */
  readonly path: string;
  /** A folder beside it, for whatever a test needs outside the repository. */
  readonly outside: string;
  /** The user's environment, with a home and a git configuration of their own. */
  readonly env: Readonly<Record<string, string>>;
  git(...args: readonly string[]): Promise<string>;
  /** git as an agent would run it: in a folder, with the repository it finds there. */
  gitIn(cwd: string, ...args: readonly string[]): Promise<string>;
  write(file: string, content: string): Promise<void>;
  /** Commits everything and answers the commit id. */
  commitAll(message: string): Promise<string>;
};

/** A repository with one commit (`README.md`, `src/app.js`) on branch `main`. */
export async function gitRepo(): Promise<GitRepo> {
  const repo = await emptyRepo();
  await repo.write('README.md', 'hello\n');
  await repo.write('src/app.js', 'console.log(1);\n');
  await repo.commitAll('first');
  return repo;
}

/** A repository without a commit. */
export async function emptyRepo(...initArgs: readonly string[]): Promise<GitRepo> {
  const dir = await tempDir();
  const folder = path.join(dir.path, 'repo');
  const home = path.join(dir.path, 'home');
  const outside = path.join(dir.path, 'outside');
  for (const each of [folder, home, outside]) await mkdir(each);
  const config =
    '[user]\n\tname = Ada\n\temail = ada@example.org\n[init]\n\tdefaultBranch = main\n';
  await writeFile(path.join(home, '.gitconfig'), config);
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    LC_ALL: 'C',
  };
  const gitIn = async (cwd: string, ...args: readonly string[]) => {
    const { stdout } = await run('git', [...args], { cwd, env, maxBuffer: 64 * 1024 * 1024 });
    return stdout.trim();
  };
  const git = (...args: readonly string[]) => gitIn(folder, ...args);
  await git('init', '--quiet', ...initArgs);
  return {
    path: folder,
    outside,
    env,
    git,
    gitIn,
    write: (file, content) => writeFileIn(folder, file, content),
    async commitAll(message) {
      await git('add', '--all');
      await git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

export async function writeFileIn(root: string, file: string, content: string): Promise<void> {
  await mkdir(path.dirname(path.join(root, file)), { recursive: true });
  await writeFile(path.join(root, file), content);
}

/** A digest of every name, mode, link target and content below a folder. Sockets and pipes have no content. */
export async function digestFolder(folder: string, skip: readonly string[] = []): Promise<string> {
  const hash = createHash('sha256');
  const visit = async (current: string): Promise<void> => {
    const names = (await readdir(current)).toSorted((a, b) => (a < b ? -1 : 1));
    for (const name of names) {
      const file = path.join(current, name);
      if (skip.includes(path.relative(folder, file))) continue;
      const found = await lstat(file);
      hash.update(`${path.relative(folder, file)}\0${found.mode}\0`);
      if (found.isDirectory()) await visit(file);
      else if (found.isSymbolicLink()) hash.update(await readlink(file));
      else if (found.isFile()) hash.update(await readFile(file));
    }
  };
  await visit(folder);
  return hash.digest('hex');
}

/** Everything of the user's that a run must leave bit-identical (I6). Objects and loops' own refs are the engine's. */
export async function digestUser(repo: GitRepo): Promise<unknown> {
  const skip = ['objects', 'refs', 'logs', 'worktrees', 'packed-refs'];
  const home = repo.env['HOME'] ?? '';
  const refs = await repo.git('for-each-ref', '--format=%(refname) %(objectname)');
  return {
    files: await digestFolder(repo.path, ['.git', '.loopwright']),
    git: await digestFolder(path.join(repo.path, '.git'), skip),
    home: await digestFolder(home, ['.cache']),
    // The engine's own cache may stay; a room in it may not.
    rooms: await namesIn(path.join(home, '.cache/loopwright/rooms')),
    caches: (await namesIn(path.join(home, '.cache'))).filter((name) => name !== 'loopwright'),
    refs: refs
      .split('\n')
      .filter((line) => !/^refs\/(heads\/loopwright|loopwright-kept|loopwright-past)\//.test(line)),
    reflog: await readFile(path.join(repo.path, '.git/logs/HEAD'), 'utf8').catch(() => ''),
  };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch(() => []);
}
