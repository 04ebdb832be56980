import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { findSandboxFault } from '../../../src/adapters/process/sandbox.ts';
import { createSupervisor } from '../../../src/adapters/process/supervisor.ts';
import type { ProcessIdentity, ProcessSpec, Sandbox } from '../../../src/ports/process.ts';
import { tempDir, type TempDir } from '../../support/temp-dir.ts';
import { eventually, fixture, livingIn, never, specOf } from './fixture.ts';

const fault = findSandboxFault();
const walls: Sandbox = { network: false, writable: [], readable: [], hidden: [] };

describe('a program in a sandbox', () => {
  let dir: TempDir;
  let worktree: string;
  let checkout: string;
  let home: string;
  let supervisor: ReturnType<typeof createSupervisor>;

  beforeEach(async ({ skip }) => {
    skip(fault !== null, fault ?? '');
    dir = await tempDir();
    checkout = path.join(dir.path, 'checkout');
    worktree = path.join(dir.path, 'worktree');
    home = path.join(dir.path, 'home');
    await mkdir(home);
    await writeFile(path.join(home, 'secret.txt'), 'do not read');
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', ['-C', checkout, ...args], { stdio: 'ignore' });
    await mkdir(checkout);
    git('init', '-q');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', worktree);
    supervisor = createSupervisor();
  });

  afterEach(async () => {
    if (fault !== null) return;
    await supervisor[Symbol.asyncDispose]();
    await dir[Symbol.asyncDispose]();
  });

  const run = (script: string, sandbox: Partial<Sandbox> = {}, more: Partial<ProcessSpec> = {}) => {
    const env = { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: dir.path };
    const spec = specOf(['sh', '-c', script], worktree, { env, ...more });
    return supervisor.run({ ...spec, sandbox: { ...walls, ...sandbox } }, {}, never);
  };

  test('writes its working folder and nothing else', async () => {
    const targets = [
      path.join(checkout, 'made'),
      path.join(dir.path, 'made'),
      '/usr/made-by-a-sandbox-test',
      '/etc/made-by-a-sandbox-test',
    ];
    const attempts = targets.map((file) => `(echo x > ${file}) 2>/dev/null && echo ${file};`);
    const { end, stdoutTail, containment } = await run(
      `${attempts.join('\n')} echo made > made.txt; mkdir -p sub && echo deep > sub/made.txt`,
    );
    expect(end).toEqual({ kind: 'exited', code: 0 });
    expect(containment).toBe('bubblewrap');
    expect(targets.filter((file) => existsSync(file))).toEqual([]);
    // A parent of the worktree is there in a private form: what is written to it is gone afterwards.
    expect(stdoutTail.split('\n').filter((file) => /^\/(usr|etc)/.test(file))).toEqual([]);
    expect(await readFile(path.join(worktree, 'made.txt'), 'utf8')).toBe('made\n');
    expect(await readFile(path.join(worktree, 'sub/made.txt'), 'utf8')).toBe('deep\n');
  });

  test('cannot rewrite what makes git run things', async () => {
    const common = path.join(checkout, '.git');
    const before = await readFile(path.join(common, 'config'), 'utf8');
    const script = `
      git status --porcelain >/dev/null && echo readable
      git config core.fsmonitor 'touch fired' && echo configured
      echo 'touch fired' > "${common}/hooks/post-commit" && echo hooked
      echo x >> "${common}/config" && echo written
      mv "${common}" "${common}2" && echo moved
      rm .git && echo removed
      mv .git .git2 && echo renamed
      echo 'gitdir: /tmp/other' > .git && echo pointed
      git update-ref refs/heads/evil HEAD && echo branched`;
    const { stdoutTail } = await run(script);
    expect(stdoutTail).toBe('readable\n');
    expect(await readFile(path.join(common, 'config'), 'utf8')).toBe(before);
    expect(existsSync(path.join(common, 'hooks/post-commit'))).toBe(false);
    expect(await readFile(path.join(worktree, '.git'), 'utf8')).toContain(common);
  });

  test('cannot rewrite the repository it works in either', async () => {
    const script = `echo x > file.txt
      echo y >> .git/config && echo written; mv .git .git2 && echo moved; rm -r .git && echo removed`;
    const { stdoutTail } = await run(script, {}, { cwd: checkout });
    expect(stdoutTail).toBe('');
    expect(await readFile(path.join(checkout, 'file.txt'), 'utf8')).toBe('x\n');
    expect(existsSync(path.join(checkout, '.git/HEAD'))).toBe(true);
  });

  test('does not see home, temporary folders of others, or what is hidden', async () => {
    await writeFile(path.join(dir.path, 'hidden.txt'), 'hidden');
    await writeFile(path.join(worktree, 'key.pem'), 'key');
    await mkdir(path.join(worktree, 'secrets'));
    await writeFile(path.join(worktree, 'secrets/one'), 'one');
    const { stdoutTail } = await run(
      `cat "$HOME/secret.txt" "${dir.path}/hidden.txt" key.pem secrets/one 2>/dev/null
       ls -A "$HOME" /run secrets; echo "$TMPDIR"; echo mine > /tmp/mine && cat /tmp/mine
       echo state > "$HOME/state" && cat "$HOME/state"`,
      { hidden: [path.join(worktree, 'key.pem'), path.join(worktree, 'secrets'), '/no/such/path'] },
    );
    expect(stdoutTail).not.toContain('do not read');
    expect(stdoutTail).not.toContain('hidden');
    expect(stdoutTail).not.toContain('key\n');
    expect(stdoutTail).toContain('/tmp\nmine\nstate\n');
    expect(existsSync('/tmp/mine')).toBe(false);
    expect(existsSync(path.join(home, 'state'))).toBe(false);
  });

  test('does not see the home the system knows either, wherever HOME points', async () => {
    const known = userInfo().homedir;
    const entries = await readdir(known, { withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    vi.stubEnv('HOME', home);
    try {
      const { stdoutTail } = await run(`ls -A '${known}' 2>/dev/null`);
      expect(files.filter((name) => stdoutTail.split('\n').includes(name))).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test('may write what is named, and read what it needs', async () => {
    await mkdir(path.join(home, 'real-state'));
    await symlink('real-state', path.join(home, '.agent'));
    await mkdir(path.join(home, 'bin'));
    await writeFile(path.join(home, 'bin/own-tool'), '#!/bin/sh\necho tool', { mode: 0o755 });
    await writeFile(path.join(dir.path, 'prompt.md'), 'the prompt');
    const env = { PATH: `${process.env['PATH']}:${home}/bin`, HOME: home };
    const { stdoutTail } = await run(
      `echo signed-in > ~/.agent/session; own-tool; cat "${dir.path}/prompt.md"; echo x 2>/dev/null > "${dir.path}/prompt.md"`,
      { writable: ['~/.agent'], readable: [path.join(dir.path, 'prompt.md')] },
      { env },
    );
    expect(stdoutTail).toBe('tool\nthe prompt');
    expect(await readFile(path.join(home, 'real-state/session'), 'utf8')).toBe('signed-in\n');
    expect(await readFile(path.join(dir.path, 'prompt.md'), 'utf8')).toBe('the prompt');
  });

  test('is refused when a path it shall write is missing', async () => {
    await expect(run('true', { writable: ['/no/such/folder'] })).rejects.toMatchObject({
      code: 'sandbox.path',
    });
    await expect(run('true', { writable: ['relative'] })).rejects.toMatchObject({
      code: 'sandbox.path',
    });
  });

  test('has no network unless it may', async () => {
    await using server = createServer((socket) => socket.end('hello'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : null;
    const connect = `${process.execPath} -e "require('net').connect(${port}, '127.0.0.1').on('data', (d) => console.log(String(d))).on('error', (e) => console.log(e.code))"`;
    const cut = await run(connect, {}, { timeoutMs: 20_000 });
    expect(cut.stdoutTail).toBe('ECONNREFUSED\n');
    expect((await run(connect, { network: true })).stdoutTail).toBe('hello\n');
  });

  test('has no power to take its walls down', async () => {
    const { stdoutTail } = await run(
      `mount -o remount,rw / 2>/dev/null && echo remounted
       umount .git 2>/dev/null && echo unmounted
       unshare -rm sh -c 'umount "${worktree}/.git" || mount -o remount,rw,bind "${worktree}/.git"' 2>/dev/null && echo freed
       # The value that is there anyway: should the wall be missing, nothing changes.
       (cat /proc/sys/vm/swappiness > /proc/sys/vm/swappiness) 2>/dev/null && echo tuned
       (printf '' > /proc/sysrq-trigger) 2>/dev/null && echo triggered
       echo over`,
    );
    expect(stdoutTail).toBe('over\n');
  });

  test('is contained as ever', async () => {
    const stop = new AbortController();
    let identity: ProcessIdentity | null = null;
    const spec = specOf([fixture('escapes'), 'stay'], worktree, {
      graceMs: 50,
      sandbox: { ...walls, readable: [fixture('escapes')] },
    });
    const sink = {
      started: (it: ProcessIdentity) => Promise.resolve(void (identity = it)),
      line: () => stop.abort(),
    };
    expect((await supervisor.run(spec, sink, stop.signal)).end).toEqual({ kind: 'cancelled' });
    expect(await supervisor.isAlive(identity!)).toBe(false);
    await eventually(() => livingIn(worktree).length === 0);
  });
});

test('a sandbox that cannot be had is a refusal', async ({ skip }) => {
  skip(fault === null, 'there is bubblewrap on this machine');
  await using dir = await tempDir();
  await using supervisor = createSupervisor();
  const spec = { ...specOf(['sh', '-c', ': > acted'], dir.path), sandbox: walls };
  await expect(supervisor.run(spec, {}, never)).rejects.toMatchObject({
    code: 'sandbox.unavailable',
  });
  expect(existsSync(path.join(dir.path, 'acted'))).toBe(false);
});
