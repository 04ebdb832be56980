import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo, type GitRepo } from '../support/git-repo.ts';
import { memoryCli } from './memory-cli.ts';

/** A repository in which `codex` and `pi` are installed, and played by a command. */
async function withInstalled(): Promise<{ repo: GitRepo; env: Record<string, string> }> {
  const repo = await gitRepo();
  const bin = path.join(repo.outside, 'bin');
  await mkdir(bin);
  for (const name of ['pi', 'codex']) {
    await writeFile(path.join(bin, name), '#!/bin/sh\necho 1.0\n');
    await chmod(path.join(bin, name), 0o755);
  }
  const agents = "agents:\n  codex: { command: 'echo x > done.txt' }\n  pi: { command: 'false' }\n";
  await repo.write('loopwright.yml', `${agents}validation: { command: test -f done.txt }\n`);
  await repo.commitAll('configuration');
  return { repo, env: { ...repo.env, PATH: `${bin}:/usr/bin:/bin` } };
}

describe('without a configured agent', () => {
  it('a loop gets the first known one that is installed, keeps it, and says so', async () => {
    const { repo, env } = await withInstalled();
    await using _repo = repo;
    const cli = memoryCli({ cwd: repo.path, env });
    const { exitCode, err } = await cli.run('run', 'do it');
    expect(exitCode).toBe(0);
    expect(err).toContain('no agent is configured: taking codex, the first one installed');
    expect(err).toContain('  agent      codex\n');
    const list = JSON.parse((await cli.run('agents', 'list', '--json')).out);
    const chosen = list.agents.filter((agent: { chosen: boolean }) => agent.chosen);
    expect(chosen).toMatchObject([{ name: 'codex' }]);
    expect((await cli.run('doctor')).out).toContain('loops get codex');
  });

  it('a dry run names it', async () => {
    const { repo, env } = await withInstalled();
    await using _repo = repo;
    const cli = memoryCli({ cwd: repo.path, env });
    const { out } = await cli.run('run', 'do it', '--dry-run', '--json');
    expect(JSON.parse(out)).toMatchObject({ agent: 'codex' });
  });

  it('and with none installed a run is refused, with what to do', async () => {
    await using repo = await gitRepo();
    const env = { ...repo.env, PATH: '/usr/bin:/bin' };
    const cli = memoryCli({ cwd: repo.path, env });
    const { exitCode, err } = await cli.run('run', 'do it', '--validate', 'true');
    expect(exitCode).toBe(3);
    expect(err).toContain('none of claude, codex, gemini, opencode, pi is installed');
    expect(err).toContain('install one of them');
  });
});

describe('an agent that acts without asking', () => {
  const program = path.join(import.meta.dirname, '../adapters/agents/acp/programs/agent.ts');
  const agent = `acp:"${process.execPath}" "${program}" works`;
  const argv = (title: string) => [
    'run',
    title,
    '--agent',
    agent,
    '--validate',
    'test -f work.txt',
  ];

  it('is announced once when there is no sandbox', async () => {
    await using repo = await gitRepo();
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const first = await cli.run(...argv('one'));
    expect(first.exitCode).toBe(0);
    expect(first.err.match(/acts without asking for permission/g)).toHaveLength(1);
    const second = await cli.run(...argv('two'));
    expect(second.exitCode).toBe(0);
    expect(second.err).not.toContain('acts without asking');
  });

  it('is not announced when it is watched', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'sandbox: worktree\n');
    await repo.commitAll('sandbox');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode, err } = await cli.run(...argv('one'));
    expect(exitCode).toBe(0);
    expect(err).not.toContain('acts without asking');
  });
});
