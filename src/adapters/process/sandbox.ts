/**
 * The walls of `sandbox: bubblewrap`: the working folder can be written, the rest of the file system only read; home,
 * temporary folders and the sockets of the machine's services are not there, but for what the program needs. The containment
 * is the same as without walls.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir, tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { LoopwrightError } from '../../core/error.ts';
import type { ProcessSpec, Sandbox } from '../../ports/process.ts';
import { bubblewrapNamespace, findFault, findTool, type Enclosure } from './containment.ts';
import { programFolders } from './program-folders.ts';

const temporary = ['/tmp', '/var/tmp'] as const;

/** Throws `sandbox.unavailable` without bubblewrap, and `sandbox.path` when a path to be opened is not there. */
export function sandboxEnclosure(spec: Spec, sandbox: Sandbox): Enclosure {
  const bwrap = findTool('bwrap');
  if (bwrap === null) throw sandboxUnavailable(notInstalled);
  return { mode: 'bubblewrap', prefix: [bwrap, ...wallsOf(spec, sandbox), '--'] };
}

const notInstalled = 'bubblewrap is not installed';

/** Why no sandbox can be made on this machine, found out by making one; null when it can. */
export function findSandboxFault(): string | null {
  if (findTool('bwrap') === null) return notInstalled;
  const sandbox = { network: false, writable: [], readable: [], hidden: [] };
  return findFault(sandboxEnclosure({ argv: ['true'], cwd: tmpdir(), env: {} }, sandbox));
}

export function sandboxUnavailable(reason: string): LoopwrightError {
  return new LoopwrightError(
    'sandbox.unavailable',
    `\`sandbox: bubblewrap\` is asked for, but is not available here: ${reason}.`,
    {
      hint: 'Install bubblewrap and allow user namespaces, or set `sandbox: off` to run agents without walls.',
    },
  );
}

type Spec = Pick<ProcessSpec, 'argv' | 'cwd' | 'env'>;

function wallsOf(spec: Spec, sandbox: Sandbox): readonly string[] {
  const homes = homesOf(spec);
  const home = homes[0] ?? '/';
  const gone = [...temporary, '/run', ...homes];
  const isGone = (file: string): boolean => gone.some((folder) => isInside(file, folder));
  const bind = (how: '--bind' | '--ro-bind', file: string): readonly string[] => {
    const target = real(file);
    if (target === null) return [];
    // A link that is hidden itself has to be stood in for.
    const places = file !== target && isGone(file) ? [target, file] : [target];
    return places.flatMap((place) => [how, target, place]);
  };
  const needed = [...programFolders(spec), ...sandbox.readable, '/etc/resolv.conf'].filter(
    (file) => isGone(file) || isGone(real(file) ?? file),
  );
  const open = [spec.cwd, ...sandbox.writable.map((file) => requireOpen(file, home))];
  const veiled = (sandbox.veiled ?? []).flatMap((folder) => real(folder) ?? []).filter(isFolder);
  const unveiled = (file: string): boolean =>
    veiled.some((folder) => (real(file) ?? file).startsWith(`${folder}/`));
  return [
    ...visible,
    ...(process.getuid?.() === 0 ? kernelSettings : []),
    ...gone.filter(isFolder).flatMap(privateFolder),
    ...needed.flatMap((file) => bind('--ro-bind', file)),
    ...open.flatMap((file) => bind('--bind', file)),
    // Behind what holds it, before what it holds.
    ...veiled.flatMap(privateFolder),
    ...[...programFolders(spec), ...sandbox.readable]
      .filter(unveiled)
      .flatMap((file) => bind('--ro-bind', file)),
    ...open.filter(unveiled).flatMap((file) => bind('--bind', file)),
    ...gitFiles(spec.cwd).flatMap((file) => bind('--ro-bind', file)),
    ...sandbox.hidden.flatMap((file) => hide(inHome(file, home))),
    ...bubblewrapNamespace,
    ...powerless,
    ...(sandbox.network ? [] : ['--unshare-net']),
    ...temporaryVariables(spec),
    '--chdir',
    spec.cwd,
  ];
}

const visible = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'] as const;
/** Root may write these even without its powers, and bubblewrap leaves them open to it. */
const kernelSettings = ['--ro-bind', '/proc/sys', '/proc/sys'] as const;
/** Root without its powers cannot take the walls down; for others there is nothing to drop. */
const powerless = [
  '--unshare-ipc',
  '--unshare-uts',
  '--unshare-cgroup-try',
  '--cap-drop',
  'ALL',
] as const;

/** The one the program is told of, and the user's own wherever `HOME` points. A home that holds everything hides nothing. */
function homesOf({ env, cwd }: Spec): readonly string[] {
  const named = [env['HOME'], homedir(), registeredHome()].flatMap((home) =>
    home !== undefined && path.isAbsolute(home) ? [path.normalize(home)] : [],
  );
  const isHome = (home: string): boolean => home !== '/' && home !== path.normalize(cwd);
  return [...new Set(named.map((home) => real(home) ?? home))].filter(isHome);
}

/** The home the system knows; absent for a user it does not know. */
function registeredHome(): string | undefined {
  try {
    return userInfo().homedir;
  } catch {
    // A container may run with a user id that has no entry.
    return undefined;
  }
}

/** As they would be found there, empty; temporary ones for everybody. */
function privateFolder(folder: string): readonly string[] {
  const isTemporary = temporary.some((name) => name === folder);
  return ['--perms', isTemporary ? '1777' : '0755', '--tmpfs', folder];
}

function hide(file: string): readonly string[] {
  const target = real(file);
  if (target === null) return [];
  return isFolder(target)
    ? ['--perms', '0555', '--tmpfs', target, '--remount-ro', target]
    : ['--ro-bind', '/dev/null', target];
}

function requireOpen(file: string, home: string): string {
  const wanted = inHome(file, home);
  if (path.isAbsolute(wanted) && existsSync(wanted)) return wanted;
  throw new LoopwrightError(
    'sandbox.path',
    `The sandbox is to let agents write ${file}, which ${path.isAbsolute(wanted) ? 'does not exist' : 'is no absolute path'}.`,
    { hint: 'Correct `sandbox.writable`, or create it.' },
  );
}

function inHome(file: string, home: string): string {
  return file === '~' || file.startsWith('~/') ? path.join(home, file.slice(1)) : file;
}

/**
 * What says where the repository is, and the repository's own files: whoever writes those makes git run what they like. As
 * mount points of their own they can be neither moved nor replaced.
 */
function gitFiles(folder: string): readonly string[] {
  const entry = path.join(folder, '.git');
  if (!existsSync(entry)) return [];
  if (isFolder(entry)) return [entry];
  const gitDir = pointedTo(entry, /^gitdir: (.+)$/m);
  if (gitDir === null) return [entry];
  const common = pointedTo(path.join(gitDir, 'commondir'), /^(.+)$/m);
  return [...(common === null ? [] : [common]), gitDir, entry];
}

function pointedTo(file: string, pattern: RegExp): string | null {
  try {
    const target = pattern.exec(readFileSync(file, 'utf8'))?.[1];
    return target === undefined ? null : path.resolve(path.dirname(file), target);
  } catch {
    // Not there: a repository of its own, or none.
    return null;
  }
}

/** A temporary folder of the outside is not there. */
function temporaryVariables({ env }: Spec): readonly string[] {
  const names = ['TMPDIR', 'TMP', 'TEMP'].filter((name) => env[name] !== undefined);
  return names.flatMap((name) => ['--setenv', name, '/tmp']);
}

function isInside(file: string, folder: string): boolean {
  return file === folder || file.startsWith(`${folder}/`);
}

function real(file: string): string | null {
  try {
    return realpathSync(file);
  } catch {
    return null;
  }
}

function isFolder(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
