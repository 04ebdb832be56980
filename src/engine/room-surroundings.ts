import { lstat, readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { isClimbedTo, climbed } from '../core/judge/climbed.ts';
import { agentTimes } from '../core/loop/agent-times.ts';
import type { Loop } from '../core/loop/loop.ts';
import { newPaths } from './changed-files.ts';
import { changedDependencies } from './changed-dependencies.ts';
import { changedLibraries } from './changed-libraries.ts';
import { changedPrograms } from './changed-programs.ts';
import { lookAtToolchains, type CleanHome } from './clean-home.ts';
import type { Engine } from './engine.ts';

export type Around = {
  /** What refuses a confirmation, a sentence each. */
  readonly findings: readonly string[];
  readonly home: CleanHome;
  /** What the home of a clean checkout does not have because it is new, a sentence each. */
  readonly absent: readonly string[];
  /** Caches of linked folders, relative to the project, that were filled since. */
  readonly without: readonly string[];
};

/**
 * What stands around clean checkouts and was put there or changed while the loop's agent worked: configuration of runners in the
 * folders above them, programs that the checks start and what these load, dependencies in the user's checkout, toolchains in the
 * home. The time is that of the inode, which no program sets.
 */
export async function lookAround(
  engine: Engine,
  loop: Loop,
  changesDependencies: boolean,
): Promise<Around> {
  const isTime = agentTimes(loop.iterations);
  const toolchains = await lookAtToolchains(engine.env['HOME'] ?? null, isTime);
  const dependencies = changesDependencies
    ? { findings: [], caches: [] }
    : await changedDependencies(engine, loop, isTime);
  const findings = [
    ...(await newAbove(engine.roomsDir, isTime)),
    ...(await newAbove(await realOf(engine.roomsDir), isTime)),
    ...(await newInSystem(isTime)),
    ...(await changedPrograms(engine, loop, isTime)),
    ...(await changedLibraries(engine, toolchains, isTime)),
    ...dependencies.findings,
  ];
  const home = { toolchains, withNew: changesDependencies };
  return {
    findings: [...new Set(findings)],
    home,
    absent: absentIn(home),
    without: dependencies.caches,
  };
}

const shownAbsent = 5;

function absentIn({ toolchains, withNew }: CleanHome): readonly string[] {
  if (withNew) return [];
  const files = toolchains.flatMap(({ source, change }) =>
    newPaths(change).map((file) => path.join(source, file)),
  );
  return files
    .slice(0, shownAbsent)
    .map(
      (file) => `${file} was made or changed since the loop began and is left out of clean homes`,
    );
}

/** Where it is once links are followed, as far as it is there. */
async function realOf(folder: string): Promise<string> {
  const real = await realpath(folder).catch(() => null);
  if (real !== null || folder === path.dirname(folder)) return real ?? folder;
  return path.join(await realOf(path.dirname(folder)), path.basename(folder));
}

async function newAbove(
  start: string,
  isTime: (ms: number) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let folder = start; ; folder = path.dirname(folder)) {
    if ((await lstat(folder).catch(() => null))?.isSymbolicLink() === true) {
      if (await isNew(folder, isTime)) found.push(`${folder} became a link since the loop began`);
    }
    const configs = (await readdir(folder).catch(() => [])).filter(isClimbedTo);
    for (const name of new Set([...climbed, ...configs])) {
      const file = path.join(folder, name);
      if (!(await isNew(file, isTime))) continue;
      found.push(`${file} was made or changed since the loop began, and runners look for it there`);
    }
    if (folder === path.dirname(folder)) return found;
  }
}

/** Configuration of the machine that programs obey wherever they run; only root writes there. */
const ofTheSystem: readonly string[] = [
  '/etc/environment',
  '/etc/gitconfig',
  '/etc/ld.so.preload',
  '/etc/npmrc',
  '/etc/pip.conf',
  '/etc/bazel.bazelrc',
  '/usr/etc/npmrc',
  '/usr/local/etc/npmrc',
];

async function newInSystem(isTime: (ms: number) => boolean): Promise<readonly string[]> {
  const found: string[] = [];
  for (const file of ofTheSystem) {
    if (!(await isNew(file, isTime))) continue;
    found.push(`${file} was made or changed since the loop began, and programs obey it`);
  }
  return found;
}

async function isNew(file: string, isTime: (ms: number) => boolean): Promise<boolean> {
  const found = await lstat(file).catch(() => null);
  return found !== null && isTime(found.ctimeMs);
}
