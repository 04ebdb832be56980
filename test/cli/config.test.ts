import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { gitRepo } from '../support/git-repo.ts';
import { tempDir } from '../support/temp-dir.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

describe('config show', () => {
  it('prints settings that are valid configuration themselves', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'validation: { command: npm test }\nlimits: { max-iterations: 7 }\n',
    );
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode, out } = await cli.run('config', 'show');
    expect(exitCode).toBe(0);
    expect(parse(out)).toMatchObject({
      validation: { command: 'npm test' },
      limits: { 'max-iterations': 7 },
    });
    await repo.write('again.yml', out);
    expect((await cli.run('config', 'validate', 'again.yml')).exitCode).toBe(0);
  });

  it('names file and line, variable or default behind each value', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'limits:\n  max-iterations: 7\n');
    const env = { ...repo.env, LOOPWRIGHT_BUDGET_MAX_COST_USD: '3' };
    const { out } = await memoryCli({ cwd: repo.path, env }).run('config', 'show', '--origin');
    const rows = new Map(
      out.split('\n').map((line) => [line.split(/\s+/)[0], line.split(/\s{2,}/).slice(1)]),
    );
    expect(rows.get('limits.max-iterations')).toEqual(['7', 'loopwright.yml:2']);
    expect(rows.get('budget.max-cost-usd')).toEqual(['3', 'LOOPWRIGHT_BUDGET_MAX_COST_USD']);
    expect(rows.get('agent')).toEqual(['null', 'default']);
  });

  it('hides what looks like a secret', async () => {
    await using repo = await gitRepo();
    await repo.write(
      'loopwright.yml',
      'env: { set: { API_TOKEN: topsecret, MODE: test } }\nstore: postgres://me:topsecret@host/db\n',
    );
    const { out } = await memoryCli({ cwd: repo.path, env: repo.env }).run('config', 'show');
    expect(out).not.toContain('topsecret');
    expect(parse(out)).toMatchObject({
      env: { set: { MODE: 'test' } },
      store: 'postgres://me:[hidden]@host/db',
    });
  });
});

describe('config get', () => {
  it('prints the bare value of a key, and a section as YAML', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'validation: { command: npm test }\n');
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    expect((await cli.run('config', 'get', 'validation.command')).out).toBe('npm test\n');
    expect((await cli.run('config', 'get', 'limits.idle-timeout')).out).toBe('10m\n');
    expect(parse((await cli.run('config', 'get', 'progress')).out)).toMatchObject({
      'max-entries': 5,
    });
    expect(
      JSON.parse((await cli.run('config', 'get', 'validation.command', '--json')).out),
    ).toMatchObject({
      value: 'npm test',
      origin: { layer: 'project', file: 'loopwright.yml', line: 1 },
    });
  });

  it.each([
    ['limits.max-iteratons', 'limits.max-iterations'],
    ['max-cost-usd', 'budget.max-cost-usd'],
    ['command', 'validation.command'],
  ])('answers %s with the key that is meant', async (wrong, right) => {
    await using dir = await tempDir();
    const { exitCode, err } = await memoryCli({ cwd: dir.path }).run('config', 'get', wrong);
    expect(exitCode).toBe(3);
    expect(err).toContain(`did you mean \`${right}\`?`);
    expect(err).toContain('loopwright config show');
  });
});

describe('config validate', () => {
  it('names every mistake with its place', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright.yml', 'limts: {}\nverify:\n  integrity: maybe\n');
    const { exitCode, err } = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'config',
      'validate',
    );
    expect(exitCode).toBe(3);
    expect(err).toContain('loopwright.yml:1:1: unknown key `limts`; did you mean `limits`?');
    expect(err).toContain('loopwright.yml:3:3');
  });

  it('checks loop types too', async () => {
    await using repo = await gitRepo();
    await repo.write('loopwright/types/mine.yml', 'extends: nothing\n');
    const { exitCode, err } = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'config',
      'validate',
    );
    expect(exitCode).toBe(3);
    expect(err).toContain('nothing');
  });

  it('refuses a file that is not there', async () => {
    await using dir = await tempDir();
    const { exitCode, err } = await memoryCli({ cwd: dir.path }).run(
      'config',
      'validate',
      'no.yml',
    );
    expect([exitCode, err]).toEqual([
      3,
      'error: there is no file no.yml\nnext:  `loopwright init` writes a loopwright.yml for this repository\n',
    ]);
  });
});

describe('the real program', () => {
  it('shows, validates and describes configuration in any folder and makes nothing there', async () => {
    await using dir = await tempDir();
    const env = { PATH: process.env['PATH'] ?? '', HOME: dir.path };
    const [shown, checked, schema] = await Promise.all([
      realCli(dir.path, env, ['config', 'show', '--json']).ended,
      realCli(dir.path, env, ['config', 'validate', '--json']).ended,
      realCli(dir.path, env, ['config', 'schema']).ended,
    ]);
    expect(JSON.parse(shown.out)).toMatchObject({ agent: null });
    expect(JSON.parse(checked.out)).toEqual({ valid: true, files: [], warnings: [] });
    expect(JSON.parse(schema.out).properties.limits.properties['max-iterations'].default).toBe(100);
    expect(existsSync(path.join(dir.path, '.loopwright'))).toBe(false);
  });
});
