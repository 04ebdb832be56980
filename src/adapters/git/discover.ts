import { stat } from 'node:fs/promises';
import path from 'node:path';
import { isLoopwrightError, LoopwrightError } from '../../core/error.ts';
import type { Reach } from '../../ports/failpoint.ts';
import { callerBasics, searchEnvironment } from './environment.ts';
import type { UserSettings } from './environment.ts';
import { git, gitFailed } from './git.ts';
import type { Checkout } from './git.ts';
import { createRepository } from './repository.ts';
import type { Repository } from './repository.ts';

type CallerEnvironment = Readonly<Record<string, string | undefined>>;

/** The oldest git with `merge-tree --write-tree` and `cat-file -z`. */
const oldestGit = [2, 38] as const;

/** The repository around a folder; null when there is none. Works from subfolders and linked worktrees. */
export async function discoverRepository(
  cwd: string,
  caller: CallerEnvironment,
  signal: AbortSignal,
  reach?: Reach,
): Promise<Repository | null> {
  const asked = [findCheckout(cwd, caller, signal), readUserSettings(cwd, caller, signal)] as const;
  await Promise.allSettled(asked);
  const found = await asked[0];
  if (found === null) return null;
  requireGitVersion(found.version);
  return createRepository(found.checkout, await asked[1], callerBasics(caller), reach);
}

type Found = { readonly checkout: Checkout; readonly version: string };

async function findCheckout(
  cwd: string,
  caller: CallerEnvironment,
  signal: AbortSignal,
): Promise<Found | null> {
  const questions = [
    '--is-bare-repository',
    '--absolute-git-dir',
    '--git-common-dir',
    '--show-toplevel',
  ];
  const args = ['rev-parse', '--path-format=absolute', ...questions];
  const env = searchEnvironment(caller);
  // Its version first: git always tells that.
  const call = { at: { searchFrom: cwd }, args: ['--version'], then: { args }, env, signal };
  const result = await git(call).catch(async (error) => {
    if (!isLoopwrightError(error) || error.code !== 'git.missing') throw error;
    if (await hasGitAbove(cwd)) throw error;
    return null;
  });
  if (result === null) return null;
  const [version = '', bare, gitDir, commonDir, workTree] = result.stdout
    .toString('utf8')
    .split('\n');
  if (gitDir === undefined || commonDir === undefined) {
    if (result.stderr.includes('not a git repository')) return null;
    if (result.stderr.includes('dubious ownership')) throw notTrusted(cwd);
    throw gitFailed(args, result);
  }
  if (bare === 'true') return { version, checkout: { gitDir, commonDir, workTree: null } };
  if (result.exitCode === 0 && workTree !== undefined) {
    return { version, checkout: { gitDir, commonDir, workTree } };
  }
  throw new LoopwrightError('git.no_checkout', `${cwd} is inside the git folder of a repository`, {
    hint: 'Go to the folder that holds your files.',
  });
}

function notTrusted(cwd: string): LoopwrightError {
  return new LoopwrightError(
    'git.not_trusted',
    `the repository around ${cwd} belongs to another user`,
    {
      hint: `If you trust it: git config --global --add safe.directory ${cwd}`,
    },
  );
}

async function hasGitAbove(folder: string): Promise<boolean> {
  const found = await stat(path.join(folder, '.git')).catch(() => null);
  if (found !== null) return true;
  const parent = path.dirname(folder);
  return parent === folder ? false : hasGitAbove(parent);
}

function requireGitVersion(version: string): void {
  const match = /(\d+)\.(\d+)/.exec(version);
  const [major, minor] = [Number(match?.[1] ?? 0), Number(match?.[2] ?? 0)];
  if (major > oldestGit[0] || (major === oldestGit[0] && minor >= oldestGit[1])) return;
  throw new LoopwrightError('git.too_old', `git ${major}.${minor} is too old`, {
    hint: `Install git ${oldestGit.join('.')} or newer.`,
  });
}

const wantedSettings = String.raw`^((user|author)\.(name|email)|core\.(excludesfile|autocrlf|eol|hookspath)|filter\..*\.(smudge|process))$`;

/** Read once, with the user's own configuration; from then on it is not consulted again. */
async function readUserSettings(
  cwd: string,
  caller: CallerEnvironment,
  signal: AbortSignal,
): Promise<UserSettings> {
  const args = ['config', '-z', '--get-regexp', wantedSettings];
  const env = searchEnvironment(caller);
  const result = await git({ at: { searchFrom: cwd }, args, env, signal });
  if (result.exitCode > 1) throw gitFailed(args, result);
  const values = new Map<string, string>();
  for (const record of result.stdout.toString('utf8').split('\0')) {
    const end = record.indexOf('\n');
    if (end !== -1) values.set(record.slice(0, end), record.slice(end + 1));
  }
  return {
    ...identity(values, caller),
    config: fileSettings(values, caller),
    filters: filterNames(values),
    configFiles: configFiles(caller),
    hooksFolder: withHome(values.get('core.hookspath') ?? null, caller),
  };
}

function filterNames(values: ReadonlyMap<string, string>): ReadonlySet<string> {
  const keys = [...values.keys()].filter((key) => key.startsWith('filter.'));
  return new Set(keys.map((key) => key.slice('filter.'.length, key.lastIndexOf('.'))));
}

function configFiles(caller: CallerEnvironment): readonly string[] {
  const home = caller['HOME'] ?? '/';
  const folder = path.join(caller['XDG_CONFIG_HOME'] ?? path.join(home, '.config'), 'git');
  const global = caller['GIT_CONFIG_GLOBAL'];
  const own = ['config', 'ignore', 'attributes'].map((name) => path.join(folder, name));
  return [global ?? path.join(home, '.gitconfig'), ...own];
}

function withHome(file: string | null, caller: CallerEnvironment): string | null {
  const inHome = file?.startsWith('~/') === true;
  return inHome ? path.join(caller['HOME'] ?? '/', file.slice(2)) : file;
}

function identity(values: ReadonlyMap<string, string>, caller: CallerEnvironment) {
  const name =
    caller['GIT_AUTHOR_NAME'] ?? values.get('author.name') ?? values.get('user.name') ?? '';
  const email =
    caller['GIT_AUTHOR_EMAIL'] ?? values.get('author.email') ?? values.get('user.email') ?? '';
  if (name.trim() === '' || email.trim() === '') {
    return { name: 'Loopwright', email: 'loopwright@localhost' };
  }
  return { name, email };
}

function fileSettings(values: ReadonlyMap<string, string>, caller: CallerEnvironment) {
  const home = caller['HOME'] ?? '/';
  const configHome = caller['XDG_CONFIG_HOME'] ?? path.join(home, '.config');
  const named = withHome(values.get('core.excludesfile') ?? null, caller);
  const ignoreFile = named ?? path.join(configHome, 'git', 'ignore');
  const config: [string, string][] = [['core.excludesFile', ignoreFile]];
  for (const key of ['core.autocrlf', 'core.eol']) {
    const value = values.get(key);
    if (value !== undefined) config.push([key, value]);
  }
  return config;
}
