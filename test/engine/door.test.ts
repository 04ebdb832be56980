import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import path from 'node:path';
import { describe, expect, it, type TestContext } from 'vitest';
import { createDoors } from '../../src/adapters/door/door-sockets.ts';
import { findSandboxFault } from '../../src/adapters/process/sandbox.ts';
import { registry } from '../../src/cli/registry.ts';
import type { Door, DoorKeeper, RequestReport } from '../../src/ports/door.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { openedProject } from '../support/opened-project.ts';
import { tempDir } from '../support/temp-dir.ts';

const fault = findSandboxFault();
const validate = 'test -f done.txt';

/** What the agent's script printed, as the loop's branch has it. */
async function said(repo: GitRepo, branch: string | null, file: string): Promise<string> {
  return repo.git('show', `${branch}:${file}`);
}

/** A loop that others can write to. */
async function restingLoop(repo: GitRepo): Promise<string> {
  await using project = await openedProject(repo, {
    agent: 'command:true',
    validate: 'false',
    'max-iterations': '1',
  });
  return (await project.runText('the other one')).id;
}

const places: readonly [string, string][] = [
  ['off', 'sandbox: off\n'],
  ['worktree', 'sandbox: worktree\n'],
  ['bubblewrap', 'sandbox: bubblewrap\n'],
  ['bubblewrap without network', 'sandbox: { level: bubblewrap, network: false }\n'],
  ['a process group', 'sandbox: { containment: process-group }\n'],
];

function needsWalls({ skip }: TestContext, name: string): void {
  skip(name.startsWith('bubblewrap') && fault !== null, fault ?? '');
}

describe('`loopwright` inside a loop', () => {
  it.for(places)(
    'shares, alerts and asks in the name of the loop: %s',
    async ([name, config], context) => {
      needsWalls(context, name);
      await using repo = await gitRepo();
      const other = await restingLoop(repo);
      await writeFile(path.join(repo.path, 'loopwright.yml'), config);
      const agent = [
        `loopwright share ${other} "the port is 8080" > shared.txt`,
        `echo "main is broken" | env -u LOOPWRIGHT_LOOP loopwright alert ${other} - --json > alert.json`,
        `loopwright query ${other} > answer.txt`,
        'echo x > done.txt',
      ];
      await using project = await openedProject(repo, {
        agent: `command:${agent.join(' && ')}`,
        validate,
      });
      const loop = await project.runText('talk');
      expect(loop).toMatchObject({ status: 'complete' });
      const { branch } = loop.workspace;
      expect(await said(repo, branch, 'shared.txt')).toContain(`sent to 1 loop: ${other}`);
      expect(await said(repo, branch, 'answer.txt')).toContain('the other one');
      expect(JSON.parse(await said(repo, branch, 'alert.json'))).toMatchObject({ exitCode: 0 });
      const unread = await project.engine.store.read((tx) => tx.messages.unread(other, 10));
      expect(unread.map(({ kind, sender, body }) => [kind, sender, body.trim()])).toEqual([
        ['share', loop.id, 'the port is 8080'],
        ['alert', loop.id, 'main is broken'],
      ]);
    },
  );

  it('decides nothing: what is for people is refused, whatever the environment says', async () => {
    await using repo = await gitRepo();
    const other = await restingLoop(repo);
    const lines = [
      `approve ${other}`,
      `loop cancel ${other}`,
      `share ${other} hi --from ${other}`,
      'nonsense',
    ];
    const calls = lines.map(
      (line) => `env -u LOOPWRIGHT_LOOP loopwright ${line} >> out.txt 2>&1; echo "$?" >> codes.txt`,
    );
    await using project = await openedProject(repo, {
      agent: `command:${calls.join('; ')}; echo x > done.txt`,
      validate,
    });
    const loop = await project.runText('overreach');
    const codes = (await said(repo, loop.workspace.branch, 'codes.txt')).trim().split('\n');
    expect(codes).toEqual(lines.map(() => '3'));
    const out = await said(repo, loop.workspace.branch, 'out.txt');
    expect(out).toContain('error: `loopwright approve` is not for agents');
    expect(out).toContain('next:  inside a loop there are share, query, alert;');
    expect(out).toContain('a loop speaks for itself');
    const others = registry.filter(({ path: [word] }) => !/^(share|query|alert)$/.test(word));
    for (const { path: words } of others) {
      const answer = await project.engine.inside?.(loop.id, [...words, other], null);
      expect(answer, words.join(' ')).toMatchObject({ exitCode: 3, stdout: '' });
    }
    const after = await project.engine.store.read((tx) => tx.loops.get(other));
    expect(after).toMatchObject({ status: 'failed', reason: 'max_iterations' });
    expect(await project.engine.store.read((tx) => tx.messages.unread(other, 10))).toEqual([]);
  });

  it('answers nobody after the iteration, and says so', async () => {
    await using repo = await gitRepo();
    await using project = await openedProject(repo, {
      agent: 'command:command -v loopwright > done.txt',
      validate,
    });
    const loop = await project.runText('once');
    const program = (await said(repo, loop.workspace.branch, 'done.txt')).trim();
    const late = spawnSync(program, ['query', 'all'], { encoding: 'utf8' });
    expect(late.status).toBe(3);
    expect(late.stderr).toContain('does not listen any more');
  });

  it('lets walls hide the store, other loops and the daemon', async (context) => {
    needsWalls(context, 'bubblewrap');
    await using repo = await gitRepo();
    const state = path.join(repo.path, '.loopwright');
    await mkdir(state, { recursive: true });
    await writeFile(path.join(state, 'daemon.json'), '{"token":"secret"}');
    await using project = await openedProject(repo, {
      agent: `command:ls ${state} > seen.txt 2>&1; echo x > done.txt`,
      validate,
      sandbox: 'bubblewrap',
    });
    const loop = await project.runText('look around');
    expect(loop).toMatchObject({ status: 'complete' });
    const seen = await said(repo, loop.workspace.branch, 'seen.txt');
    expect(seen).not.toContain('state.db');
    expect(seen).not.toContain('daemon.json');
  });
});

type Kept = DoorKeeper & { readonly told: (RequestReport | null)[]; open: number };

function keeper(): Kept {
  const kept: Kept = {
    told: [],
    open: 0,
    command: (argv) => Promise.resolve({ exitCode: 0, stdout: argv.join(' '), stderr: '' }),
    request() {
      kept.open += 1;
      return Promise.resolve((report) => {
        kept.open -= 1;
        kept.told.push(report);
      });
    },
  };
  return kept;
}

/** Says these lines, waits for as many answers, and hangs up. */
async function call(door: Door, lines: readonly string[], answers: number): Promise<string[]> {
  const socket = connect(door.socket);
  const { promise, resolve } = Promise.withResolvers<void>();
  const got: string[] = [];
  socket.on('error', () => {});
  socket.on('close', () => resolve());
  socket.on('data', (chunk) => {
    got.push(...chunk.toString().trim().split('\n'));
    const next = lines[got.length];
    if (next !== undefined) socket.write(next);
    if (got.length >= answers) socket.end();
  });
  socket.write(lines[0] ?? '');
  await promise;
  return got;
}

async function replaceBy(file: string, text: string): Promise<void> {
  await rm(file);
  await writeFile(file, text);
}

async function eventually(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

describe('a door', () => {
  it('gives leave for a request and takes it back when the caller says so or is gone', async () => {
    await using folder = await tempDir();
    await using doors = createDoors(folder.path);
    const kept = keeper();
    await using door = await doors.open('loop-1', kept);
    const ask = '{"type":"request"}\n';
    expect(await call(door, [ask, '{"type":"answered","tokens":7}\n'], 1)).toEqual([
      '{"granted":true}',
    ]);
    await eventually(() => kept.told.length === 1);
    expect(await call(door, [ask], 1)).toEqual(['{"granted":true}']);
    await eventually(() => kept.told.length === 2);
    expect(kept.told).toEqual([{ type: 'answered', tokens: 7 }, null]);
    expect(kept.open).toBe(0);
  });

  it('hangs up on nonsense, on floods and on too many callers', async () => {
    await using folder = await tempDir();
    await using doors = createDoors(folder.path);
    await using door = await doors.open('loop-1', keeper());
    for (const line of ['{}\n', 'x\n', '{"type":"command"}\n', 'x'.repeat(3_000_000)]) {
      expect(await call(door, [line], 1)).toEqual([]);
    }
    const crowd = Array.from({ length: 16 }, () => connect(door.socket));
    await Promise.all(crowd.map((each) => new Promise((resolve) => each.on('connect', resolve))));
    expect(await call(door, ['{"type":"command","argv":["hi"],"stdin":null}\n'], 1)).toEqual([]);
    for (const each of crowd) each.destroy();
    await eventually(() => crowd.every(({ closed }) => closed));
    let answer: string[] = [];
    while (answer.length === 0) {
      answer = await call(door, ['{"type":"command","argv":["hi"],"stdin":null}\n'], 1);
    }
    expect(JSON.parse(answer[0] ?? '')).toEqual({ exitCode: 0, stdout: 'hi', stderr: '' });
  });

  it('turns callers away between two agents, and answers the next one in the same place', async () => {
    await using folder = await tempDir();
    await using doors = createDoors(folder.path);
    const hi = ['{"type":"command","argv":["hi"],"stdin":null}\n'];
    doors.prepare('loop-1');
    const first = await doors.open('loop-1', keeper());
    expect(await call(first, hi, 1)).toHaveLength(1);
    await first[Symbol.asyncDispose]();
    expect(await call(first, hi, 1)).toEqual([]);
    await using second = await doors.open('loop-1', keeper());
    expect(second.socket).toBe(first.socket);
    expect(await call(second, hi, 1)).toHaveLength(1);
    await doors.close('loop-1');
    expect(existsSync(second.socket)).toBe(false);
  });

  it.each([
    ['its socket removed', (door: Door) => rm(door.socket)],
    ['a file in place of its socket', (door: Door) => replaceBy(door.socket, 'x')],
    ['its program rewritten', (door: Door) => replaceBy(path.join(door.folder, 'loopwright'), 'x')],
    ['its folder removed', (door: Door) => rm(door.folder, { recursive: true })],
  ])('is made anew for the next agent when one left it with %s', async (_, harm) => {
    await using folder = await tempDir();
    await using doors = createDoors(folder.path);
    const first = await doors.open('loop-1', keeper());
    await harm(first);
    await first[Symbol.asyncDispose]();
    await using second = await doors.open('loop-1', keeper());
    const answers = await call(second, ['{"type":"command","argv":["hi"],"stdin":null}\n'], 1);
    expect(JSON.parse(answers[0] ?? '')).toMatchObject({ stdout: 'hi' });
    expect(await readFile(path.join(second.folder, 'loopwright'), 'utf8')).toContain(second.socket);
  });

  it('is elsewhere when its path would be too long, and leaves nothing there', async () => {
    await using folder = await tempDir();
    const deep = path.join(folder.path, 'd'.repeat(120));
    await mkdir(deep);
    const doors = createDoors(deep);
    const door = await doors.open('loop-1', keeper());
    expect(door.folder.startsWith(deep)).toBe(false);
    expect(await readFile(path.join(door.folder, 'loopwright'), 'utf8')).toContain(door.socket);
    await door[Symbol.asyncDispose]();
    await doors[Symbol.asyncDispose]();
    expect(existsSync(path.dirname(door.folder))).toBe(false);
  });
});
