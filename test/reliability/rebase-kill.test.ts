import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { realCli } from '../cli/real-cli.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { storedLoops } from '../support/invariants.ts';

/**
 * The first engine is killed with work of its agent in the worktree. A person then changes, adds and deletes files on the
 * base. The second engine is killed around the rebase that follows. What is merged in the end must be the agent's work on
 * top of the person's, and nothing else.
 */
const secondKills = [
  'after:save-left-work:1:kill',
  'after:workspace.opened:1:kill',
  'after:rebase.started:1:kill',
  'before:rebase:1:kill',
  'after:rebase:1:kill',
  'after:rebase.ended:1:kill',
  'after:baseline.recorded:1:kill',
  'before:iteration.started:1:kill',
];

describe('two kills around a rebase', () => {
  it.each(secondKills)('the second one %s leaves what a person committed', async (failAt) => {
    await using repo = await gitRepo();
    await writeProject(repo);
    const run = (env: Readonly<Record<string, string>> = {}) =>
      realCli(repo.path, { ...repo.env, ...env }, ['run', 'count to two']).ended;

    await run({ LOOPWRIGHT_FAIL_AT: 'after:run-agent:1:kill' });
    await commitAsPerson(repo, 'first');
    await run({ LOOPWRIGHT_FAIL_AT: failAt });
    await commitAsPerson(repo, 'second');
    const last = await run();

    expect(last.exitCode, last.out + last.err).toBe(0);
    const [stored] = await storedLoops(repo);
    expect(stored?.loop).toMatchObject({ status: 'complete', mergedInto: 'trunk' });
    expect(await changedSince(repo, 'person')).toEqual(['n.txt']);
    const left = stored?.loop.iterations[0]?.changes;
    expect(left).toMatchObject({ created: ['n.txt'], modified: [], deleted: [] });
  });

  it('a rebase that was done and not recorded brings back nothing that a person took back', async () => {
    await using repo = await gitRepo();
    await writeProject(repo);
    const before = await repo.git('rev-parse', 'trunk');
    const run = (env: Readonly<Record<string, string>> = {}) =>
      realCli(repo.path, { ...repo.env, ...env }, ['run', 'count to two']).ended;
    await run({ LOOPWRIGHT_FAIL_AT: 'after:run-agent:1:kill' });
    await commitAsPerson(repo, 'first');
    await run({ LOOPWRIGHT_FAIL_AT: 'after:rebase:1:kill' });
    await repo.git('branch', '--force', 'trunk', before);
    await commitAsPerson(repo, 'second');
    const last = await run();

    expect(last.exitCode, last.out + last.err).toBe(0);
    expect(await changedSince(repo, 'person')).toEqual(['n.txt']);
    const [stored] = await storedLoops(repo);
    const types = stored?.events.map(({ event }) => event.type) ?? [];
    expect(types.filter((type) => type === 'rebase.ended')).toHaveLength(2);
    expect(types).not.toContain('rebase.aborted');
  });
});

async function writeProject(repo: GitRepo): Promise<void> {
  await repo.write('theirs.txt', 'as it was\n');
  await repo.write('old.txt', 'to be deleted\n');
  await repo.write(
    'loopwright.yml',
    `agent: "command:echo x >> n.txt"
validation: { command: 'test "$(wc -l < n.txt)" -ge 2' }
verify: { protected: [theirs.txt] }
git: { base: trunk, merge: local, watch-interval: 1ms }
scheduler: { min-disk: 0, warn-disk: 0 }
`,
  );
  await repo.commitAll('project');
  await repo.git('branch', 'trunk');
  const temp = path.join(repo.outside, 'person');
  await mkdir(path.dirname(temp), { recursive: true });
  await repo.git('worktree', 'add', '--quiet', '--detach', temp, 'trunk');
}

/** Without the base being checked out anywhere: in a detached worktree of the person's own. */
async function commitAsPerson(repo: GitRepo, name: string): Promise<void> {
  const temp = path.join(repo.outside, 'person');
  const git = (...args: readonly string[]) => repo.git('-C', temp, ...args);
  await git('checkout', '--quiet', '--detach', 'trunk');
  await writeFile(path.join(temp, 'theirs.txt'), `changed in the ${name} commit\n`);
  await writeFile(path.join(temp, `${name}.txt`), 'new\n');
  if (name === 'first') await git('rm', '--quiet', 'old.txt');
  await git('add', '--all');
  await git('commit', '--quiet', '-m', name);
  await git('update-ref', 'refs/heads/trunk', 'HEAD');
  await repo.git('branch', '--force', 'person', 'trunk');
}

async function changedSince(repo: GitRepo, revision: string): Promise<readonly string[]> {
  const names = await repo.git('diff', '--name-only', revision, 'trunk');
  return names.split('\n').filter((name) => name !== '');
}
