import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { gitRepo } from '../support/git-repo.ts';
import { tempDir } from '../support/temp-dir.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

/** A folder for PATH with these programs. */
async function programs(
  folder: string,
  scripts: Readonly<Record<string, string>>,
): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const [name, script] of Object.entries(scripts)) {
    await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(folder, name), 0o755);
  }
  return `${folder}:/usr/local/bin:/usr/bin:/bin`;
}

type Line = { readonly name: string; readonly version: string | null; readonly usable: boolean };

async function listed(
  cwd: string,
  env: Record<string, string>,
): Promise<ReadonlyMap<string, Line>> {
  const { exitCode, out } = await memoryCli({ cwd, env }).run('agents', 'list', '--json');
  expect(exitCode).toBe(0);
  return new Map(JSON.parse(out).agents.map((agent: Line) => [agent.name, agent]));
}

describe('agents list', () => {
  it('tells what is installed in which version, also when a program answers strangely', async () => {
    await using dir = await tempDir();
    const PATH = await programs(path.join(dir.path, 'bin'), {
      claude: 'echo "2.1.0 (Claude Code)"',
      codex: 'echo "codex-cli 0.9"; printf "\\033[31mred\\033[0m\\n"',
      gemini: 'exit 7',
      opencode: 'echo no number here',
    });
    const agents = await listed(dir.path, { PATH, HOME: dir.path });
    expect([...agents.values()].map(({ name, version }) => [name, version])).toEqual([
      ['claude', '2.1.0 (Claude Code)'],
      ['codex', 'codex-cli 0.9'],
      ['gemini', null],
      ['opencode', null],
      ['pi', null],
    ]);
    expect(agents.get('pi')).toMatchObject({ installed: false, usable: false, hint: null });
  });

  it('gives up on a version that never comes', async () => {
    await using dir = await tempDir();
    const PATH = await programs(path.join(dir.path, 'bin'), { claude: 'sleep 60' });
    const agents = await listed(dir.path, { PATH, HOME: dir.path });
    expect(agents.get('claude')).toMatchObject({ installed: true, version: null });
  });

  it('puts configured agents first, and marks the one that loops get', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'agent: mine\nagents:\n  mine: { command: my-agent --auto }\n  broken: { kind: scripted, script: no.yml }\n',
    );
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const agents = await listed(repo.path, { ...repo.env });
    expect(agents.get('mine')).toMatchObject({ source: 'configured', usable: true, chosen: true });
    expect(agents.get('broken')).toMatchObject({ usable: false, chosen: false });
    const { out } = await cli.run('agents', 'list');
    expect(out).toMatch(/^mine \*\s+configured/m);
    expect(out).toContain('command:CMD');
    expect(out).toContain('scripted:FILE');
  });

  it('says what to write for an agent that has no adapter', async () => {
    await using dir = await tempDir();
    const PATH = await programs(path.join(dir.path, 'bin'), { codex: 'echo 1.0' });
    const { out } = await realCli(dir.path, { PATH, HOME: dir.path }, ['agents', 'list']).ended;
    const isDriven = /^codex \*\s+ready/m.test(out);
    if (!isDriven) expect(out).toContain("--agent 'command:codex exec");
    expect(out).toMatch(/^codex \*\s+(?:ready|found, not driven yet)\s+1\.0/m);
  });
});
