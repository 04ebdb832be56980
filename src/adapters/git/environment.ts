import { readFileSync } from 'node:fs';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import { gitOutput } from './git.ts';
import type { Checkout } from './git.ts';

/**
 * The environment and configuration every git process gets. An agent may have written anything into the repository's
 * config, hooks and attributes; no command of the engine may run a program named there.
 *
 * What remains: attributes still steer line endings and merge strategies, ignore files still hide untracked files, and a
 * partial clone cannot fetch missing objects. Content filters (git-lfs, git-crypt) never run, so a worktree holds what is
 * stored in the commits (for LFS: pointer files).
 */
export type UserSettings = {
  readonly name: string;
  readonly email: string;
  /** Configuration that describes the user's files and can execute nothing: ignore file, line endings. */
  readonly config: readonly ConfigEntry[];
  /** Content filters the user has set up, by name, as they were when the project was opened. */
  readonly filters: ReadonlySet<string>;
  /** Where the user's own git configuration lies, whether or not the files exist. */
  readonly configFiles: readonly string[];
  /** `core.hooksPath`, relative to the checkout or absolute; null when hooks are where git puts them. */
  readonly hooksFolder: string | null;
};

export type ConfigEntry = readonly [key: string, value: string];
type Environment = Readonly<Record<string, string>>;
type CallerEnvironment = Readonly<Record<string, string | undefined>>;

const fixedConfig: readonly ConfigEntry[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.splitIndex', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.pager', 'cat'],
  ['core.editor', 'true'],
  ['core.askPass', 'true'],
  ['core.sshCommand', 'false'],
  ['core.alternateRefsCommand', 'true'],
  // An edit that keeps size and mtime is still seen by its ctime.
  ['core.trustctime', 'true'],
  ['core.checkStat', 'default'],
  ['core.ignoreStat', 'false'],
  ['core.safecrlf', 'false'],
  // Unless the user has set them: what an agent sets converts nothing.
  ['core.autocrlf', 'false'],
  ['core.eol', 'native'],
  ['core.quotePath', 'false'],
  // A ref that is renamed into place before its content is on the disk can be empty after a power cut: so can all packed ones.
  // Objects are synced by `disk-sync.ts`.
  ['core.fsync', 'reference'],
  ['core.fsyncMethod', 'fsync'],
  ['commit.gpgSign', 'false'],
  ['log.showSignature', 'false'],
  ['gpg.program', 'false'],
  ['gpg.ssh.program', 'false'],
  ['gpg.x509.program', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['protocol.allow', 'never'],
  ['submodule.recurse', 'false'],
  ['diff.external', ''],
  ['diff.ignoreSubmodules', 'dirty'],
  ['status.submoduleSummary', 'false'],
  ['merge.autoStash', 'false'],
  ['rebase.autoStash', 'false'],
  ['i18n.commitEncoding', 'UTF-8'],
  ['i18n.logOutputEncoding', 'UTF-8'],
  ['advice.detachedHead', 'false'],
];

/** Variables git needs from the caller; every `GIT_*` of the caller is left behind. */
export function callerBasics(caller: CallerEnvironment): Environment {
  return pick(caller, ['PATH', 'HOME', 'TMPDIR']);
}

/** For finding the project and reading the user's own settings: their configuration applies. */
export function searchEnvironment(caller: CallerEnvironment): Environment {
  const own = ['XDG_CONFIG_HOME', 'GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'];
  return {
    ...callerBasics(caller),
    ...pick(caller, [...own, 'GIT_CEILING_DIRECTORIES', 'GIT_DISCOVERY_ACROSS_FILESYSTEM']),
    ...quiet,
  };
}

/** For everything else. */
export function hardenedEnvironment(
  basics: Environment,
  user: UserSettings,
  drivers: readonly ConfigEntry[],
): Environment {
  return {
    ...basics,
    ...quiet,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    // Unlike `protocol.allow` this also beats a `protocol.file.allow` in the repository.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_AUTHOR_NAME: user.name,
    GIT_AUTHOR_EMAIL: user.email,
    GIT_COMMITTER_NAME: user.name,
    GIT_COMMITTER_EMAIL: user.email,
    ...configVariables([...fixedConfig, ...user.config, ...drivers]),
  };
}

const quiet = {
  LC_ALL: 'C',
  GIT_TERMINAL_PROMPT: '0',
  GIT_EDITOR: 'true',
  GIT_SEQUENCE_EDITOR: 'true',
  GIT_PAGER: 'cat',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  GIT_SSH_COMMAND: 'false',
};

/** As numbered variables, not `-c`: names may hold `=`, and child processes of git inherit them. */
function configVariables(entries: readonly ConfigEntry[]): Environment {
  const variables: Record<string, string> = { GIT_CONFIG_COUNT: String(entries.length) };
  for (const [index, [key, value]] of entries.entries()) {
    variables[`GIT_CONFIG_KEY_${index}`] = key;
    variables[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  return variables;
}

/**
 * Overrides for the filter, merge and hook programs that the repository's configuration names. Costs a process only
 * when the configuration text mentions such a thing and has changed since the last look.
 */
export function createDriverOverrides(basics: Environment) {
  const known = new Map<
    string,
    { readonly text: string; readonly overrides: readonly ConfigEntry[] }
  >();

  return async (at: Checkout, signal: AbortSignal): Promise<readonly ConfigEntry[]> => {
    const text = configText(at);
    if (!mentionsPrograms(text)) return [];
    const cached = known.get(at.gitDir);
    if (cached?.text === text && !text.toLowerCase().includes('include')) return cached.overrides;
    const overrides = await listOverrides(at, basics, signal);
    known.set(at.gitDir, { text, overrides });
    return overrides;
  };
}

/** Read before every command, so at once: handing it to another thread takes longer than the reading. */
function configText(at: Checkout): string {
  const files = [path.join(at.commonDir, 'config'), path.join(at.gitDir, 'config.worktree')];
  return files.map(textOf).join('\0');
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // One that is absent or cannot be read names no program to git either.
    return '';
  }
}

/** Section names cannot be escaped, so their absence in the text is proof. */
function mentionsPrograms(text: string): boolean {
  const lower = text.toLowerCase();
  return ['filter', 'merge', 'hook', 'include'].some((word) => lower.includes(word));
}

async function listOverrides(
  at: Checkout,
  basics: Environment,
  signal: AbortSignal,
): Promise<readonly ConfigEntry[]> {
  const env = {
    ...basics,
    ...quiet,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_SYSTEM: '/dev/null',
  };
  const args = ['config', '--list', '--name-only', '-z'];
  const output = await gitOutput({ at, args, env, signal, maxOutputBytes: 4 * 1024 * 1024 });
  const names = new Set(output.toString('latin1').split('\0'));
  return [...names].flatMap(overridesFor);
}

function overridesFor(latin1Name: string): readonly ConfigEntry[] {
  const first = latin1Name.indexOf('.');
  const last = latin1Name.lastIndexOf('.');
  if (first === last) return [];
  const section = latin1Name.slice(0, first);
  if (section !== 'filter' && section !== 'merge' && section !== 'hook') return [];
  const driver = `${section}.${utf8Name(latin1Name.slice(first + 1, last))}`;
  const variable = latin1Name.slice(last + 1);
  if (section === 'merge') {
    // An empty driver would count every merge as clean; this is what git does without a driver.
    return variable === 'driver' ? [[`${driver}.driver`, 'git merge-file -q %A %O %B']] : [];
  }
  if (section === 'hook') return [[`${driver}.enabled`, 'false']];
  return [
    [`${driver}.clean`, ''],
    [`${driver}.smudge`, ''],
    [`${driver}.process`, ''],
    [`${driver}.required`, 'false'],
  ];
}

/** A name that is not UTF-8 cannot be passed on, so it could not be overridden either. */
function utf8Name(latin1Name: string): string {
  const bytes = Buffer.from(latin1Name, 'latin1');
  const name = bytes.toString('utf8');
  if (Buffer.from(name, 'utf8').equals(bytes)) return name;
  throw new LoopwrightError(
    'git.unsafe_config',
    `The repository's git config has a driver with an unreadable name: ${name}`,
    {
      hint: 'Remove that section from the git config of the repository.',
    },
  );
}

function pick(caller: CallerEnvironment, names: readonly string[]): Environment {
  const picked: Record<string, string> = {};
  for (const name of names) {
    const value = caller[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}
