import { existsSync } from 'node:fs';
import path from 'node:path';
import type { BranchLog, LoggedMove } from '../../core/loop/base-move.ts';
import { smallText } from '../files/small-file.ts';
import { listLinkedCheckouts } from './linked-checkouts.ts';
import { isAncestor, isObjectId, type Repository } from './repository.ts';
import { listCheckoutsOf } from './user-checkouts.ts';

/** What git has recorded of a branch. Reads the files of the logs; other formats of refs have none, and then nothing is known. */
export async function readBranchLog(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<BranchLog> {
  const { main } = repository;
  const ref = `refs/heads/${branch}`;
  const showing = await listCheckoutsOf(repository, ref, signal);
  const users = showing.filter(({ gitDir }) => !isOfLoop(gitDir, main.gitDir));
  const linked = await listLinkedCheckouts(main.commonDir);
  const loops = linked.filter(({ gitDir }) => isOfLoop(gitDir, main.gitDir));
  const headsOf = (places: readonly { readonly gitDir: string }[]) =>
    places.flatMap(({ gitDir }) => readLog(path.join(gitDir, 'logs/HEAD')) ?? []);
  return {
    moves: readLog(path.join(main.commonDir, 'logs', ref)),
    shown: users.length === 0 ? null : headsOf(users),
    inLoops: headsOf(loops),
  };
}

/** The engine keeps a folder of its own in the git folders of loops' worktrees. */
function isOfLoop(gitDir: string, mainDir: string): boolean {
  return gitDir !== mainDir && existsSync(path.join(gitDir, 'loopwright'));
}

/** Logs grow for years. */
const longestLog = 64 * 1024 * 1024;

function readLog(file: string): readonly LoggedMove[] | null {
  const text = smallText(file, 'latin1', longestLog);
  return text === null ? null : text.split('\n').flatMap(parseLine);
}

/** `from to name <mail> seconds zone TAB message`; what is not such a line is passed over. */
function parseLine(line: string): readonly LoggedMove[] {
  const tab = line.indexOf('\t');
  const head = tab === -1 ? line : line.slice(0, tab);
  const [from = '', to = ''] = head.split(' ', 2);
  const time = Number(head.split(' ').at(-2));
  if (!isObjectId(from) || !isObjectId(to) || !Number.isSafeInteger(time)) return [];
  return [{ from, to, time, message: tab === -1 ? '' : line.slice(tab + 1) }];
}

/** Whether a commit has work that is on a branch and that none of the others has. */
export async function bringsWorkOf(
  repository: Repository,
  { commit, than, branch }: { commit: string; than: readonly string[]; branch: string },
  signal: AbortSignal,
): Promise<boolean> {
  const args = ['merge-base', commit, `refs/heads/${branch}`];
  const { exitCode, stdout } = await repository.run({ args, signal });
  const shared = stdout.toString('utf8').trim();
  if (exitCode !== 0 || !isObjectId(shared)) return false;
  for (const each of than) {
    if (await isAncestor(repository, shared, each, signal)) return false;
  }
  return true;
}
