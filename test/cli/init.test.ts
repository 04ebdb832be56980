import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { emptyRepo, gitRepo, type GitRepo } from '../support/git-repo.ts';
import { tempDir } from '../support/temp-dir.ts';
import { memoryCli } from './memory-cli.ts';
import { realCli } from './real-cli.ts';

async function repoWith(files: Readonly<Record<string, string>>): Promise<GitRepo> {
  const repo = await gitRepo();
  for (const [file, content] of Object.entries(files)) await repo.write(file, content);
  return repo;
}

/** The environment with only git on PATH, and these programs. */
async function envWith(
  repo: GitRepo,
  ...programs: readonly string[]
): Promise<Record<string, string>> {
  const bin = path.join(repo.outside, 'bin');
  await mkdir(bin, { recursive: true });
  for (const name of programs) {
    await writeFile(path.join(bin, name), '#!/bin/sh\necho 1.2.3\n');
    await chmod(path.join(bin, name), 0o755);
  }
  return { ...repo.env, PATH: `${bin}:/usr/local/bin:/usr/bin:/bin` };
}

async function initIn(repo: GitRepo, ...options: readonly string[]) {
  const cli = memoryCli({ cwd: repo.path, env: await envWith(repo) });
  const { exitCode, out, err } = await cli.run('init', ...options, '--no-try', '--json');
  expect([exitCode, err]).toEqual([0, '']);
  return JSON.parse(out);
}

const vitestPackage = JSON.stringify({
  scripts: { test: 'vitest run' },
  devDependencies: { vitest: '5' },
});

describe('the test command', () => {
  it.each<[string, Record<string, string>, string | null]>([
    ['npm by default', { 'package.json': '{"scripts":{"test":"x"}}' }, 'npm test'],
    [
      'pnpm by its lock file',
      { 'package.json': '{"scripts":{"test":"x"}}', 'pnpm-lock.yaml': '' },
      'pnpm test',
    ],
    [
      'Yarn by its lock file',
      { 'package.json': '{"scripts":{"test":"x"}}', 'yarn.lock': '' },
      'yarn test',
    ],
    [
      'Bun by its lock file',
      { 'package.json': '{"scripts":{"test":"x"}}', 'bun.lock': '' },
      'bun run test',
    ],
    [
      'the packageManager field',
      { 'package.json': '{"packageManager":"pnpm@9","scripts":{"test":"x"}}' },
      'pnpm test',
    ],
    ['Jest without a script', { 'package.json': '{"devDependencies":{"jest":"1"}}' }, 'npx jest'],
    [
      'what npm init writes',
      { 'package.json': '{"scripts":{"test":"echo \\"Error: no test specified\\" && exit 1"}}' },
      null,
    ],
    ['a package.json that is no JSON', { 'package.json': '{{' }, null],
    ['a package.json of a wrong shape', { 'package.json': '{"scripts":["test"]}' }, null],
    [
      'Deno tasks',
      { 'deno.jsonc': '// tasks\n{ "tasks": { "test": "deno test -A", }, }' },
      'deno task test',
    ],
    ['Deno', { 'deno.json': '{}' }, 'deno test'],
    ['Cargo', { 'Cargo.toml': '' }, 'cargo test'],
    ['Go', { 'go.mod': '' }, 'go test ./...'],
    ['pytest', { 'pyproject.toml': '[tool.pytest.ini_options]\n' }, 'python3 -m pytest'],
    [
      'pytest over a source folder',
      { 'pytest.ini': '', 'src/a/__init__.py': '' },
      'PYTHONPATH=src python3 -m pytest',
    ],
    ['uv', { 'pyproject.toml': 'pytest', 'uv.lock': '' }, 'uv run pytest'],
    ['tox alone', { 'tox.ini': '[tox]' }, 'tox'],
    [
      'unittest',
      { 'setup.py': '', 'tests/test_a.py': '' },
      'python3 -m unittest discover -s tests',
    ],
    ['RSpec', { Gemfile: '', '.rspec': '' }, 'bundle exec rspec'],
    ['PHPUnit', { 'composer.json': '{}', 'phpunit.xml': '' }, 'vendor/bin/phpunit'],
    ['Composer scripts', { 'composer.json': '{"scripts": {"test": "phpunit"}}' }, 'composer test'],
    ['Mix', { 'mix.exs': '' }, 'mix test'],
    ['Gradle with its wrapper', { 'build.gradle.kts': '', gradlew: '' }, './gradlew test'],
    ['.NET', { 'App.sln': '' }, 'dotnet test'],
    ['a Makefile with the target', { Makefile: 'all:\n\ntest: all\n\t./run\n' }, 'make test'],
    ['a Makefile without the target', { Makefile: 'test := 1\ntests:\n' }, null],
    ['nothing at all', {}, null],
  ])('is found for %s', async (_name, files, command) => {
    await using repo = await repoWith(files);
    // The sample has a folder `src` of its own, which changes how Python is started.
    await repo.git('rm', '-rq', 'src');
    for (const [file, content] of Object.entries(files)) await repo.write(file, content);
    expect((await initIn(repo)).validation).toBe(command);
  });

  it('prefers the language to the Makefile and writes the other one down', async () => {
    await using repo = await repoWith({ 'go.mod': '', Makefile: 'test:\n\tgo vet\n' });
    await initIn(repo);
    const text = await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8');
    expect(parse(text)).toEqual({ validation: { command: 'go test ./...' } });
    expect(text).toContain('# Also found: make test.');
  });
});

describe('what a worktree needs', () => {
  it('is linked or copied only when git ignores it and it is there', async () => {
    await using repo = await repoWith({
      '.gitignore': 'node_modules/\n.env*\n.venv\n',
      'node_modules/a/index.js': '',
      'web/node_modules/b/index.js': '',
      '.env.test': 'A=1',
      '.env': 'KEY=1',
    });
    const { link, copy, setup, dir } = await initIn(repo);
    expect({ link, copy, setup, dir }).toEqual({
      link: ['node_modules', 'web/node_modules'],
      copy: ['.env.test'],
      setup: null,
      dir: null,
    });
    const text = await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8');
    expect(text).toContain('`.env`');
  });

  it('leaves tracked folders alone', async () => {
    await using repo = await repoWith({ 'vendor/lib.go': '', 'go.mod': '' });
    await repo.commitAll('vendored');
    expect((await initIn(repo)).link).toEqual([]);
  });

  it('is installed anew where a link would lead back into the checkout', async () => {
    await using repo = await repoWith({
      '.gitignore': 'node_modules\n',
      'package.json': '{"workspaces":["packages/*"],"scripts":{"test":"x"}}',
      'node_modules/a/index.js': '',
    });
    const { link, setup } = await initIn(repo);
    expect({ link, setup }).toEqual({
      link: [],
      setup: 'npm ci --prefer-offline --no-audit --no-fund',
    });
  });

  it('is copied for Composer, whose autoloader follows links', async () => {
    await using repo = await repoWith({
      '.gitignore': 'vendor/\n',
      'composer.json': '{}',
      'vendor/autoload.php': '',
    });
    const { link, copy } = await initIn(repo);
    expect({ link, copy }).toEqual({ link: [], copy: ['vendor'] });
  });

  it.each<[string, Record<string, string>, boolean]>([
    ['Vitest', { 'package.json': vitestPackage }, true],
    [
      'Vitest within its folders',
      { 'package.json': vitestPackage, 'vitest.config.ts': "include: ['test/**']" },
      false,
    ],
    [
      'Vitest that excludes us',
      { 'package.json': vitestPackage, 'vite.config.ts': "exclude: ['.loopwright/**']" },
      false,
    ],
    ['Jest', { 'package.json': '{"devDependencies":{"jest":"1"}}' }, true],
    [
      'Jest with roots',
      { 'package.json': '{"devDependencies":{"jest":"1"},"jest":{"roots":["src"]}}' },
      false,
    ],
    ['pytest', { 'pytest.ini': '[pytest]\n' }, false],
    ['pytest with its own list', { 'pytest.ini': '[pytest]\nnorecursedirs = build\n' }, true],
    ['Go', { 'go.mod': '' }, false],
  ])('goes outside the repository when %s would search it: %#', async (_name, files, isOutside) => {
    await using repo = await repoWith(files);
    expect((await initIn(repo)).dir).toBe(isOutside ? '../repo.worktrees' : null);
  });
});

describe('init', () => {
  it('writes a commented file that the configuration accepts, and names the next command', async () => {
    await using repo = await repoWith({ 'package.json': '{"scripts":{"test":"x"}}' });
    const env = await envWith(repo, 'claude', 'codex');
    const cli = memoryCli({ cwd: path.join(repo.path, 'src'), env });
    const { exitCode, out } = await cli.run('init');
    expect(exitCode).toBe(0);
    expect(out).toContain('next:  loopwright run');
    const text = await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8');
    expect(text).toMatchInlineSnapshot(`
      "# How loops work in this repository. \`loopwright config show --origin\` shows every key with its
      # value and where it comes from; \`loopwright config validate\` checks this file.

      # Who does the work. \`loopwright agents list\` shows what is installed.
      # Also installed: codex.
      agent: claude

      # The proof. The engine runs this after every iteration, and only its success makes a loop complete.
      validation:
        # Found by: scripts.test in package.json.
        command: npm test
        # timeout: 5m

      # Where a loop ends at the latest.
      # limits:
      #   max-iterations: 100
      # budget:
      #   max-cost-usd: 5
      #   run: { max-cost-usd: 20 }
      #   max-duration: 4h
      "
    `);
    expect((await cli.run('config', 'validate')).exitCode).toBe(0);
  });

  it('never overwrites a file unless forced, and then keeps the old one', async () => {
    await using repo = await repoWith({ 'loopwright.yml': 'agent: mine\n' });
    const cli = memoryCli({ cwd: repo.path, env: await envWith(repo) });
    const refused = await cli.run('init', '--yes');
    expect(refused.exitCode).toBe(3);
    expect(refused.err).toContain('--force');
    expect(await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8')).toBe('agent: mine\n');
    for (const backup of ['loopwright.yml.bak', 'loopwright.yml.bak2']) {
      const { out } = await cli.run('init', '--force', '--validate', 'true', '--json');
      expect(JSON.parse(out).backup).toBe(path.join(repo.path, backup));
    }
    expect(await readFile(path.join(repo.path, 'loopwright.yml.bak'), 'utf8')).toBe(
      'agent: mine\n',
    );
  });

  it('takes agent and validation from the command line and refuses an agent that is none', async () => {
    await using repo = await gitRepo();
    const { agent, validation } = await initIn(
      repo,
      '--agent',
      "command:a 'b'  # c",
      '--validate',
      'x: "y"',
    );
    expect({ agent, validation }).toEqual({ agent: "command:a 'b'  # c", validation: 'x: "y"' });
    const written = parse(await readFile(path.join(repo.path, 'loopwright.yml'), 'utf8'));
    expect(written).toEqual({ agent, validation: { command: validation } });
    const cli = memoryCli({ cwd: repo.path, env: repo.env });
    const { exitCode, err } = await cli.run('init', '--force', '--agent', 'clod');
    expect([exitCode, err.includes('claude')]).toEqual([3, true]);
    expect(existsSync(path.join(repo.path, 'loopwright.yml.bak'))).toBe(false);
  });

  it('says what a folder without git or without a commit lacks', async () => {
    await using dir = await tempDir();
    const plain = await memoryCli({ cwd: dir.path, env: { PATH: '/usr/bin:/bin' } }).run('init');
    expect([plain.exitCode, plain.out.includes('git init')]).toEqual([0, true]);
    await using repo = await emptyRepo();
    const unborn = await memoryCli({ cwd: repo.path, env: repo.env }).run('init');
    expect([unborn.exitCode, unborn.out.includes('git commit')]).toEqual([0, true]);
  });

  it('makes a worktree in which the validation runs', async () => {
    await using repo = await repoWith({
      '.gitignore': 'node_modules/\n',
      'node_modules/tool/run.sh': 'test -f done.txt\n',
      Makefile: 'test:\n\tsh node_modules/tool/run.sh\n',
    });
    await repo.commitAll('project');
    await initIn(repo, '--agent', 'command:touch done.txt');
    const { exitCode, out } = await memoryCli({ cwd: repo.path, env: repo.env }).run(
      'run',
      'finish it',
      '--json',
    );
    expect([exitCode, JSON.parse(out).filesChanged]).toEqual([0, ['done.txt']]);
  });
});

describe('the real program', () => {
  it('takes every proposal without a terminal', async () => {
    await using repo = await repoWith({ 'go.mod': '' });
    const { exitCode, out } = await realCli(repo.path, await envWith(repo), ['init']).ended;
    expect(exitCode).toBe(0);
    expect(out).toContain('go test ./...');
    expect(existsSync(path.join(repo.path, 'loopwright.yml'))).toBe(true);
    expect(existsSync(path.join(repo.path, '.loopwright'))).toBe(false);
  });
});
