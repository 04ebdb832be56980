/**
 * How a run's processes are kept together. A namespace of process ids is closed by the kernel: when its first process ends,
 * for whatever reason, everything in it is killed, and the first process is gone only when all the others are.
 * Without one, a cgroup of our own holds what a program starts; without that too, it has to be searched for.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import path from 'node:path';
import { weakContainment } from '../../core/loop/weak-containment.ts';
import type { Containment, ContainmentMode } from '../../ports/process.ts';
import { probeCgroup } from './cgroup.ts';
import { pathFolders } from './path-folders.ts';

/** A way to start a program. */
export type Enclosure = {
  readonly mode: ContainmentMode;
  /** Stands before the program's own arguments. Empty: started as it is. */
  readonly prefix: readonly string[];
  /** Every program gets a cgroup of its own below this one. */
  readonly cgroup?: string;
};

/** What can be tried on this machine, the best first, and why the others cannot. */
export type Candidates = {
  readonly enclosures: readonly Enclosure[];
  readonly obstacles: readonly string[];
};

export const plainEnclosure: Enclosure = { mode: 'process-group', prefix: [] };

/** True where the kernel guarantees that nothing of a run outlives it. */
export function isNamespace(mode: string | undefined): boolean {
  return mode === 'bubblewrap' || mode === 'unshare';
}

/**
 * All but the last may turn out not to work. In both kinds of namespace the kernel kills the first process when its
 * keeper dies, and the keeper when this process dies (more exactly: the thread that started it).
 */
export function candidateEnclosures(): Candidates {
  const found = [bubblewrap(), unshare()];
  return {
    enclosures: [...found.flatMap(({ enclosures }) => enclosures), plainEnclosure],
    obstacles: found.flatMap(({ obstacles }) => obstacles),
  };
}

/** Everything as outside, but for the process ids. */
function bubblewrap(): Candidates {
  const bwrap = findTool('bwrap');
  if (bwrap === null) return { enclosures: [], obstacles: ['bubblewrap: not installed'] };
  const prefix = [bwrap, '--dev-bind', '/', '/', '--proc', '/proc', ...bubblewrapNamespace, '--'];
  return { enclosures: [{ mode: 'bubblewrap', prefix }], obstacles: [] };
}

/** The same with nothing but util-linux. */
function unshare(): Candidates {
  const [setpriv, unsharer, setsid] = ['setpriv', 'unshare', 'setsid'].map(findTool);
  if (setpriv == null || unsharer == null || setsid == null) {
    const obstacle = 'unshare: util-linux (setpriv, unshare, setsid) is not installed';
    return { enclosures: [], obstacles: [obstacle] };
  }
  const ties = [setpriv, '--pdeathsig', 'KILL', unsharer, '--pid', '--fork', '--kill-child=KILL'];
  const asRoot = [...ties, '--mount-proc', setsid];
  const asUser = [...ties, '--user', '--map-current-user', '--mount-proc', setsid];
  // Without a user namespace root keeps set-user-ID programs and sees the owners of files.
  const prefixes = process.getuid?.() === 0 ? [asRoot, asUser] : [asUser];
  return { enclosures: prefixes.map((prefix) => ({ mode: 'unshare', prefix })), obstacles: [] };
}

/** The next best, looked for only when it is needed: making and removing a cgroup can take the kernel tens of milliseconds. */
export function cgroupCandidates(): Candidates {
  const probe = probeCgroup();
  if ('obstacle' in probe) return { enclosures: [], obstacles: [`cgroup: ${probe.obstacle}`] };
  return { enclosures: [{ mode: 'cgroup', prefix: [], cgroup: probe.parent }], obstacles: [] };
}

/** Own process ids and session; the first process is ours; everything dies with the one who started it. */
export const bubblewrapNamespace = [
  '--unshare-pid',
  '--as-pid-1',
  '--new-session',
  '--die-with-parent',
] as const;

/** Why it does not work, in one line; null when it does. Takes some milliseconds in which nothing else happens. */
export function findFault({ prefix }: Enclosure): string | null {
  const [program = '/bin/sh', ...args] = prefix;
  const shell = program === '/bin/sh' ? [] : ['/bin/sh'];
  const check =
    '[ "$$" = 1 ] && [ -e /proc/1/fd ] || { echo "not the first process" >&2; exit 1; }';
  const { status, error, stderr } = spawnSync(program, [...args, ...shell, '-c', check], {
    cwd: '/',
    env: { PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: 5000,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  if (status === 0) return null;
  return error?.message ?? lastLine(stderr) ?? `exit code ${status}`;
}

/** Tries what there is, the best first. */
export function probeEnclosures(candidates: Candidates): {
  readonly enclosure: Enclosure;
  readonly obstacles: readonly string[];
} {
  const obstacles = [...candidates.obstacles];
  for (const enclosure of candidates.enclosures) {
    if (enclosure.prefix.length === 0) break;
    const fault = findFault(enclosure);
    if (fault === null) return { enclosure, obstacles };
    obstacles.push(`${enclosure.mode}: ${fault}`);
  }
  const { enclosures, obstacles: more } = cgroupCandidates();
  return { enclosure: enclosures[0] ?? plainEnclosure, obstacles: [...obstacles, ...more] };
}

/** What a supervisor of this process uses, found out by trying it. For people who ask. */
export function currentContainment(): Containment {
  const { enclosure, obstacles } = probeEnclosures(candidateEnclosures());
  return describeContainment(enclosure, obstacles);
}

export function describeContainment(
  { mode, prefix }: Enclosure,
  obstacles: readonly string[],
): Containment {
  if (isNamespace(mode)) {
    const isPrivileged = mode === 'unshare' && !prefix.includes('--user');
    const limits = `Strong containment: nothing outlives its run, nor the engine.${
      isPrivileged ? '' : ' Programs such as sudo do not work inside.'
    }`;
    return { mode, strength: 'strong', sweepsEscaped: true, limits, obstacles };
  }
  if (mode === 'cgroup') {
    const limits =
      'Contained by a cgroup: nothing outlives its run unless it moves to another cgroup and clears its environment; a watchdog ends it with the engine.';
    return { mode, strength: 'strong', sweepsEscaped: true, limits, obstacles };
  }
  const sweepsEscaped = existsSync('/proc/self/environ');
  const limits = capitalised(weakContainment({ hasProc: sweepsEscaped }));
  return { mode, strength: 'weak', sweepsEscaped, limits, obstacles };
}

function capitalised(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const usualFolders = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/sbin', '/sbin'];

/** By this process's own PATH: an agent's environment has no say in what contains it. */
export function findTool(name: string): string | null {
  const folders = pathFolders(process.env['PATH'] ?? '').filter((folder) => folder.startsWith('/'));
  const files = [...folders, ...usualFolders].map((folder) => path.join(folder, name));
  return files.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function lastLine(text: string): string | null {
  const line = text.trim().split('\n').at(-1)?.trim() ?? '';
  return line === '' ? null : line.slice(0, 300);
}
