import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { lstat, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Judges } from '../core/loop/judges.ts';
import type { Loop } from '../core/loop/loop.ts';
import {
  judgingPrograms,
  shadowable,
  shadowableModules,
  startedCommands,
  toolPaths,
  validatorWords,
} from '../core/verdict/check-command.ts';
import type { Engine } from './engine.ts';
import { judgingCommands } from './find-judge.ts';
import { listRunnerConfigs } from './runner-configs.ts';

const maxManifestBytes = 1024 * 1024;
const maxProgramBytes = 16 * 1024 * 1024;
/** npm puts it in front of everything else on the path of its scripts. */
const npmPrograms = 'node_modules/.bin';

/** Scripts and programs that decide a verdict, as they are in a worktree that no agent has touched. */
export async function lookAtJudges(engine: Engine, loop: Loop, cwd: string): Promise<Judges> {
  const manifests = {
    packageJson: await readOwnFile(path.join(cwd, 'package.json')),
    makefile:
      (await readOwnFile(path.join(cwd, 'Makefile'))) ??
      (await readOwnFile(path.join(cwd, 'makefile'))),
  };
  const commands = startedCommands(judgingCommands(loop.settings), manifests);
  const files: string[] = [];
  for (const word of validatorWords(commands)) {
    if (await isOwnFile(path.join(cwd, word))) files.push(word);
  }
  const candidates = programPaths(engine, commands, cwd);
  return {
    files,
    programs: await digestPrograms(candidates, cwd),
    configs: await digestPrograms(await listRunnerConfigs(cwd), cwd),
  };
}

/** Configuration of runners that is new or changed and not among the judged files: ignore rules hide it. */
export async function hiddenConfigs(
  engine: Engine,
  { judges }: Loop,
  cwd: string,
  judged: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const before = judges?.configs;
  if (before === undefined) return [];
  const now = await digestPrograms(await listRunnerConfigs(cwd), cwd);
  const hidden: string[] = [];
  for (const [file, digest] of Object.entries(now)) {
    if (before[file] === digest) continue;
    if ((await engine.project.readAt(judged, file, 1, signal)) === null) hidden.push(file);
  }
  return hidden;
}

/** Programs that are other files than they were, or that newly stand in front of the real ones. */
export async function replacedPrograms(
  engine: Engine,
  loop: Loop,
  cwd: string,
): Promise<readonly string[]> {
  if (loop.judges === undefined) return [];
  const { programs } = loop.judges;
  const shadows = programFolders(engine, cwd).flatMap((folder) =>
    shadowable.map((name) => path.posix.join(folder, name)),
  );
  const now = await digestPrograms(
    [...Object.keys(programs), ...shadows, ...shadowableModules],
    cwd,
  );
  return Object.entries(now)
    .filter(([file, digest]) => programs[file] !== digest)
    .map(([file]) => file)
    .toSorted();
}

function programPaths(engine: Engine, commands: readonly string[], cwd: string): readonly string[] {
  const names = judgingPrograms(commands);
  const inFolders = programFolders(engine, cwd).flatMap((folder) =>
    names.map((name) => path.posix.join(folder, name)),
  );
  return [...inFolders, ...shadowableModules, ...toolPaths(commands)];
}

/** Folders inside the worktree that programs are looked for in, relative to it. */
function programFolders(engine: Engine, cwd: string): readonly string[] {
  const inside = (engine.env['PATH'] ?? '').split(path.delimiter).flatMap((entry) => {
    const relative = path.relative(cwd, path.resolve(cwd, entry));
    const isInside = !relative.startsWith('..') && !path.isAbsolute(relative);
    return isInside ? [relative === '' ? '.' : relative] : [];
  });
  return [...new Set([npmPrograms, ...inside])];
}

async function digestPrograms(
  files: readonly string[],
  cwd: string,
): Promise<Readonly<Record<string, string>>> {
  const digests: Record<string, string> = {};
  for (const file of new Set(files)) {
    const digest = await digestProgram(path.join(cwd, file));
    if (digest !== null) digests[file] = digest;
  }
  return digests;
}

/** Of what a link leads to: a program replaced behind its link is replaced. Null when there is no such file. */
async function digestProgram(file: string): Promise<string | null> {
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    // A pipe or a device is no program, and reading one may never end.
    if (found === undefined || !found.isFile()) return null;
    const { size, mtimeMs } = found;
    const content = size > maxProgramBytes ? `${size} ${mtimeMs}` : await readFile(file);
    return createHash('sha256').update(content).digest('hex').slice(0, 24);
  } catch {
    // Absent, a folder, or not to be read: no program that anything could run.
    return null;
  }
}

/** A file of the worktree itself; what a link leads to is not judged by its name. */
async function isOwnFile(file: string): Promise<boolean> {
  return lstat(file).then(
    (found) => found.isFile(),
    () => false,
  );
}

async function readOwnFile(file: string): Promise<string | null> {
  if (!(await isOwnFile(file))) return null;
  const { size } = await stat(file);
  return size > maxManifestBytes ? null : readFile(file, 'utf8');
}
