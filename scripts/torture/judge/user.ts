import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import type { Findings } from '../findings.ts';
import { baseBranch, type Ground } from '../ground.ts';
import type { Person } from '../person.ts';
import { run } from '../shell.ts';

/** What belongs to the user, by name; the same at every moment, but for the base branch. */
export type UserThings = Readonly<Record<string, string>>;

export async function userThings({ repo, checkout, git }: Ground): Promise<UserThings> {
  const refs = (await git('for-each-ref', '--format=%(refname) %(objectname)')).out.split('\n');
  const things: Record<string, string> = {
    refs: refs.filter(isTheirs).join('\n'),
    hooks: digest(`${repo}/.git/hooks`),
    ignored: digest(`${repo}/private`),
    untracked: digest(`${repo}/notes`),
  };
  for (const file of ['HEAD', 'config', 'info/exclude', 'logs/refs/stash']) {
    things[file] = text(`${repo}/.git/${file}`);
  }
  if (checkout === repo) return things;
  const files = readdirSync(repo).filter((name) => name !== '.git' && name !== '.loopwright');
  things['files'] = files.map((name) => `${name} ${digest(path.join(repo, name))}`).join('\n');
  things['index'] = (await git('ls-files', '--stage')).out;
  return things;
}

function isTheirs(ref: string): boolean {
  return !ref.startsWith(`refs/heads/${baseBranch} `) && !/^refs\/(heads\/)?loopwright/.test(ref);
}

export async function judgeUser(
  ground: Ground,
  before: UserThings,
  person: Person,
  findings: Findings,
): Promise<void> {
  const now = await userThings(ground);
  for (const [name, value] of Object.entries(before)) {
    if (now[name] !== value) findings.add('userChanged', `the user's ${name} changed`);
  }
  const history = new Set((await ground.git('rev-list', baseBranch)).out.split('\n'));
  for (const commit of person.commits) {
    if (!history.has(commit))
      findings.add('commitsLost', `the person's ${commit.slice(0, 8)} is not in ${baseBranch}`);
  }
}

/** Once nothing is left to do: every file of theirs is as they last committed it, and their checkout is clean. */
export async function judgeFiles(
  ground: Ground,
  person: Person,
  findings: Findings,
): Promise<void> {
  const { checkout, git, env } = ground;
  const listed = (await git('ls-tree', '-r', '-z', baseBranch)).out.split('\0');
  const blobs = new Map(listed.map((line) => [line.slice(line.indexOf('\t') + 1), blobOf(line)]));
  for (const [file, wanted] of person.files) {
    const found = blobs.get(file);
    if (found === (wanted === null ? undefined : blobId(wanted))) continue;
    const what = found === undefined ? 'is gone from' : 'has another content in';
    findings.add('commitsLost', `${file} ${wanted === null ? 'is back in' : what} ${baseBranch}`);
  }
  const shared = (await git('show', `${baseBranch}:shared.txt`)).out;
  const line = /^person: (.*)/m.exec(shared)?.[1];
  if (line !== person.line) {
    findings.add('commitsLost', `the person's line is '${line ?? ''}' instead of '${person.line}'`);
  }
  if (person.problem !== null) {
    findings.add('userChanged', `the person cannot commit: ${person.problem.trim()}`);
  }
  if (checkout === null) return;
  const args = ['--no-optional-locks', 'status', '--porcelain', '--untracked-files=all'];
  const status = await run('git', args, { cwd: checkout, env });
  const expected = new Set(['', '?? notes/untracked.txt', '?? untracked.txt']);
  const strange = status.out.split('\n').filter((each) => !expected.has(each));
  if (strange.length > 0) {
    const some = strange.slice(0, 4).join(', ');
    findings.add(
      'userChanged',
      `the checkout has ${strange.length} changes that are not theirs: ${some}`,
    );
  }
}

/** The object in a line of `ls-tree`. */
function blobOf(line: string): string {
  return line.split(/[ \t]/)[2] ?? '';
}

/** The name that git gives to a content. */
function blobId(content: string): string {
  const head = `blob ${Buffer.byteLength(content)}\0`;
  return createHash('sha1').update(head).update(content).digest('hex');
}

/** Names, modes, link targets and contents below a path; empty when there is nothing. */
export function digest(root: string, skip: ReadonlySet<string> = new Set()): string {
  const hash = createHash('sha256');
  const visit = (file: string): void => {
    if (skip.has(path.relative(root, file))) return;
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return;
    hash.update(`${path.relative(root, file)}\0${found.mode}\0`);
    if (found.isSymbolicLink()) hash.update(readlinkSync(file));
    else if (found.isFile()) hash.update(readFileSync(file));
    else if (found.isDirectory()) {
      for (const name of readdirSync(file).toSorted()) visit(path.join(file, name));
    }
  };
  visit(root);
  return hash.digest('hex');
}

function text(file: string): string {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}
