/**
 * Processes kept together by a cgroup (version 2) of our own. Whatever a program starts is born into its cgroup, and the kernel
 * kills all that is in there at once (`cgroup.kill`), so nothing escapes by forking, changing its session or clearing its
 * environment. Unlike a namespace it does not die with us by itself, and a program with our rights can move out of it: the
 * watchdog and the search by descent and mark stay in place.
 */
import {
  accessSync,
  constants,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { isLiving, readStat, type ProcessStat } from './proc.ts';
import type { ProcessTree } from './tree.ts';

export type CgroupProbe = { readonly parent: string } | { readonly obstacle: string };

const prefix = 'loopwright-';

/**
 * The cgroup this process is in, if it may make others below it. `root` stands for `/`. Takes well below a millisecond and
 * leaves nothing behind.
 */
export function probeCgroup(root = '/'): CgroupProbe {
  const parent = ownCgroup(root);
  if (typeof parent !== 'string') return parent;
  const trial = path.join(parent, `${prefix}trial-${process.pid}`);
  try {
    // To move a process, its old place must be ours as well.
    accessSync(path.join(parent, 'cgroup.procs'), constants.W_OK);
    mkdirSync(trial);
  } catch (error) {
    return { obstacle: `${parent} is not ours to write (${codeOf(error)})` };
  }
  try {
    accessSync(path.join(trial, 'cgroup.kill'), constants.W_OK);
    sweep(parent);
    return { parent };
  } catch {
    return { obstacle: 'the kernel has no cgroup.kill (before Linux 5.14)' };
  } finally {
    removeCgroup(trial);
  }
}

function ownCgroup(root: string): string | { readonly obstacle: string } {
  const mounts = textOf(path.join(root, 'proc/self/mountinfo'));
  const groups = textOf(path.join(root, 'proc/self/cgroup'));
  const own = groups?.split('\n').find((line) => line.startsWith('0::'));
  for (const line of mounts?.split('\n') ?? []) {
    const [fields = '', type = ''] = line.split(' - ');
    if (!type.startsWith('cgroup2 ')) continue;
    const [, , , mounted = '', point = ''] = fields.split(' ');
    const place = own?.slice('0::'.length) ?? '/..';
    const inside = path.relative(mounted, place);
    // A path that leads upwards is how a container is told of a cgroup outside of its own.
    if (place.startsWith('/..') || inside.split('/')[0] === '..')
      return { obstacle: 'this process is in none of version 2' };
    return path.join(root, point, inside);
  }
  return { obstacle: 'version 2 is not mounted' };
}

/** Puts a process that has not acted yet into a cgroup of its own, whose path names it for good. */
export function joinCgroup(parent: string, pid: number): string {
  const dir = path.join(parent, `${prefix}${pid}-${readStat(pid)?.startTime ?? 'gone'}`);
  mkdirSync(dir, { recursive: true });
  try {
    writeFileSync(path.join(dir, 'cgroup.procs'), String(pid));
    return dir;
  } catch (error) {
    removeCgroup(dir);
    throw error;
  }
}

/** What is in the cgroup, and what the other search finds: a process that moved out may still be a descendant. */
export function createCgroupTree(dir: string, others: ProcessTree): ProcessTree {
  return {
    async find() {
      const found = new Map((await others.find()).map((stat) => [stat.pid, stat]));
      for (const stat of members(dir)) found.set(stat.pid, stat);
      return [...found.values()];
    },
    signal(found, name) {
      if (name === 'SIGKILL') killCgroup(dir);
      others.signal(found, name);
    },
  };
}

function killCgroup(dir: string): void {
  try {
    writeFileSync(path.join(dir, 'cgroup.kill'), '1');
  } catch (error) {
    // It is gone when everything in it is.
    if (codeOf(error) !== 'ENOENT') throw error;
  }
}

function members(dir: string): readonly ProcessStat[] {
  return [dir, ...below(dir)].flatMap((folder) => {
    const pids = (textOf(path.join(folder, 'cgroup.procs')) ?? '').split('\n').map(Number);
    return pids.flatMap((pid) => {
      const stat = pid > 0 && pid !== process.pid ? readStat(pid) : null;
      return stat !== null && isLiving(stat) ? [stat] : [];
    });
  });
}

/** The cgroups that programs have made inside, outer ones first. */
function below(dir: string): readonly string[] {
  try {
    const entries = readdirSync(dir, { withFileTypes: true }).filter((each) => each.isDirectory());
    const inner = entries.map(({ name }) => path.join(dir, name));
    return inner.flatMap((each) => [each, ...below(each)]);
  } catch {
    // Gone meanwhile.
    return [];
  }
}

/** Removes a cgroup that is empty; false when it is not. */
export function removeCgroup(dir: string): boolean {
  try {
    for (const folder of [...below(dir).toReversed(), dir]) rmdirSync(folder);
    return true;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}

/** Those of runs whose engine was killed, once they are empty. One in use cannot be removed. */
function sweep(parent: string): void {
  for (const name of readdirSync(parent)) {
    const isOurs = /^loopwright-(?:trial-)?\d+(?:-\d+)?$/.test(name);
    if (isOurs) removeCgroup(path.join(parent, name));
  }
}

function textOf(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
