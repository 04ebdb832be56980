import type { GitRepo } from './git-repo.ts';

const commands = [
  ['branch', '-a'],
  ['worktree', 'list'],
  ['log', '--oneline', '--all'],
  ['stash', 'list'],
  ['fetch', '.'],
  ['status', '--porcelain'],
  ['gc', '--quiet'],
  ['fsck', '--no-dangling'],
];

/** What people type every day, each with what went wrong; nothing when all of it works. */
export async function userGitFailures(repo: GitRepo): Promise<readonly string[]> {
  const failures: string[] = [];
  for (const args of commands) {
    await repo.git(...args).catch((error: unknown) => failures.push(String(error)));
  }
  const list = await repo.git('worktree', 'list', '--porcelain').catch(() => '');
  for (const line of list.split('\n')) {
    if (/^(?:prunable|HEAD 0+$)/.test(line)) failures.push(`worktree list: ${line}`);
  }
  return failures;
}
