import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Findings } from '../findings.ts';
import { baseBranch, type Ground } from '../ground.ts';
import { run } from '../shell.ts';

/** What a user does with git, whatever was killed before: it has to work. */
export async function judgeCommands({ git }: Ground, findings: Findings): Promise<void> {
  const commands = [
    ['branch', '--all'],
    ['log', '--all', '--oneline', '--max-count=3'],
    ['worktree', 'list'],
    ['stash', 'list'],
    ['--no-optional-locks', 'status', '--porcelain'],
    ['fetch', '--quiet', '.', `${baseBranch}:refs/heads/fetched`],
    ['update-ref', '-d', 'refs/heads/fetched'],
  ];
  for (const args of commands) {
    const done = await git(...args);
    if (done.code !== 0) findings.add('gitDamaged', `git ${args[0]} fails: ${firstLine(done.err)}`);
  }
}

/** Every registered worktree is whole; the git folder of one names its place, its HEAD and its repository. */
export function judgeRegistrations({ repo }: Ground, findings: Findings): void {
  for (const name of worktreeNames(repo)) {
    const missing = ['HEAD', 'commondir', 'gitdir'].filter((file) => {
      const found = statSync(`${repo}/.git/worktrees/${name}/${file}`, { throwIfNoEntry: false });
      return found === undefined || found.size === 0;
    });
    if (missing.length > 0) {
      findings.add('gitDamaged', `the registration ${shape(name)} has no ${missing.join(', ')}`);
    }
  }
}

/** No loop's branch holds a commit that another loop's agent made and that is not in the base. */
export async function judgeBranches({ git }: Ground, findings: Findings): Promise<void> {
  const format = '--format=%(trailers:key=Loopwright-Loop,valueonly,separator=%x2C)';
  const listed = await git('for-each-ref', '--format=%(refname)', 'refs/heads/loopwright');
  for (const ref of listed.out.split('\n').filter((line) => line !== '')) {
    const owners = await git('log', format, ref, `^${baseBranch}`, '--');
    const touched = await git(
      'log',
      '--format=',
      '--name-only',
      ref,
      `^${baseBranch}`,
      '--',
      'person',
    );
    if (touched.out.trim() !== '') {
      findings.add(
        'branchesMixed',
        "a loop's commits change files of the person, which no agent did",
      );
    }
    const own = path.basename(ref);
    const foreign = owners.out.split('\n').filter((each) => each !== '' && each !== own);
    if (foreign.length > 0) {
      findings.add(
        'branchesMixed',
        `a loop's branch holds commits of ${new Set(foreign).size} other loops`,
      );
    }
  }
}

/** Nothing of ours is left, and the repository is sound, also when everything unreachable is gone. */
export async function judgeRest(ground: Ground, findings: Findings): Promise<void> {
  const { repo, git } = ground;
  const users = ground.checkout === null || ground.checkout === repo ? [] : ['linked'];
  const strange = worktreeNames(repo).filter((name) => !users.includes(name));
  if (strange.length > 0)
    findings.add('leftovers', `worktrees left: ${strange.map(shape).join(', ')}`);
  const folders = names(`${repo}/.loopwright/worktrees`).filter(
    // A copy keeps what it has of the worktrees of its original, and says so.
    (name) => name !== '.pool' && !/\.replaced-\d+$/.test(name),
  );
  if (folders.length > 0)
    findings.add('leftovers', `folders left: ${folders.map(shape).join(', ')}`);
  const branches = (await git('branch', '--list', 'loopwright/*')).out.split('\n').filter(Boolean);
  if (branches.length > 0) findings.add('leftovers', `${branches.length} branches of loops left`);
  const locks = names(`${repo}/.git`, true).filter((name) => name.endsWith('.lock'));
  if (locks.length > 0) findings.add('leftovers', `locks left: ${locks.join(', ')}`);
  for (const args of [
    ['fsck', '--full', '--no-dangling'],
    ['gc', '--quiet', '--prune=now'],
    ['fsck', '--full'],
  ]) {
    const done = await git(...args);
    if (done.code !== 0) findings.add('gitDamaged', `git ${args[0]}: ${firstLine(done.err)}`);
  }
}

/** After the user's `git gc`, what loops did can still be looked at. */
export async function judgeHistory(
  { repo, env }: Ground,
  entry: string,
  loops: readonly string[],
  findings: Findings,
): Promise<void> {
  for (const loop of loops) {
    const done = await run(process.execPath, [entry, 'loop', 'diff', loop], { cwd: repo, env });
    if (done.code !== 0)
      findings.add('commitsLost', `loop diff after git gc: ${firstLine(done.err)}`);
  }
}

function worktreeNames(repo: string): readonly string[] {
  return names(`${repo}/.git/worktrees`);
}

function names(folder: string, recursive = false): readonly string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive, encoding: 'utf8' }) : [];
}

/** Loops are named anew in every round; the same finding has the same words. */
export function shape(text: string): string {
  return text.replaceAll(/(loop|t|s)-[0-9a-f]{8,}/g, '$1-…').replaceAll(/\b[0-9a-f]{40}\b/g, '…');
}

/** What went wrong: the line that says so, or the first one. */
export function firstLine(text: string): string {
  const lines = text.trim().split('\n');
  return shape(lines.find((line) => /error|fatal/.test(line)) ?? lines[0] ?? '').slice(0, 200);
}
