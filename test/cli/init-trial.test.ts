import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../support/daemon.ts';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

/** Everything of the repository that a trial could leave something in. */
async function traces(repo: GitRepo) {
  const files = await readdir(repo.path);
  return {
    refs: await repo.git('for-each-ref'),
    worktrees: await repo.git('worktree', 'list'),
    index: await readFile(path.join(repo.path, '.git/index'), 'hex'),
    head: await repo.git('rev-parse', 'HEAD'),
    branches: await repo.git('branch', '--all'),
    files: files.filter((name) => !name.startsWith('loopwright.yml')),
    beside: await readdir(path.dirname(repo.path)),
    registered: await readdir(path.join(repo.path, '.git/worktrees')).catch(() => []),
  };
}

async function initIn(repo: GitRepo, ...argv: readonly string[]) {
  const cli = memoryCli({ cwd: repo.path, env: repo.env });
  const { exitCode, out, err } = await cli.run('init', '--json', ...argv);
  return { exitCode, err, result: JSON.parse(out) };
}

async function configOf(repo: GitRepo) {
  return parse(await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8'));
}

describe('the trial of the check', () => {
  it('runs it in a worktree of the commit, calls red fine, and leaves nothing', async () => {
    await using repo = await gitRepo();
    await repo.write('uncommitted.txt', 'mine');
    const before = await traces(repo);
    const where = path.join(repo.outside, 'where');
    const check = `pwd > ${where}; echo $CI >> ${where}; ls >> ${where}; exit 7`;
    const { exitCode, result, err } = await initIn(repo, '--validate', check);
    expect(exitCode).toBe(0);
    expect(result.trial).toMatchObject({ state: 'ran', passed: false, exitCode: 7, added: [] });
    const [folder = '', ci, ...files] = (await readFile(where, 'utf8')).trim().split('\n');
    expect(folder).toMatch(/\/repo\/\.loopwright\/worktrees\/loop-[0-9a-f]{8}-trial$/);
    expect(ci).toBe('true');
    expect(files).toEqual(['README.md', 'src']);
    expect(err).toContain('in a fresh worktree (at most 2m; --no-try skips it)');
    expect(await traces(repo)).toEqual(before);
  });

  it('says in words that a red check ran, and that a green one did', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const red = await cli.run('init', '--validate', 'exit 3');
    expect(red.out.replaceAll(/\s+/g, ' ')).toContain(
      'tried runs in a fresh worktree, red with exit code 3',
    );
    const green = await cli.run('init', '--force', '--validate', 'true');
    expect(green.out).toContain('runs in a fresh worktree, green');
  });

  it('sets the worktree up as that of a loop, outside of the repository where that is configured', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', 'node_modules/\n');
    await repo.write('package.json', '{"workspaces":["a"],"devDependencies":{"jest":"1"}}');
    await repo.commitAll('project');
    const bin = path.join(repo.outside, 'bin');
    await mkdir(bin);
    await writeFile(path.join(bin, 'npm'), '#!/bin/sh\necho "$@" > brought.txt\n');
    await chmod(path.join(bin, 'npm'), 0o755);
    const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}` };
    const before = await traces(repo);
    const cli = memoryCli({ cwd: repo.path, env });
    const check = 'pwd; grep -q "^ci" brought.txt';
    const { out } = await cli.run('init', '--json', '--validate', check);
    const { trial, setup, dir } = JSON.parse(out);
    expect({ setup, dir }).toMatchObject({ setup: /^npm ci/, dir: '../repo.worktrees' });
    expect(trial).toMatchObject({ state: 'ran', passed: true });
    expect(await traces(repo)).toEqual(before);
    await writeFile(path.join(bin, 'npm'), '#!/bin/sh\necho no such registry >&2\nexit 1\n');
    const failed = await cli.run('init', '--force', '--validate', check);
    expect(failed.exitCode).toBe(0);
    expect(failed.out.replaceAll(/\s+/g, ' ')).toContain(
      'failed in a fresh worktree: no such registry',
    );
    expect(await traces(repo)).toEqual(before);
  });

  it('names what is missing, and writes the file all the same', async () => {
    await using repo = await gitRepo();
    const { exitCode, result } = await initIn(repo, '--validate', 'no-such-runner --all');
    expect(exitCode).toBe(0);
    expect(result.trial).toMatchObject({
      state: 'could-not-run',
      missing: { kind: 'program', name: 'no-such-runner' },
      added: [],
    });
    expect(result.trial.advice).toContain('install no-such-runner');
    expect(await configOf(repo)).toMatchObject({
      validation: { command: 'no-such-runner --all' },
    });
  });

  it('adds the ignored file that the check needs, and tries again', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', 'tools/\n');
    await repo.commitAll('ignores');
    await repo.write('tools/check.sh', '#!/bin/sh\nexit 1\n');
    await chmod(path.join(repo.path, 'tools/check.sh'), 0o755);
    const before = await traces(repo);
    const { result } = await initIn(repo, '--validate', 'tools/check.sh');
    expect(result.trial).toMatchObject({
      state: 'ran',
      exitCode: 1,
      added: [{ key: 'copy', value: 'tools' }],
    });
    expect(await configOf(repo)).toMatchObject({ workspace: { copy: ['tools'] } });
    expect(await traces(repo)).toEqual(before);
  });

  it('looks for it in what a failing check says as well', async () => {
    await using repo = await gitRepo();
    await repo.write('.gitignore', 'tools/\n');
    await repo.write('Makefile', 'test:\n\t@tools/check.sh\n');
    await repo.commitAll('project');
    await repo.write('tools/check.sh', '#!/bin/sh\nexit 1\n');
    await chmod(path.join(repo.path, 'tools/check.sh'), 0o755);
    const { result } = await initIn(repo);
    expect(result.trial).toMatchObject({ state: 'ran', added: [{ key: 'copy', value: 'tools' }] });
    await repo.write('loopwright.yml.bak', '');
    await repo.write('.gitignore', '');
    await repo.commitAll('nothing is ignored');
    await repo.git('rm', '-q', '--cached', 'tools/check.sh');
    await repo.git('commit', '-qm', 'untracked');
    const untracked = await initIn(repo, '--force');
    expect(untracked.result.trial).toMatchObject({ state: 'could-not-run', added: [] });
    expect(untracked.result.trial.advice).toContain('commit tools/check.sh');
  });

  it('does not add what did not help', async () => {
    await using repo = await gitRepo();
    const manifest = '{"scripts":{"test":"no-such-tool"},"devDependencies":{"no-such-tool":"1"}}';
    await repo.write('package.json', manifest);
    await repo.commitAll('project');
    const bin = path.join(repo.outside, 'bin');
    await mkdir(bin);
    const script =
      '#!/bin/sh\ntest "$1" = test || exit 1\necho "sh: 1: no-such-tool: not found" >&2\nexit 127\n';
    await writeFile(path.join(bin, 'npm'), script, { mode: 0o755 });
    const env = { ...repo.env, PATH: `${bin}:${repo.env['PATH'] ?? ''}` };
    const { out } = await memoryCli({ cwd: repo.path, env }).run('init', '--json');
    const { trial, setup } = JSON.parse(out);
    expect(setup).toBe(null);
    expect(trial).toMatchObject({ state: 'could-not-run', added: [] });
    expect(trial.advice).toContain('npm install --no-audit --no-fund');
    expect(trial.advice).toContain('tried without success');
  });

  it('does not run a check whose manifest is not committed: it would run in the checkout', async () => {
    await using repo = await gitRepo();
    await repo.write('package.json', '{"scripts":{"test":"touch ran.txt"}}');
    const { exitCode, result } = await initIn(repo);
    expect(exitCode).toBe(0);
    expect(result.trial).toMatchObject({ state: 'failed' });
    expect(result.trial.reason).toContain('package.json, which is in your checkout and not in git');
    expect(existsSync(path.join(repo.path, 'ran.txt'))).toBe(false);
  });

  it('ends at its time limit with every process', async () => {
    await using repo = await gitRepo();
    const before = await traces(repo);
    const check = ['--validate', 'echo $$ > "$HOME/pid"; sleep 300', '--try-limit', '1s'];
    const { exitCode, result } = await initIn(repo, ...check);
    expect(exitCode).toBe(0);
    expect(result.trial).toMatchObject({ state: 'timed-out', what: 'check', afterMs: 1000 });
    expect(await traces(repo)).toEqual(before);
    const bad = await memoryCli({ cwd: repo.path, env: repo.env }).run('init', '--try-limit', 'x');
    expect([bad.exitCode, bad.err.includes('--try-limit')]).toEqual([3, true]);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('leaves nothing when %s ends it', async (name) => {
    await using repo = await gitRepo();
    const before = await traces(repo);
    const mark = `trial-${path.basename(path.dirname(repo.path))}`;
    const began = path.join(repo.outside, 'began');
    const check = `touch ${began}; (sleep 300; echo ${mark}) & sleep 300; echo ${mark}`;
    const run = realCli(repo.path, await withOwnTemporary(repo), ['init', '--validate', check]);
    await eventually(async () => existsSync(began), 'the check has begun');
    run.child.kill(name);
    const { exitCode, err } = await run.ended;
    expect(exitCode).toBe(130);
    expect(err).toContain('Nothing was written.');
    expect(existsSync(path.join(repo.path, 'loopwright.yml'))).toBe(false);
    expect(await traces(repo)).toEqual(before);
    expect(await processesWith(mark)).toEqual([]);
    const temporary = await readdir(path.join(repo.outside, 'tmp'));
    // Node keeps compiled code there.
    expect(temporary.filter((each) => each !== 'node-compile-cache')).toEqual([]);
  });

  it('what kill -9 leaves is removed by the next run', async () => {
    await using repo = await gitRepo();
    const began = path.join(repo.outside, 'began');
    const argv = ['init', '--validate', `touch ${began}; sleep 300`];
    const run = realCli(repo.path, await withOwnTemporary(repo), argv);
    await eventually(async () => existsSync(began), 'the check has begun');
    run.child.kill('SIGKILL');
    await run.ended;
    expect(await repo.git('branch', '--list', 'loopwright/*')).toContain('-trial');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const agent = ['--agent', 'command:echo a > a.txt', '--validate', 'test -f a.txt'];
    expect((await cli.run('run', 'x', ...agent)).exitCode).toBe(0);
    expect(await repo.git('branch', '--list', 'loopwright/*-trial')).toBe('');
    expect(await repo.git('worktree', 'list')).not.toContain('trial');
  });
});

async function withAgent(repo: GitRepo, script: string) {
  const bin = path.join(repo.outside, 'bin');
  await mkdir(bin);
  await writeFile(path.join(bin, 'codex'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return memoryCli({ cwd: repo.path, env: { ...repo.env, PATH: `${bin}:/usr/bin:/bin` } });
}

describe('the version of the agent', () => {
  it('is asked for and told', async () => {
    await using repo = await gitRepo();
    const cli = await withAgent(repo, 'test "$*" = --version && echo codex-cli 0.9.1');
    const { out } = await cli.run('init', '--validate', 'true');
    expect(out).toContain('codex (Codex, codex-cli 0.9.1)');
    const { out: json } = await cli.run('init', '--force', '--validate', 'true', '--json');
    expect(JSON.parse(json)).toMatchObject({ agentVersion: 'codex-cli 0.9.1', agentFault: null });
  });

  it('says why an agent does not start', async () => {
    await using repo = await gitRepo();
    const cli = await withAgent(repo, 'echo "GLIBC_2.99 not found" >&2; exit 1');
    const { exitCode, out } = await cli.run('init', '--validate', 'true');
    expect(exitCode).toBe(0);
    const text = out.replaceAll(/\s+/g, ' ');
    expect(text).toContain('The agent codex does not start');
    expect(text).toContain('exit code 1: GLIBC_2.99 not found');
    const { out: json } = await cli.run('init', '--force', '--agent', 'command:clod -p', '--json');
    expect(JSON.parse(json).agentFault).toBe('there is no program clod on PATH');
  });
});

/** What is left among temporary files is seen, and goes away with the test. */
async function withOwnTemporary(repo: GitRepo): Promise<Record<string, string>> {
  const folder = path.join(repo.outside, 'tmp');
  await mkdir(folder);
  return { ...repo.env, TMPDIR: folder };
}

async function processesWith(text: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')),
  );
  return lines.filter((line) => line.includes(text));
}
