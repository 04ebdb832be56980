import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listPids, readCommand, readStat } from '../../src/adapters/process/proc.ts';
import { connectDaemon } from '../../src/daemon/connect.ts';
import { realCli, realCliThrough, type RealRun } from '../cli/real-cli.ts';
import { digestFolder, gitRepo, type GitRepo } from '../support/git-repo.ts';
import {
  agentStarts,
  eventually,
  processesWith,
  storedLoops,
  storeViolations,
} from '../support/invariants.ts';
import { whyNoPrivateDisk } from '../support/private-disk.ts';
import { tempDir } from '../support/temp-dir.ts';

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

async function project(settings = '', agentDoes = ''): Promise<Project> {
  const repo = await gitRepo();
  const { outside, path: root } = repo;
  const agentLog = path.join(outside, 'agent.log');
  const hold = path.join(outside, 'hold');
  const token = `token-${randomUUID()}`;
  await writeFile(
    path.join(outside, 'agent.sh'),
    `echo "$PWD $LOOPWRIGHT_LOOP $LOOPWRIGHT_ITERATION" >> '${agentLog}'
echo x >> n.txt
${agentDoes}
if [ -n "$HOLD" ]; then echo left >> left.txt; while [ -e "$HOLD" ]; do sleep 0.05; done; fi
echo "by iteration $LOOPWRIGHT_ITERATION" > "note-$LOOPWRIGHT_ITERATION.txt"
echo done
`,
  );
  await repo.write(
    'loopwright.yml',
    `agent: "command:sh '${outside}/agent.sh'"
validation: { command: "test \\"$(wc -l < n.txt)\\" -ge 2" }
limits: { iteration-delay: 1ms }
scheduler: { min-disk: 0, warn-disk: 0 }
env: { pass: [HOLD, TEST_TOKEN, FROM, TO] }
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
async function interrupt(at: Project, agent: 'dies' | 'lives' = 'dies'): Promise<RealRun> {
  await writeFile(at.hold, '');
  const engine = at.start(at.root, ['run', 'count to two'], { HOLD: at.hold });
  const { child } = engine;
  await eventually(async () => (await agentStarts(at.agentLog)).length === 1, 'the agent starts');
  const worktree = (await agentStarts(at.agentLog))[0]?.split(' ')[0] ?? '';
  await eventually(() => existsSync(path.join(worktree, 'left.txt')), 'the agent works');
  if (agent === 'lives') return engine;
  child.kill('SIGKILL');
  await eventually(() => child.signalCode !== null, 'the engine ends');
  for (const pid of processesWith(at.token)) kill(pid);
  await rm(at.hold);
  return engine;
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
    const worktrees = path.join(there, '.loopwright/worktrees');
    const [kept = ''] = (await readdir(worktrees)).filter((name) => name.includes('.replaced-'));
    expect(await readFile(path.join(worktrees, kept, 'left.txt'), 'utf8')).toBe('left\n');
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
    const agent = await agentOf(at);
    const worktree = (await agentStarts(at.agentLog))[0]?.split(' ')[0] ?? '';
    const before = await digestFolder(worktree);

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(await judge(at, there)).toEqual([]);
    expect(processesWith(at.token)).toContain(agent);
    expect(await digestFolder(worktree)).toBe(before);
    await rm(at.hold);
    await eventually(() => processesWith(at.token).length === 0, 'the original ends', 60_000);
    expect(await judge(at, at.root)).toEqual([]);
    const starts = await startsIn(at, at.root);
    expect(starts.length).toBe(new Set(starts).size);
  });

  it('does not end an agent of the original whose engine was killed', async () => {
    await using at = await project('sandbox: { containment: process-group }');
    const engine = await interrupt(at, 'lives');
    const there = path.join(at.repo.outside, 'copy');
    const agent = await agentOf(at);
    await killEngine(engine);
    await copy(at.root, there);

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(processesWith(at.token)).toContain(agent);
  });

  it('keeps out of the worktrees that the original has outside of the repository', async () => {
    await using at = await project('workspace: { dir: ../outside/worktrees }');
    await interrupt(at);
    const there = path.join(path.dirname(at.root), 'copy');
    await copy(at.root, there);
    const outside = path.join(at.repo.outside, 'worktrees');
    const before = await digestFolder(outside);

    const ended = await at.run(there, ['run']);
    const another = await at.run(there, ['run', 'once more', '--validate', 'test -f n.txt']);

    expect([ended.exitCode, another.exitCode], ended.err + another.err).toEqual([0, 0]);
    const [own = ''] = (await readdir(outside)).filter((name) => name.startsWith('copy-'));
    expect(await digestFolder(outside, [own])).toBe(before);
    const starts = (await agentStarts(at.agentLog))
      .slice(1)
      .map((line) => line.split(' ')[0] ?? '');
    expect(starts.filter((place) => !place.startsWith(path.join(outside, own)))).toEqual([]);
    expect((await at.run(at.root, ['run'])).exitCode).toBe(0);
  });

  it('made by an older version is known by the paths of its loops', async () => {
    await using at = await project();
    await interrupt(at);
    forgetPlace(at.root);
    await rm(path.join(at.root, '.loopwright/store-id'));
    const there = path.join(at.repo.outside, 'copy');
    await copy(at.root, there);
    const before = await digestFolder(at.root);

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(ended.err).toContain(`this project is a copy of ${at.root}`);
    expect(await digestFolder(at.root)).toBe(before);
  });

  it('works in its own files when loops work in place, and in a folder without git', async () => {
    await using at = await project();
    const folder = path.join(at.repo.outside, 'folder');
    await mkdir(folder);
    await writeFile(
      path.join(folder, 'loopwright.yml'),
      await readFile(path.join(at.root, 'loopwright.yml')),
    );
    for (const [root, ...options] of [[at.root, '--in-place'], [folder]] as const) {
      await rm(at.agentLog, { force: true });
      const first = await at.run(root, ['run', 'x', ...options], {
        LOOPWRIGHT_FAIL_AT: 'before:iteration.ended:1:kill',
      });
      expect(first.exitCode, first.err).toBeNull();
      const there = `${root}-copy`;
      await copy(root, there);
      const before = await digestFolder(root);
      const ended = await at.run(there, ['run']);
      expect(ended.exitCode, ended.err).toBe(0);
      expect(await digestFolder(root)).toBe(before);
      expect(
        (await agentStarts(at.agentLog)).slice(1).every((line) => line.startsWith(`${there} `)),
      ).toBe(true);
    }
  });

  it.each(['before:settle-place:1:kill', 'after:settle-place:1:kill'])(
    'goes on when its first engine is killed at %s',
    async (failAt) => {
      await using at = await project();
      await interrupt(at);
      const there = path.join(at.repo.outside, 'copy');
      await copy(at.root, there);
      const before = await digestFolder(at.root);
      await at.run(there, ['run'], { LOOPWRIGHT_FAIL_AT: failAt });

      const ended = await at.run(there, ['run']);

      expect(ended.exitCode, ended.err).toBe(0);
      expect(await digestFolder(at.root)).toBe(before);
      expect(await judge(at, there)).toEqual([]);
    },
  );

  it('does not speak with the daemon of the original', async () => {
    await using at = await project();
    const daemon = at.start(at.root, ['daemon', 'start', '--foreground', '--idle']);
    await daemon.printed((text) => text.includes('runs as process'));
    const there = path.join(at.repo.outside, 'copy');
    await copy(at.root, there);
    // Before any command has looked at its place.
    expect(await connectDaemon(path.join(there, '.loopwright'))).toBeNull();
    const stopped = await at.run(there, ['daemon', 'stop', '--now']);
    expect(stopped.out).toContain('no daemon works for this repository');
    expect((await at.run(at.root, ['daemon', 'status'])).exitCode).toBe(0);
    expect((await at.run(at.root, ['daemon', 'stop', '--now'])).exitCode).toBe(0);
    expect((await daemon.ended).exitCode).toBe(0);
  });

  it('of its records alone starts in another clone what its branches do not have there', async () => {
    await using at = await project();
    await interrupt(at);
    const clone = path.join(at.repo.outside, 'clone');
    await at.repo.gitIn(at.repo.outside, 'clone', '--quiet', at.root, clone);
    const fresh = await at.run(clone, ['status']);
    expect(fresh.err).not.toContain('copy');
    await rm(path.join(clone, '.loopwright'), { recursive: true });
    await copy(path.join(at.root, '.loopwright'), path.join(clone, '.loopwright'));
    const before = await digestFolder(at.root);

    const ended = await at.run(clone, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(await digestFolder(at.root)).toBe(before);
    expect(await judge(at, clone)).toEqual([]);
  });

  it('that shares its repository or its store with the original is refused', async () => {
    await using at = await project();
    await interrupt(at);
    const linked = path.join(at.repo.outside, 'linked');
    await at.repo.git('worktree', 'add', '--quiet', linked);
    await copy(path.join(at.root, '.loopwright'), path.join(linked, '.loopwright'));
    const before = await digestFolder(at.root);
    const refused = await at.run(linked, ['run']);
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain('both work with the same git repository');
    expect(await digestFolder(at.root)).toBe(before);

    const there = path.join(at.repo.outside, 'copy');
    await copy(at.root, there);
    const store = path.join(at.root, '.loopwright/state.db');
    const shared = await at.run(there, ['run'], { LOOPWRIGHT_STORE: store });
    expect(shared.err).toContain(`is the store of ${at.root}`);

    const links = path.join(at.repo.outside, 'links');
    await run('cp', ['-al', at.root, links]);
    const linking = await at.run(links, ['run']);
    expect(linking.err).toContain(`is the store of ${at.root}`);
    expect((await at.run(at.root, ['run'])).exitCode).toBe(0);
  });

  it('made while the original works opens soundly or is refused, and the original completes', async () => {
    await using at = await project();
    const work = at.start(at.root, ['run', 'many', '--validate', 'test "$(wc -l < n.txt)" -ge 6']);
    await eventually(
      async () => (await agentStarts(at.agentLog)).length > 0,
      'the agent starts',
      60_000,
    );
    const copies: string[] = [];
    while (work.child.exitCode === null && copies.length < 3) {
      const there = path.join(at.repo.outside, `copy-${copies.length}`);
      // Files that vanish while they are copied make it fail, and are not missed.
      await copy(at.root, there).catch(() => {});
      copies.push(there);
    }
    const original = await work.ended;
    expect(original.exitCode, original.err).toBe(0);
    const before = await digestFolder(at.root);
    for (const there of copies) {
      const ended = await at.run(there, ['run']);
      const isRefused = ended.exitCode === 3 && ended.err.includes('next:');
      if (!isRefused) {
        expect(ended.exitCode, ended.err).toBe(0);
        expect(await judge(at, there)).toEqual([]);
      }
    }
    expect(await digestFolder(at.root)).toBe(before);
    expect(await judge(at, at.root)).toEqual([]);
  }, 240_000);

  it('whose store is torn is refused with what to do', async () => {
    await using at = await project();
    await interrupt(at);
    const there = path.join(at.repo.outside, 'copy');
    await copy(at.root, there);
    const database = new DatabaseSync(path.join(there, '.loopwright/state.db'));
    database.exec('delete from events where seq = 2');
    database.close();

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode).toBe(3);
    expect(ended.err).toContain('was copied while it was being written, and is torn: the log of');
    expect(ended.err).toContain('copy the project again while no loop runs in the original');
  });
});

describe('a moved project', () => {
  it('takes its worktrees and what was left in them along, there and back', async () => {
    await using at = await project();
    await interrupt(at);
    const there = path.join(at.repo.outside, 'moved');
    await rename(at.root, there);
    const looked = await at.run(there, ['status']);
    expect(looked.err).toContain(`this project was moved here from ${at.root}`);
    expect(await gitFaults(at.repo, there)).toEqual([]);
    await rename(there, at.root);

    const ended = await at.run(at.root, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(existsSync(there)).toBe(false);
    expect(await judge(at, at.root)).toEqual([]);
    expect(await leftWork(at, at.root)).toBe('left');
  });

  it('goes on with what was left although git has pruned the registrations', async () => {
    await using at = await project();
    await interrupt(at);
    const there = path.join(at.repo.outside, 'moved');
    await rename(at.root, there);
    await at.repo.gitIn(there, 'worktree', 'prune');

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(await judge(at, there)).toEqual([]);
    expect(await leftWork(at, there)).toBe('left');
  });

  const otherDisk = '/dev/shm';
  const hasOtherDisk = existsSync(otherDisk) && statSync(otherDisk).dev !== statSync(tmpdir()).dev;
  it.skipIf(!hasOtherDisk)(
    'to another disk goes on with what was left (needs a /dev/shm)',
    async () => {
      await using at = await project();
      await interrupt(at);
      const folder = await mkdtemp(path.join(otherDisk, 'loopwright-test-'));
      onTestFinished(() => rm(folder, { recursive: true, force: true }));
      const there = path.join(folder, 'moved');
      await run('mv', [at.root, there]);

      const ended = await at.run(there, ['run']);

      expect(ended.exitCode, ended.err).toBe(0);
      expect(ended.err).toContain(`this project was moved here from ${at.root}`);
      expect(await judge(at, there)).toEqual([]);
      expect(await leftWork(at, there)).toBe('left');
    },
  );

  it('keeps its worktrees outside of the repository', async () => {
    await using at = await project('workspace: { dir: ../worktrees }');
    await interrupt(at);
    const there = path.join(at.repo.outside, 'moved');
    await rename(at.root, there);

    const ended = await at.run(there, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(await leftWork(at, there)).toBe('left');
  });

  it('together with the folder of its worktrees finds them there', async () => {
    await using at = await project('workspace: { dir: ../outside/worktrees }');
    await interrupt(at);
    const parent = path.join(path.dirname(at.root), 'parent');
    await mkdir(path.join(parent, 'outside'), { recursive: true });
    await rename(at.root, path.join(parent, 'repo'));
    await rename(path.join(at.repo.outside, 'worktrees'), path.join(parent, 'outside/worktrees'));

    const ended = await at.run(path.join(parent, 'repo'), ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(await leftWork(at, path.join(parent, 'repo'))).toBe('left');
  });

  it('that is put back from a copy goes on with what was left in it', async () => {
    await using at = await project();
    await interrupt(at);
    const backup = path.join(at.repo.outside, 'backup');
    await copy(at.root, backup);
    await rm(at.root, { recursive: true });
    await rename(backup, at.root);

    const ended = await at.run(at.root, ['run']);

    expect(ended.exitCode, ended.err).toBe(0);
    expect(await judge(at, at.root)).toEqual([]);
    expect(await leftWork(at, at.root)).toBe('left');
  });

  it('reached through a link is where it was', async () => {
    await using at = await project();
    await interrupt(at);
    const link = path.join(at.repo.outside, 'link');
    await symlink(at.root, link);
    const ended = await at.run(link, ['run']);
    expect(ended.exitCode, ended.err).toBe(0);
    expect(ended.err).not.toMatch(/moved|copy/);
    expect(await judge(at, at.root)).toEqual([]);
  });

  it.each(['agent', 'check', 'hook'])(
    'under its engine by its %s makes the engine end, writes nothing at the old path, and goes on where it is',
    async (who) => {
      const dir = await tempDir();
      await using _dir = dir;
      const flag = path.join(dir.path, 'moved');
      const move = `[ -e '${flag}' ] || { : > '${flag}'; mv "$FROM" "$TO"; }`;
      const inConfig = move.replaceAll('"', String.raw`\"`);
      const settings = {
        agent: '',
        check: `gates: [{ type: command, command: "${inConfig}" }]`,
        hook: `hooks: { pre-iteration: ["${inConfig}"] }`,
      }[who];
      await using at = await project(settings, who === 'agent' ? move : '');
      const there = path.join(at.repo.outside, 'moved');

      const first = await at.run(at.root, ['run', 'x'], { FROM: at.root, TO: there });

      expect(first.exitCode).not.toBe(0);
      expect(existsSync(at.root)).toBe(false);
      const ended = await at.run(there, ['run']);
      expect(ended.exitCode, ended.err).toBe(0);
      expect(await judge(at, there)).toEqual([]);
      expect(existsSync(at.root)).toBe(false);
    },
  );
});

/** Why there can be no bind mounts here; null when there can. */
const noMounts = whyNoPrivateDisk();
describe('a project that is seen under two paths', () => {
  it.skipIf(noMounts !== null)('is one and the same (needs bind mounts)', async () => {
    await using at = await project();
    await interrupt(at);
    const view = path.join(at.repo.outside, 'view');
    await mkdir(view);
    const mounted = (argv: readonly string[]): readonly [string, ...string[]] => [
      'unshare',
      '-Urm',
      'sh',
      '-c',
      'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"',
      at.root,
      view,
      ...argv,
    ];
    const cli = (argv: readonly string[]) =>
      realCliThrough(mounted, at.repo.outside, { ...at.repo.env, TEST_TOKEN: at.token }, argv)
        .ended;
    const looked = await cli(['status']);
    expect(looked.err).not.toMatch(/moved|copy/);
    const ended = await cli(['run']);
    expect(ended.exitCode, ended.err).toBe(0);
    const more = await at.run(at.root, ['run', 'more', '--validate', 'test -f n.txt']);
    expect(more.exitCode, more.err).toBe(0);
    expect(more.err).not.toMatch(/moved|copy of/);
    const then = await cli(['run', 'last', '--validate', 'test -f n.txt']);
    expect(then.exitCode, then.err).toBe(0);
    expect((await at.run(at.root, ['status'])).err).not.toMatch(/moved|copy of/);
    expect(await leftWork(at, at.root)).toBe('left');
    expect(await storeViolations({ path: at.root })).toEqual([]);
  });
});

/** Of the first loop, as its branch has it. */
async function leftWork(at: Project, root: string): Promise<string> {
  const first = (await storedLoops({ path: root })).at(-1)?.loop;
  return at.repo.gitIn(root, 'show', `${first?.workspace.branch ?? ''}:left.txt`);
}

/** As a version that knew no places left it. */
function forgetPlace(root: string): void {
  using database = new DatabaseSync(path.join(root, '.loopwright/state.db'));
  database.exec('delete from place');
}

/** The shell that runs the agent. */
async function agentOf(at: Project): Promise<number> {
  const found = processesWith(`HOLD=${at.hold}`).find((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('agent.sh'),
  );
  if (found === undefined) throw new Error('the agent does not run');
  return found;
}

/** In a way that its watchdog cannot answer: the agent lives on. */
async function killEngine(engine: RealRun): Promise<void> {
  const { child } = engine;
  child.kill('SIGSTOP');
  const watchdog = listPids().find(
    (pid) =>
      readStat(pid)?.parent === child.pid && readCommand(pid)?.includes('loopwright-watchdog'),
  );
  if (watchdog !== undefined) kill(watchdog);
  child.kill('SIGKILL');
  await engine.ended;
}
