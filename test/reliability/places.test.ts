import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { realCli, type RealRun } from '../cli/real-cli.ts';
import { digestFolder, gitRepo, type GitRepo } from '../support/git-repo.ts';
import {
  agentStarts,
  eventually,
  processesWith,
  storedLoops,
  storeViolations,
} from '../support/invariants.ts';

const run = promisify(execFile);

/** A project whose loop needs two iterations, and whose agent waits in each for as long as a file called HOLD is there. */
type Project = AsyncDisposable & {
  readonly repo: GitRepo;
  readonly root: string;
  readonly agentLog: string;
  /** While this file is there, agents that were given its path wait. */
  readonly hold: string;
  readonly token: string;
  start(root: string, argv: readonly string[], env?: Readonly<Record<string, string>>): RealRun;
  run(
    root: string,
    argv: readonly string[],
    env?: Readonly<Record<string, string>>,
  ): Promise<Awaited<RealRun['ended']>>;
};

async function project(settings = ''): Promise<Project> {
  const repo = await gitRepo();
  const { outside, path: root } = repo;
  const agentLog = path.join(outside, 'agent.log');
  const hold = path.join(outside, 'hold');
  const token = `token-${randomUUID()}`;
  await writeFile(
    path.join(outside, 'agent.sh'),
    `echo "$PWD $LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> '${agentLog}'
echo x >> n.txt
if [ -n "$HOLD" ]; then echo left >> left.txt; while [ -e "$HOLD" ]; do sleep 0.05; done; fi
echo "by iteration $LOOPWRIGHT_ITERATION" > "note-$LOOPWRIGHT_ITERATION.txt"
echo done
`,
  );
  await repo.write(
    'loopwright.yml',
    `agent: "command:sh '${outside}/agent.sh'"
validation: { command: "test \\"$(wc -l < n.txt)\\" -ge 2" }
limits: { iteration-delay: 10ms }
scheduler: { min-disk: 0, warn-disk: 0 }
env: { pass: [HOLD, TEST_TOKEN] }
${settings}
`,
  );
  await repo.commitAll('project');
  const start: Project['start'] = (at, argv, env = {}) =>
    realCli(at, { ...repo.env, TEST_TOKEN: token, ...env }, argv);
  return {
    repo,
    root,
    agentLog,
    hold,
    token,
    start,
    run: (at, argv, env) => start(at, argv, env).ended,
    async [Symbol.asyncDispose]() {
      await rm(hold, { force: true });
      for (const pid of processesWith(token)) kill(pid);
      await repo[Symbol.asyncDispose]();
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone meanwhile.
  }
}

/** `rename` and copies keep what `cp -a` keeps. */
async function copy(from: string, to: string): Promise<void> {
  await run('cp', ['-a', from, to]);
}

/** Kills the engine while the agent of the second iteration waits; with it the agent, unless it is to live on. */
async function interrupt(at: Project, agent: 'dies' | 'lives' = 'dies'): Promise<void> {
  await writeFile(at.hold, '');
  const { child } = at.start(at.root, ['run', 'count to two'], { HOLD: at.hold });
  await eventually(async () => (await agentStarts(at.agentLog)).length === 1, 'the agent starts');
  const worktree = (await agentStarts(at.agentLog))[0]?.split(' ')[0] ?? '';
  await eventually(() => existsSync(path.join(worktree, 'left.txt')), 'the agent works');
  if (agent === 'lives') return;
  child.kill('SIGKILL');
  await eventually(() => child.signalCode !== null, 'the engine ends');
  for (const pid of processesWith(at.token)) kill(pid);
  await rm(at.hold);
}

/** What git says of a project, as its user would ask. */
async function gitFaults(repo: GitRepo, root: string): Promise<readonly string[]> {
  const faults: string[] = [];
  await repo
    .gitIn(root, 'fsck', '--no-dangling')
    .catch((error: Error) => faults.push(error.message));
  for (const args of [
    ['branch', '--all'],
    ['log', '--all', '--oneline'],
    ['gc', '--quiet'],
  ]) {
    await repo.gitIn(root, ...args).catch((error: Error) => faults.push(error.message));
  }
  const list = await repo.gitIn(root, 'worktree', 'list', '--porcelain');
  for (const [, place] of list.matchAll(/^worktree (.*)$/gm)) {
    if (place === undefined || !existsSync(place)) faults.push(`no worktree at ${place ?? '?'}`);
    else if (!place.startsWith(`${root}/`) && place !== root) faults.push(`worktree at ${place}`);
  }
  return faults;
}

async function judge(at: Project, root: string): Promise<readonly string[]> {
  const loops = await storedLoops({ path: root });
  const open = loops.filter(({ loop }) => loop.status !== 'complete');
  return [
    ...open.map(({ loop }) => `${loop.id} is ${loop.status}: ${loop.text ?? ''}`),
    ...(await storeViolations({ path: root })),
    ...(await gitFaults(at.repo, root)),
  ];
}

async function startsIn(at: Project, root: string): Promise<readonly string[]> {
  return (await agentStarts(at.agentLog)).filter((line) => line.startsWith(`${root}/`));
}

describe('a copied project', () => {
  it('at rest goes on in fresh worktrees, says so once, and leaves the original bit-identical', async () => {
    await using at = await project();
    await interrupt(at);
    const there = path.join(at.repo.outside, 'copy');
    await copy(at.root, there);
    const before = await digestFolder(at.root);

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(ended.err).toContain(`this project is a copy of ${at.root}; its unfinished loop starts`);
    expect(await digestFolder(at.root)).toBe(before);
    expect(await judge(at, there)).toEqual([]);
    expect((await startsIn(at, there)).length).toBeGreaterThan(0);
    const [kept = ''] = (await readdir(path.join(there, '.loopwright/worktrees'))).filter((name) =>
      name.includes('.replaced-'),
    );
    expect(
      await readFile(path.join(there, '.loopwright/worktrees', kept, 'left.txt'), 'utf8'),
    ).toBe('left\n');
    const again = await at.run(there, ['status']);
    expect(again.err).not.toContain('is a copy of');

    const original = await at.run(at.root, ['run']);
    expect(original.exitCode, original.err).toBe(0);
    expect(original.err).not.toContain('copy');
    expect(await judge(at, at.root)).toEqual([]);
  });

  it('of a project at work ends none of its agents, and both complete', async () => {
    await using at = await project();
    await interrupt(at, 'lives');
    const there = path.join(at.repo.outside, 'copy');
    await copy(at.root, there);
    const agents = processesWith(`HOLD=${at.hold}`);
    const worktree = (await agentStarts(at.agentLog))[0]?.split(' ')[0] ?? '';
    const before = await digestFolder(worktree);

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(await judge(at, there)).toEqual([]);
    expect(processesWith(`HOLD=${at.hold}`)).toEqual(agents);
    expect(await digestFolder(worktree)).toBe(before);
    await rm(at.hold);
    await eventually(() => processesWith(at.token).length === 0, 'the original ends', 60_000);
    expect(await judge(at, at.root)).toEqual([]);
    const starts = await startsIn(at, at.root);
    expect(starts.length).toBe(new Set(starts).size);
  });
});

describe('a moved project', () => {
  it('takes its worktrees and what was left in them along', async () => {
    await using at = await project();
    await interrupt(at);
    const there = path.join(at.repo.outside, 'moved');
    await rename(at.root, there);

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(ended.err).toContain(`this project was moved here from ${at.root}`);
    expect(existsSync(at.root)).toBe(false);
    expect(await judge(at, there)).toEqual([]);
    const [loop] = await storedLoops({ path: there });
    const branch = loop?.loop.workspace.branch ?? '';
    expect(await at.repo.gitIn(there, 'show', `${branch}:left.txt`)).toBe('left');
  });
});
