import { formatBytes } from '../../core/text/bytes.ts';
import { statfs } from 'node:fs/promises';
import { callerBasics } from '../../adapters/git/environment.ts';
import { git } from '../../adapters/git/git.ts';
import {
  currentContainment,
  describeContainment,
  plainEnclosure,
} from '../../adapters/process/containment.ts';
import { versions } from '../../adapters/process/own-process.ts';
import { findSandboxFault } from '../../adapters/process/sandbox.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { CliContext } from '../context.ts';
import { checked, fail, ok, warn, type Check } from './doctor-check.ts';

const oldestNode = [22, 18] as const;
const oldestGit = [2, 38] as const;

/** What the machine offers: Node, git, the way processes are kept together. */
export async function checkMachine(
  context: CliContext,
  signal: AbortSignal,
): Promise<readonly Check[]> {
  return [
    checkNode(),
    ...(await checked('git', () => checkGit(context, signal))),
    checkContainment(),
    checkSandbox(),
  ];
}

function checkNode(): Check {
  const text = `Node ${versions.node}, SQLite ${versions['sqlite'] ?? 'missing'}`;
  if (isAtLeast(versions.node, oldestNode)) return ok('node', text);
  return fail('node', `${text} is too old`, `install Node ${oldestNode.join('.')} or newer`);
}

async function checkGit({ cwd, env }: CliContext, signal: AbortSignal): Promise<Check> {
  const call = { at: { searchFrom: cwd }, args: ['--version'], env: callerBasics(env), signal };
  const { stdout } = await git(call);
  const version = /\d+\.\d+(?:\.\d+)?/.exec(stdout.toString('utf8'))?.[0] ?? 'unknown';
  if (isAtLeast(version, oldestGit)) return ok('git', `git ${version}`);
  return fail('git', `git ${version} is too old`, `install git ${oldestGit.join('.')} or newer`);
}

function isAtLeast(version: string, [major, minor]: readonly [number, number]): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** Only where the configuration asks for less than the machine could do. */
export function checkChosenContainment({ sandbox }: Settings): readonly Check[] {
  if (sandbox.containment !== 'process-group') return [];
  const { limits } = describeContainment(plainEnclosure, []);
  const text = `\`sandbox.containment: process-group\` is configured. ${limits}`;
  const next = 'set `sandbox.containment: auto` to take the best there is';
  return [warn('containment', text, next)];
}

function checkContainment(): Check {
  const { mode, strength, limits, obstacles } = currentContainment();
  if (strength === 'strong') return ok('containment', `by ${mode}. ${limits}`);
  return warn(
    'containment',
    [`by ${mode}. ${limits}`, ...obstacles].join(' '),
    'install bubblewrap, and allow user namespaces where they are switched off; or run in a cgroup of your own: `systemd-run --user --scope -p Delegate=yes loopwright run`',
  );
}

function checkSandbox(): Check {
  const fault = findSandboxFault();
  return fault === null
    ? ok('sandbox', '`sandbox: bubblewrap` can be used')
    : ok('sandbox', `none: ${fault}`);
}

/** Space for the state folder. */
export async function checkDisk(folder: string, { scheduler }: Settings): Promise<Check> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const text = `${formatBytes(free)} free in ${folder}`;
  const next = 'free some space, or keep state elsewhere with `store` and `workspace.dir`';
  if (free < scheduler['min-disk'])
    return fail('disk', `${text}: too little to start a loop`, next);
  return free < scheduler['warn-disk'] ? warn('disk', `${text}: little`, next) : ok('disk', text);
}
